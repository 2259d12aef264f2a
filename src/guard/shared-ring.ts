/**
 * Rows of doubles that one thread writes and another reads without locks. The writer fills the slot after the newest
 * and then publishes it by raising a counter (a sequentially consistent store, so the row is whole for whoever sees
 * the count). A reader that copied a row checks afterwards that the writer has not come round to it meanwhile.
 */

/** The memory of one ring, as it is handed to another thread. */
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

  /** Where the next row begins. Tick-safe. */
  offset(): number {
    return (this.#count & (this.#memory.slots - 1)) * this.#memory.rowNumbers;
  }

  /**
   * Makes the row that was filled the newest. Wakes nobody: `Atomics.notify` and `Atomics.waitAsync` share one lock, and a
   * reader that is preempted while it holds the lock would hold up a writer of higher priority. Tick-safe.
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

  /** How many rows have been written since the last one taken. Tick-safe. */
  available(): number {
    return (Atomics.load(this.#counter, 0) - this.#taken) | 0;
  }

  /** Copies the oldest row that is still there into `out`; false when there is no new one. Tick-safe. */
  takeNext(out: Float64Array): boolean {
    for (;;) {
      const available = this.available();
      if (available <= 0) return false;
      // The slot that is being written now is not readable: one slot less than there are.
      if (available >= this.#memory.slots) this.#taken = (this.#taken + available - this.#memory.slots + 1) | 0;
      if (this.#copy(this.#taken, out)) {
        this.#taken = (this.#taken + 1) | 0;
        return true;
      }
    }
  }

  /** Copies the newest row into `out` and leaves out the older ones; false when there is no new one. Tick-safe. */
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
    // A read-modify-write, so that no machine may read the row after the counter.
    const count = Atomics.add(this.#counter, 0, 0);
    return ((count - index) | 0) < slots;
  }
}
