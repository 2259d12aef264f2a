/** Device behind a faulty line: its replies and requests are dropped, flipped, delayed, repeated, split or forged, from a seed. */
import type { Rng } from '../../../src/model/index.ts';
import type { EmulatedDevice, PacketShape, Transmit } from './device.ts';
import { LINE_FAULTS, type LineFault, type PacketFault, REQUEST_FAULTS, type RequestFault } from './faults.ts';

const DELAY_MAX_S = 0.02;
const GAP_MAX_S = 0.005;
const GARBAGE_MAX_BYTES = 64;
/** Interval at which noise is generated, s. */
const NOISE_S = 0.001;

export type FaultRates<Fault extends string = LineFault> = Record<Fault, number>;

/** Returns a rate of 0 for each fault. */
function noRates<Fault extends string>(faults: readonly Fault[]): FaultRates<Fault> {
  return Object.fromEntries(faults.map((name) => [name, 0])) as FaultRates<Fault>;
}

/** Faults apply to packets, as the device transmits them in one piece. For tests and emulators: allocates. */
export class FaultyDevice implements EmulatedDevice {
  /** Fault rates of replies. Mutable: they apply from the next packet on. */
  readonly replies: FaultRates = noRates(Object.keys(LINE_FAULTS) as LineFault[]);
  /** Fault rates of requests to the device, likewise. */
  readonly requests: FaultRates<RequestFault> = noRates(REQUEST_FAULTS);
  /** Random bytes inserted per second. */
  noiseBytesPerS = 0;
  readonly #device: EmulatedDevice;
  readonly #shape: PacketShape;
  readonly #byteS: number;
  readonly #rng: Rng;
  readonly #planned: PacketFault[] = [];
  #last: Uint8Array | undefined;
  #noiseS: number | undefined;
  #befallen = 0;

  /** `byteS`: duration of a byte on the line, s. */
  constructor(device: EmulatedDevice, shape: PacketShape, byteS: number, rng: Rng) {
    this.#device = device;
    this.#shape = shape;
    this.#byteS = byteS;
    this.#rng = rng;
  }

  /** Faults applied so far; `drop` and `flip` count once per byte. */
  get befallen(): number {
    return this.#befallen;
  }

  /** Plans one fault for each of the next replies. */
  plan(...faults: readonly PacketFault[]): void {
    this.#planned.push(...faults);
  }

  receive(bytes: Uint8Array, count: number, atS: number, transmit: Transmit): void {
    const heard: number[] = [];
    if (this.#befalls(this.requests.garbage)) heard.push(...this.#garbage());
    for (let i = 0; i < count; i++) {
      if (this.#befalls(this.requests.drop)) continue;
      heard.push(this.#befalls(this.requests.flip) ? bytes[i]! ^ (1 << this.#rng.int(8)) : bytes[i]!);
    }
    this.#device.receive(Uint8Array.from(heard), heard.length, atS, (packet, whenS) =>
      this.#reply(packet, whenS, transmit),
    );
  }

  advance(nowS: number, transmit: Transmit): void {
    this.#device.advance(nowS, (packet, whenS) => this.#reply(packet, whenS, transmit));
    this.#makeNoise(nowS, transmit);
  }

  powerCycle(): void {
    this.#device.powerCycle();
  }

  #reply(packet: Uint8Array, atS: number, transmit: Transmit): void {
    const planned = this.#planned.shift();
    if (planned !== undefined) {
      this.#befallen++;
      this.#befall(planned, packet, atS, transmit);
    } else {
      this.#befallByRate(packet, atS, transmit);
    }
    this.#last = packet.slice();
  }

  /** One packet may have several faults. */
  #befallByRate(packet: Uint8Array, atS: number, transmit: Transmit): void {
    const { replies } = this;
    const rng = this.#rng;
    let bytes = packet;
    let whenS = atS;
    if (this.#befalls(replies.stale)) bytes = this.#last ?? bytes;
    if (this.#befalls(replies.wrongId)) bytes = this.#withId(bytes, rng.int(253));
    if (replies.drop > 0) bytes = bytes.filter(() => !this.#befalls(replies.drop));
    if (replies.flip > 0) bytes = bytes.map((byte) => (this.#befalls(replies.flip) ? byte ^ (1 << rng.int(8)) : byte));
    if (this.#befalls(replies.delay)) whenS += rng.uniform() * DELAY_MAX_S;
    if (this.#befalls(replies.garbage)) bytes = Uint8Array.from([...this.#garbage(), ...bytes]);
    const twice = this.#befalls(replies.duplicate);
    if (this.#befalls(replies.split)) {
      this.#split(bytes, rng.int(bytes.length + 1), whenS, rng.uniform() * GAP_MAX_S, transmit);
    } else {
      transmit(bytes, whenS);
    }
    if (twice) transmit(bytes, whenS + bytes.length * this.#byteS);
  }

  #befall(fault: PacketFault, packet: Uint8Array, atS: number, transmit: Transmit): void {
    if (fault.kind === 'split') {
      this.#split(packet, fault.at, atS, fault.gapS, transmit);
      return;
    }
    transmit(this.#changed(fault, packet), fault.kind === 'delay' ? atS + fault.seconds : atS);
    if (fault.kind === 'duplicate') transmit(packet, atS + packet.length * this.#byteS);
  }

  #changed(fault: PacketFault, packet: Uint8Array): Uint8Array {
    switch (fault.kind) {
      case 'drop':
        return packet.filter((_, i) => i < fault.at || i >= fault.at + fault.count);
      case 'flip':
        return packet.map((byte, i) => (i === fault.bit >> 3 ? byte ^ (1 << (fault.bit & 7)) : byte));
      case 'garbage':
        return Uint8Array.from([...fault.bytes, ...packet]);
      case 'wrongId':
        return this.#withId(packet, fault.id);
      case 'stale':
        return this.#last ?? packet;
      default:
        return packet;
    }
  }

  #befalls(rate: number): boolean {
    if (rate <= 0 || this.#rng.uniform() >= rate) return false;
    this.#befallen++;
    return true;
  }

  #withId(packet: Uint8Array, id: number): Uint8Array {
    const forged = packet.slice();
    forged[this.#shape.idAt] = id;
    this.#shape.seal(forged);
    return forged;
  }

  #garbage(): Uint8Array {
    return this.#random(1 + this.#rng.int(GARBAGE_MAX_BYTES));
  }

  #random(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#rng.int(256));
  }

  #makeNoise(nowS: number, transmit: Transmit): void {
    if (this.noiseBytesPerS <= 0) {
      this.#noiseS = undefined;
      return;
    }
    this.#noiseS ??= nowS;
    // After a pause, only the last moments are made up for.
    this.#noiseS = Math.max(this.#noiseS, nowS - 100 * NOISE_S);
    for (; this.#noiseS + NOISE_S <= nowS; this.#noiseS += NOISE_S) {
      const mean = this.noiseBytesPerS * NOISE_S;
      const count = Math.floor(mean) + (this.#rng.uniform() < mean % 1 ? 1 : 0);
      if (count > 0) transmit(this.#random(count), this.#noiseS);
    }
  }

  #split(packet: Uint8Array, at: number, atS: number, gapS: number, transmit: Transmit): void {
    const first = Math.min(packet.length, Math.max(0, at));
    if (first > 0) transmit(packet.slice(0, first), atS);
    if (first < packet.length) transmit(packet.slice(first), atS + first * this.#byteS + gapS);
  }
}
