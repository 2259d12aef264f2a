/** Line between adapter and devices: transmission and arrival of each byte, and collisions of simultaneous senders. */

/** Start, eight data bits, stop. */
const BITS_PER_BYTE = 10;
/** Bytes in transit; more are lost, as in a buffer overrun. A power of two. */
const CAPACITY = 1 << 16;

export interface WireOptions {
  /** Baud rate of the devices. */
  readonly baud: number;
  /**
   * The adapter delivers received bytes at whole multiples of this, s (a USB frame is 0.001, an FTDI chip's latency timer up to 0.016).
   * Default 0: byte by byte.
   */
  readonly latencyS?: number | undefined;
}

/**
 * One half-duplex line. Bytes of devices that overlap in time collide: the adapter reads the AND of both, as the dominant level of a
 * shared wire is low. Nothing allocates after construction.
 */
export class Wire {
  readonly byteS: number;
  readonly latencyS: number;
  readonly #bytes: Uint8Array = new Uint8Array(CAPACITY);
  /** Arrival time of each byte, s; never decreases from one to the next. */
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

  /** Bytes that have collided so far. */
  get collisions(): number {
    return this.#collisions;
  }

  /** Bytes lost so far for lack of room. */
  get lost(): number {
    return this.#lost;
  }

  /** Sends `count` bytes from the host at `nowS`. Returns the time at which the last of them arrives at the devices. */
  fromHost(count: number, nowS: number): number {
    this.#hostFreeS = Math.max(this.#hostFreeS, nowS) + count * this.byteS;
    return this.#hostFreeS;
  }

  /** Sends the first `count` of `bytes` from a device, beginning at `atS`. */
  fromDevice(bytes: Uint8Array, count: number, atS: number): void {
    for (let i = 0; i < count; i++) this.#place(bytes[i]!, atS + (i + 1) * this.byteS);
  }

  /** Time at which the next byte can be taken; `Infinity` if none is in transit. */
  get nextS(): number {
    return this.#count === 0 ? Number.POSITIVE_INFINITY : this.#delivered(this.#dueS[this.#first]!);
  }

  /** Time at which the last byte in transit can be taken; −Infinity if there is none. */
  get lastS(): number {
    return this.#count === 0 ? Number.NEGATIVE_INFINITY : this.#delivered(this.#dueS[this.#index(this.#count - 1)]!);
  }

  /** Moves the bytes delivered by `nowS` into `into`, from `at` on. Returns their number. */
  take(into: Uint8Array, at: number, nowS: number): number {
    let taken = 0;
    while (this.#count > 0 && at + taken < into.length && this.#delivered(this.#dueS[this.#first]!) <= nowS) {
      into[at + taken++] = this.#bytes[this.#first]!;
      this.#first = this.#index(1);
      this.#count--;
    }
    return taken;
  }

  /** Discards all bytes in transit, as when the plug is pulled. */
  clear(): void {
    this.#count = 0;
    this.#hostFreeS = Number.NEGATIVE_INFINITY;
  }

  #place(byte: number, dueS: number): void {
    // From the newest backwards: those that end more than a byte later are unaffected.
    for (let k = this.#count - 1; k >= 0; k--) {
      const other = this.#index(k);
      if (this.#dueS[other]! <= dueS - this.byteS + 1e-9) break;
      if (this.#dueS[other]! < dueS + this.byteS - 1e-9) {
        // Misaligned by more than half a bit, its bits overlap with other ones.
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
    // Sorted by time: a reply may be inserted before a later one.
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
