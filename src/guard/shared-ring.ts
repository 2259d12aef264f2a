/**
 * Lock-free ring of rows of doubles, written by one thread and read by others. The writer fills the slot after the newest
 * and publishes it by incrementing a counter (a sequentially consistent store, so that a reader that sees the count sees the
 * whole row). A reader verifies after copying a row that the writer has not overtaken it.
 */

/** Memory of one ring, passed to another thread. */
export interface SharedRingMemory {
  readonly rowNumbers: number;
  /** A power of two, ≥ 4. */
  readonly slots: number;
  readonly counter: SharedArrayBuffer;
  readonly rows: SharedArrayBuffer;
}

export function createSharedRingMemory(rowNumbers: number, slots: number): SharedRingMemory {
  if (slots < 4 || (slots & (slots - 1)) !== 0) throw new RangeError(`slots must be a power of two ≥ 4, got ${slots}`);
  return {
    rowNumbers,
    slots,
    counter: new SharedArrayBuffer(4),
    rows: new SharedArrayBuffer(8 * rowNumbers * slots),
  };
}

/** The writing end. One per ring. */
export class SharedRingWriter {
  /** All rows: fill `rows` from `offset()` on, then call `publish`. */
  readonly rows: Float64Array;
  readonly #counter: Int32Array;
  readonly #memory: SharedRingMemory;
  #count = 0;

  constructor(memory: SharedRingMemory) {
    this.#memory = memory;
    this.rows = new Float64Array(memory.rows);
    this.#counter = new Int32Array(memory.counter);
  }

  /** Offset of the next row. Tick-safe. */
  offset(): number {
    return (this.#count & (this.#memory.slots - 1)) * this.#memory.rowNumbers;
  }

  /**
   * Publishes the filled row as the newest. Notifies no reader: `Atomics.notify` and `Atomics.waitAsync` share one lock, and a
   * reader preempted while holding it would delay a writer of higher priority. Tick-safe.
   */
  publish(): void {
    this.#count = (this.#count + 1) | 0;
    Atomics.store(this.#counter, 0, this.#count);
  }
}

/** The reading end. Several may read one ring. */
export class SharedRingReader {
  readonly rows: Float64Array;
  readonly #counter: Int32Array;
  readonly #memory: SharedRingMemory;
  #taken: number;

  /** Starts with the next row to be written. */
  constructor(memory: SharedRingMemory) {
    this.#memory = memory;
    this.rows = new Float64Array(memory.rows);
    this.#counter = new Int32Array(memory.counter);
    this.#taken = Atomics.load(this.#counter, 0);
  }

  /** Number of rows written since the last one taken. Tick-safe. */
  available(): number {
    return (Atomics.load(this.#counter, 0) - this.#taken) | 0;
  }

  /** Copies the oldest row still available into `out`; false if there is no new one. Tick-safe. */
  takeNext(out: Float64Array): boolean {
    for (;;) {
      const available = this.available();
      if (available <= 0) return false;
      // The slot being written is not readable: one slot less than the total.
      if (available >= this.#memory.slots) this.#taken = (this.#taken + available - this.#memory.slots + 1) | 0;
      if (this.#copy(this.#taken, out)) {
        this.#taken = (this.#taken + 1) | 0;
        return true;
      }
    }
  }

  /** Copies the newest row into `out` and skips older ones; false if there is no new one. Tick-safe. */
  takeNewest(out: Float64Array): boolean {
    const available = this.available();
    if (available <= 0) return false;
    this.#taken = (this.#taken + available - 1) | 0;
    return this.takeNext(out);
  }

  #copy(index: number, out: Float64Array): boolean {
    const { rowNumbers, slots } = this.#memory;
    const offset = (index & (slots - 1)) * rowNumbers;
    for (let i = 0; i < rowNumbers; i++) out[i] = this.rows[offset + i]!;
    // A read-modify-write, so that no CPU may reorder the row's reads after the counter's.
    const count = Atomics.add(this.#counter, 0, 0);
    return ((count - index) | 0) < slots;
  }
}
