/** Emulated device behind a line of this process, on a clock that only `wait` advances: a second passes in a millisecond. */

import type { LineStatus, SerialLine } from '../../../src/drivers/serial.ts';
import type { Clock } from '../../../src/model/index.ts';
import type { EmulatedDevice, Transmit } from './device.ts';
import { Wire, type WireOptions } from './wire.ts';

/** Unread bytes kept by the operating system; a pty's line discipline keeps as many. */
const BUFFER_BYTES = 4096;
/** Bytes accepted by an operating system before the adapter has sent them. */
const WRITE_BYTES = 4096;
/** Longest time step of the devices, s. */
const PIECE_S = 0.01;

/** Clock advanced by the `wait` of a line; several lines may share one. */
export class WaitedClock implements Clock {
  #nowS = 0;

  monotonicNs(): ReturnType<Clock['monotonicNs']> {
    return BigInt(Math.round(this.#nowS * 1e9)) as ReturnType<Clock['monotonicNs']>;
  }

  nowS(): number {
    return this.#nowS;
  }

  wallMs(): number {
    return this.#nowS * 1e3;
  }

  /** Advances to `untilS`; a time in the past has no effect. */
  passTo(untilS: number): void {
    if (untilS > this.#nowS) this.#nowS = untilS;
  }
}

export interface MemoryLineOptions extends WireOptions {
  /** Host's baud rate, if it differs from the devices': both ends then receive garbage. */
  readonly hostBaud?: number | undefined;
  readonly clock?: WaitedClock | undefined;
  readonly path?: string | undefined;
}

/**
 * Host's end of the line. The same calls at the same times give the same bytes.
 * @public for tests of drivers
 */
export class MemoryLine implements SerialLine {
  readonly path: string;
  readonly baud: number;
  readonly clock: WaitedClock;
  readonly wire: Wire;
  /** Echoes sent bytes, as adapters on a single wire do. */
  isEchoing = false;
  readonly #device: EmulatedDevice;
  readonly #transmit: Transmit;
  readonly #buffer: Uint8Array = new Uint8Array(BUFFER_BYTES);
  readonly #isRightBaud: boolean;
  #received = 0;
  #hostFreeS = 0;
  #state: 'open' | 'unplugged' | 'closed' = 'open';

  constructor(device: EmulatedDevice, options: MemoryLineOptions) {
    this.path = options.path ?? 'memory';
    this.baud = options.hostBaud ?? options.baud;
    this.clock = options.clock ?? new WaitedClock();
    this.wire = new Wire(options);
    this.#device = device;
    this.#isRightBaud = this.baud === options.baud;
    this.#transmit = (bytes, atS) => this.wire.fromDevice(bytes, bytes.length, atS);
    device.advance(this.clock.nowS(), this.#transmit);
  }

  write(bytes: Uint8Array, length: number): LineStatus {
    if (this.#state !== 'open') return 'lost';
    const nowS = this.clock.nowS();
    this.#device.advance(nowS, this.#transmit);
    const room = WRITE_BYTES - Math.ceil(Math.max(0, this.#hostFreeS - nowS) / this.wire.byteS);
    const taken = Math.max(0, Math.min(length, room));
    if (taken > 0) {
      this.#hostFreeS = this.wire.fromHost(taken, nowS);
      if (this.isEchoing) this.#echo(bytes, taken);
      const heard = Uint8Array.from(bytes.subarray(0, taken), (byte) => this.#heard(byte));
      this.#device.receive(heard, taken, this.#hostFreeS, this.#transmit);
    }
    return taken === length ? 'ok' : 'full';
  }

  read(into: Uint8Array, at: number): number {
    if (this.#state !== 'open') return -1;
    this.#collect();
    const count = Math.min(this.#received, into.length - at);
    for (let i = 0; i < count; i++) into[at + i] = this.#heard(this.#buffer[i]!);
    this.#buffer.copyWithin(0, count, this.#received);
    this.#received -= count;
    return count;
  }

  wait(untilS: number): void {
    // In pieces, so that no device takes the elapsed time for a pause of the process.
    for (let nowS = this.clock.nowS(); nowS < untilS; nowS = this.clock.nowS()) {
      this.clock.passTo(Math.min(untilS, nowS + PIECE_S));
      this.#collect();
    }
  }

  /** Pulls the plug: bytes in transit are lost, and nothing can be read or written until `plug`. The devices keep their power. */
  unplug(): void {
    if (this.#state === 'open') this.#state = 'unplugged';
    this.wire.clear();
    this.#received = 0;
    this.#hostFreeS = this.clock.nowS();
  }

  plug(): void {
    if (this.#state === 'unplugged') this.#state = 'open';
  }

  close(): void {
    this.#state = 'closed';
  }

  #collect(): void {
    const nowS = this.clock.nowS();
    this.#device.advance(nowS, this.#transmit);
    if (this.#state !== 'open') {
      this.wire.clear();
      return;
    }
    this.#received += this.wire.take(this.#buffer, this.#received, nowS);
  }

  /** Independent of the baud rate: the host receives what it sent. */
  #echo(bytes: Uint8Array, count: number): void {
    const own = this.#isRightBaud ? bytes.slice(0, count) : Uint8Array.from(bytes.subarray(0, count), meantBy);
    this.wire.fromDevice(own, count, this.#hostFreeS - count * this.wire.byteS);
  }

  #heard(byte: number): number {
    return this.#isRightBaud ? byte : misheard(byte);
  }
}

/** Byte received by one end for a byte that the other sent at another baud rate: a wrong one, always the same. */
export function misheard(byte: number): number {
  return (Math.imul(byte, 0x9d) ^ 0xb5) & 0xff;
}

/** Byte that is misheard as `byte`: the form that an echo needs for its sender to receive it correctly. */
export function meantBy(byte: number): number {
  return Math.imul(byte ^ 0xb5, 0xb5) & 0xff;
}
