/** The newest transitions in typed arrays. */
import type { Transition } from '../../core/index.ts';

/** Rows that are allocated at first; the arrays double from there up to the capacity. */
const FIRST_ROWS = 4096;

/** Logical indices [from, to) of rows. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A ring of transitions with their sizes fixed. Rows have logical indices that never change: the n-th row ever
 * pushed is row n, until it is overwritten `capacity` pushes later. The next observation is stored with each row, so
 * a row is whole by itself and nothing is ever paired across segments.
 */
export class TransitionRing {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly capacity: number;
  #rows = 0;
  #count = 0;
  #observation: Float32Array = new Float32Array(0);
  #nextObservation: Float32Array = new Float32Array(0);
  #executed: Float32Array = new Float32Array(0);
  #reward: Float32Array = new Float32Array(0);
  #filterActivity: Float32Array = new Float32Array(0);
  #tankDrainJ: Float32Array = new Float32Array(0);
  #bootstrap: Float32Array = new Float32Array(0);
  #visibleFrom: Float64Array = new Float64Array(0);

  constructor(observationSize: number, actionSize: number, capacity: number) {
    this.observationSize = observationSize;
    this.actionSize = actionSize;
    this.capacity = capacity;
  }

  /** Rows ever pushed. */
  get count(): number {
    return this.#count;
  }

  /** The oldest row that is still held. */
  get oldest(): number {
    return Math.max(0, this.#count - this.capacity);
  }

  /**
   * Copies `transition` in. `visibleFrom`: the number of accepted online transitions from which on an update may see
   * this row; must not fall from push to push.
   */
  push(transition: Transition, visibleFrom: number): void {
    if (this.#count === this.#rows && this.#rows < this.capacity) this.#grow();
    const row = this.#count % this.capacity;
    this.#observation.set(transition.observation, row * this.observationSize);
    this.#nextObservation.set(transition.nextObservation, row * this.observationSize);
    this.#executed.set(transition.executed, row * this.actionSize);
    this.#reward[row] = transition.reward;
    this.#filterActivity[row] = transition.cost;
    this.#tankDrainJ[row] = transition.tankDrainJ;
    // A cut episode goes on from the next observation; only an end by the task itself has no future.
    this.#bootstrap[row] = transition.terminated ? 0 : 1;
    this.#visibleFrom[row] = visibleFrom;
    this.#count++;
  }

  /** Writes row `index` at `slot` of the batch. */
  copyRow(index: number, batch: BatchColumns, slot: number): void {
    const row = index % this.capacity;
    const [O, A] = [this.observationSize, this.actionSize];
    // Plain loops: for some hundred numbers they beat a subarray and its allocation.
    for (let i = 0, from = row * O, to = slot * O; i < O; i++, from++, to++) {
      batch.observation[to] = this.#observation[from]!;
      batch.nextObservation[to] = this.#nextObservation[from]!;
    }
    for (let i = 0; i < A; i++) batch.action[slot * A + i] = this.#executed[row * A + i]!;
    batch.reward[slot] = this.#reward[row]!;
    batch.filterActivity[slot] = this.#filterActivity[row]!;
    batch.tankDrainJ[slot] = this.#tankDrainJ[row]!;
    batch.bootstrap[slot] = this.#bootstrap[row]!;
  }

  /** Rows that may be seen once `visibleCount` online transitions count, oldest first; at most `window` of them. */
  visible(visibleCount: number, window: number): RowRange {
    let low = this.oldest;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#visibleFrom[middle % this.capacity]! <= visibleCount) low = middle + 1;
      else high = middle;
    }
    return { from: Math.max(this.oldest, low - window), to: low };
  }

  #grow(): void {
    this.#rows = Math.min(this.capacity, Math.max(FIRST_ROWS, this.#rows * 2));
    const larger = (old: Float32Array, width: number) => {
      const array = new Float32Array(this.#rows * width);
      array.set(old);
      return array;
    };
    this.#observation = larger(this.#observation, this.observationSize);
    this.#nextObservation = larger(this.#nextObservation, this.observationSize);
    this.#executed = larger(this.#executed, this.actionSize);
    this.#reward = larger(this.#reward, 1);
    this.#filterActivity = larger(this.#filterActivity, 1);
    this.#tankDrainJ = larger(this.#tankDrainJ, 1);
    this.#bootstrap = larger(this.#bootstrap, 1);
    const visibleFrom = new Float64Array(this.#rows);
    visibleFrom.set(this.#visibleFrom);
    this.#visibleFrom = visibleFrom;
  }
}

/** A batch as columns of B rows each; filled slot by slot. */
export interface BatchColumns {
  /** [B, O] */
  readonly observation: Float32Array;
  /** [B, O] */
  readonly nextObservation: Float32Array;
  /** [B, A] executed actions, normalised. */
  readonly action: Float32Array;
  /** [B] */
  readonly reward: Float32Array;
  /** [B] the costs of each step: share of its ticks that the filters changed, and energy taken from the tank, J. */
  readonly filterActivity: Float32Array;
  readonly tankDrainJ: Float32Array;
  /** [B] m = 1 − terminated. */
  readonly bootstrap: Float32Array;
}
