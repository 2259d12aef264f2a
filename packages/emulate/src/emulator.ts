/** Bus of emulated devices at a port, with the faults that can be injected. */
import { type Clock, ReinError, type Rng } from '../../../src/model/index.ts';
import type { EmulatedBus } from './device.ts';
import type { FaultTarget, LineFault, PacketFault, RequestFault, ServoFaults } from './faults.ts';
import { FaultyDevice } from './faulty-device.ts';
import { PortLink } from './terminal/pseudo-terminal.ts';
import { TerminalServer } from './terminal/terminal-server.ts';

const BITS_PER_BYTE = 10;

export interface EmulatorOptions {
  readonly bus: EmulatedBus;
  readonly baud: number;
  readonly clock: Clock;
  readonly rng: Rng;
  /** Path of the symbolic link to the port. */
  readonly link?: string | undefined;
  /** Latency of the adapter, s: see `Wire`. */
  readonly latencyS?: number | undefined;
}

export class Emulator implements FaultTarget {
  readonly bus: EmulatedBus;
  readonly #line: FaultyDevice;
  readonly #server: TerminalServer;

  constructor({ bus, baud, clock, rng, link, latencyS }: EmulatorOptions) {
    this.bus = bus;
    this.#line = new FaultyDevice(bus, bus.packets, BITS_PER_BYTE / baud, rng.fork('faults'));
    this.#server = new TerminalServer(this.#line, {
      baud,
      latencyS,
      clock,
      link: link === undefined ? undefined : new PortLink(link),
    });
  }

  get ids(): readonly number[] {
    return this.bus.ids;
  }

  /** Present path of the port; `undefined` while it is unplugged. */
  get path(): string | undefined {
    return this.#server.path;
  }

  /** Counts of line and devices, and lateness of replies, s. */
  statistics() {
    const { beginLateS, endLateS, counts } = this.#server;
    return {
      ...this.bus.counts,
      ...counts,
      faults: this.#line.befallen,
      replies: beginLateS.count,
      replyBeginLateS: { p50: beginLateS.quantile(0.5), p99: beginLateS.quantile(0.99), max: beginLateS.max },
      replyEndLateS: { p50: endLateS.quantile(0.5), p99: endLateS.quantile(0.99), max: endLateS.max },
    };
  }

  setRate(fault: LineFault, rate: number): void {
    this.#line.replies[fault] = rate;
  }

  setRequestRate(fault: RequestFault, rate: number): void {
    this.#line.requests[fault] = rate;
  }

  setNoise(bytesPerS: number): void {
    this.#line.noiseBytesPerS = bytesPerS;
  }

  setEcho(isEchoing: boolean): void {
    this.#server.isEchoing = isEchoing;
  }

  plan(fault: PacketFault): void {
    this.#line.plan(fault);
  }

  setSupply(volts: number): void {
    if (this.bus.supplyV === undefined) throw new ReinError('config', 'the supply of these devices is not emulated');
    this.bus.supplyV = volts;
  }

  setRegister(id: number, register: string, counts: number): void {
    if (this.bus.setRegister?.(id, register, counts) === true) return;
    throw new ReinError('config', `there is no register ${register} of a device ${id}`, {
      remedy: `devices: ${this.ids.join(', ')}; registers are named as in the driver's tables, e.g. firmwareMajor`,
    });
  }

  servo(id: number): ServoFaults | undefined {
    return this.bus.faultsOf(id);
  }

  powerCycle(): void {
    this.bus.powerCycle();
  }

  /** Throws `ReinError` if this machine cannot provide a port. */
  plug(): void {
    this.#server.plug();
  }

  unplug(): void {
    this.#server.unplug();
  }

  /** Serves the port until `signal` aborts; `between` is called at most about a hundred times a second. */
  run(signal: AbortSignal, between?: () => void): Promise<void> {
    return this.#server.run(signal, between);
  }
}
