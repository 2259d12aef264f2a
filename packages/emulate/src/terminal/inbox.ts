/** Bytes written by the host, from the thread that reads the port to the device's thread: chunks with their times of arrival. */

const SLOTS = 64;
const SLOT_BYTES = 4096;
/** Indices of the control words. */
const HEAD = 0;
const TAIL = 1;
const STOP = 2;
const DONE = 3;
const UP = 4;
const HEADER_BYTES = 32;

/** Memory shared by both threads. */
export class Inbox {
  readonly memory: SharedArrayBuffer;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #atS: Float64Array;
  readonly #length: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(HEADER_BYTES + SLOTS * (8 + 4 + SLOT_BYTES))) {
    this.memory = memory;
    this.#control = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#atS = new Float64Array(memory, HEADER_BYTES, SLOTS);
    this.#length = new Int32Array(memory, HEADER_BYTES + 8 * SLOTS, SLOTS);
    this.#bytes = new Uint8Array(memory, HEADER_BYTES + 12 * SLOTS, SLOTS * SLOT_BYTES);
  }

  /** Reader: returns the buffer of the next chunk. Blocks while there is no room. */
  room(): Uint8Array {
    const head = Atomics.load(this.#control, HEAD);
    for (;;) {
      const tail = Atomics.load(this.#control, TAIL);
      if (((head - tail) | 0) < SLOTS || this.isStopped) break;
      Atomics.wait(this.#control, TAIL, tail, 100);
    }
    const slot = (head >>> 0) % SLOTS;
    return this.#bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES);
  }

  /** Reader: hands over `count` bytes in `room`, which arrived at `atS`. */
  put(count: number, atS: number): void {
    const head = Atomics.load(this.#control, HEAD);
    const slot = (head >>> 0) % SLOTS;
    this.#length[slot] = count;
    this.#atS[slot] = atS;
    Atomics.store(this.#control, HEAD, (head + 1) | 0);
    Atomics.notify(this.#control, HEAD);
  }

  /** Device: passes the oldest chunk to `use`, if there is one. `bytes` are valid during the call only. */
  take(use: (bytes: Uint8Array, atS: number) => void): boolean {
    const tail = Atomics.load(this.#control, TAIL);
    if (Atomics.load(this.#control, HEAD) === tail) return false;
    const slot = (tail >>> 0) % SLOTS;
    use(this.#bytes.subarray(slot * SLOT_BYTES, slot * SLOT_BYTES + this.#length[slot]!), this.#atS[slot]!);
    Atomics.store(this.#control, TAIL, (tail + 1) | 0);
    Atomics.notify(this.#control, TAIL);
    return true;
  }

  /** Device: waits for a chunk, for at most `ms`. */
  wait(ms: number): void {
    const tail = Atomics.load(this.#control, TAIL);
    if (ms > 0) Atomics.wait(this.#control, HEAD, tail, ms);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#control, STOP) === 1;
  }

  /** Requests the end of the reader, which notices it when its read returns. */
  stop(): void {
    Atomics.store(this.#control, STOP, 1);
    Atomics.notify(this.#control, TAIL);
  }

  /** Reader: reports that it has started to read. */
  up(): void {
    Atomics.store(this.#control, UP, 1);
    Atomics.notify(this.#control, UP);
  }

  /** Waits for the reader to start, for at most `ms`. Returns true if it has. */
  waitUp(ms: number): boolean {
    return Atomics.wait(this.#control, UP, 0, ms) !== 'timed-out';
  }

  /** Reader: reports that it has ended, and uses the descriptor no more. */
  done(): void {
    Atomics.store(this.#control, DONE, 1);
    Atomics.notify(this.#control, DONE);
  }

  /** Waits for the reader to end, for at most `ms`. Returns true if it has. */
  waitDone(ms: number): boolean {
    return Atomics.wait(this.#control, DONE, 0, ms) !== 'timed-out';
  }
}
