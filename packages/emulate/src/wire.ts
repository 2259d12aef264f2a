/** The line between adapter and devices: when each byte is on it, when it has come, and what becomes of two that speak at once. */

/** Start, eight data bits, stop. */
const BITS_PER_BYTE = 10;
/** Bytes under way; what a device says beyond is lost, as where a buffer overruns. A power of two. */
const CAPACITY = 1 << 16;

export interface WireOptions {
  /** Bits a second, at the devices' end. */
  readonly baud: number;
  /**
   * The adapter hands over what has come at the whole multiples of this, s (a USB frame is 0.001, an FTDI chip's latency timer up to
   * 0.016). Default 0: byte by byte.
   */
  readonly latencyS?: number | undefined;
}

/**
 * One half-duplex line. Bytes of devices whose times overlap collide: what the adapter reads is the AND of both, as the dominant level
 * of a shared wire is low. Nothing allocates after construction.
 */
export class Wire {
  readonly byteS: number;
  readonly latencyS: number;
  readonly #bytes: Uint8Array = new Uint8Array(CAPACITY);
  /** When each byte has come, s; never falls from one to the next. */
  readonly #dueS: Float64Array = new Float64Array(CAPACITY);
  #first = 0;
  #count = 0;
  #hostFreeS = Number.NEGATIVE_INFINITY;
  #collisions = 0;
  #lost = 0;

  constructor({ baud, latencyS = 0 }: WireOptions) {
    if (!(baud > 0)) throw new RangeError(`a line has a baud rate above 0, got ${baud}`);
    this.byteS = BITS_PER_BYTE / baud;
    this.latencyS = latencyS;
  }

  /** Bytes that met others on the line, so far. */
  get collisions(): number {
    return this.#collisions;
  }

  /** Bytes for which there was no room, so far. */
  get lost(): number {
    return this.#lost;
  }

  /** The host hands `count` bytes over at `nowS`. Returns when the last of them has arrived at the devices. */
  fromHost(count: number, nowS: number): number {
    this.#hostFreeS = Math.max(this.#hostFreeS, nowS) + count * this.byteS;
    return this.#hostFreeS;
  }

  /** A device puts the first `count` of `bytes` on the line, the first of them from `atS` on. */
  fromDevice(bytes: Uint8Array, count: number, atS: number): void {
    for (let i = 0; i < count; i++) this.#place(bytes[i]!, atS + (i + 1) * this.byteS);
  }

  /** When the next byte can be taken; `Infinity` where none is under way. */
  get nextS(): number {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#delivered(this.#dueS[this.#first]!);
  }

  /** When the last byte that is under way can be taken; −Infinity where none is. */
  get lastS(): number {
    return this.#count === 0 ? Number.NEGATIVE_INFINITY : this.#delivered(this.#dueS[this.#index(this.#count - 1)]!);
  }

  /** Moves what can be taken by `nowS` into `into`, from `at` on. Returns how many bytes. */
  take(into: Uint8Array, at: number, nowS: number): number {
    let taken = 0;
    while (this.#count > 0 && at + taken < into.length && this.#delivered(this.#dueS[this.#first]!) <= nowS) {
      into[at + taken++] = this.#bytes[this.#first]!;
      this.#first = this.#index(1);
      this.#count--;
    }
    return taken;
  }

  /** Forgets what is under way: the plug is pulled. */
  clear(): void {
    this.#count = 0;
    this.#hostFreeS = Number.NEGATIVE_INFINITY;
  }

  #place(byte: number, dueS: number): void {
    // From the newest backwards: those that end more than a byte later are not touched.
    for (let k = this.#count - 1; k >= 0; k--) {
      const other = this.#index(k);
      if (this.#dueS[other]! <= dueS - this.byteS + 1e-9) break;
      if (this.#dueS[other]! < dueS + this.byteS - 1e-9) {
        // Off by more than half a bit, its bits meet others.
        const isAligned = Math.abs(this.#dueS[other]! - dueS) < this.byteS / (2 * BITS_PER_BYTE);
        this.#bytes[other]! &= isAligned ? byte : (byte << 1) | (byte >> 7);
        this.#collisions++;
        return;
      }
    }
    if (this.#count === CAPACITY) {
      this.#lost++;
      return;
    }
    let k = this.#count++;
    // In the order of their times: a reply may be put before a later one.
    for (; k > 0 && this.#dueS[this.#index(k - 1)]! > dueS; k--) {
      this.#bytes[this.#index(k)] = this.#bytes[this.#index(k - 1)]!;
      this.#dueS[this.#index(k)] = this.#dueS[this.#index(k - 1)]!;
    }
    this.#bytes[this.#index(k)] = byte;
    this.#dueS[this.#index(k)] = dueS;
  }

  #delivered(dueS: number): number {
    return this.latencyS > 0 ? Math.ceil(dueS / this.latencyS - 1e-9) * this.latencyS : dueS;
  }

  #index(k: number): number {
    return (this.#first + k) & (CAPACITY - 1);
  }
}
