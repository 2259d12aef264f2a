/** Ring buffer of the newest transitions in typed arrays. */
import type { Rng } from '../../model/index.ts';
import type { Transition } from '../../rows/index.ts';
import { type FrameStorage, ObservationStore } from './observation-store.ts';

/** Rows allocated at first, fewer if they are large; the arrays then double up to the capacity. */
const FIRST_ROWS = 4096;
const FIRST_BYTES = 2 ** 22;
/** Random redraws of an excluded row before the next row that is not excluded is taken. */
const REDRAWS = 64;
/** Index of a row that does not exist. */
export const NO_ROW = -1;
/**
 * Return of a row whose episode is not complete: the lowest finite float32, which never raises a critic's value. −∞ would
 * turn every product with it into NaN.
 */
export const NO_RETURN: number = -(2 - 2 ** -23) * 2 ** 127;

/** Logical indices [from, to) of rows. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
  /** Online transitions that count, for returns that are known only later. Absent: all. */
  readonly visibleCount?: number;
}

/** Variants of the frames of a transition's observation and next observation, [V, size] each. */
export interface RowFrames {
  readonly observation: Float32Array;
  readonly nextObservation: Float32Array;
}

/**
 * A ring of transitions of fixed size. Rows have logical indices that never change: the n-th row ever pushed is row n,
 * until it is overwritten `capacity` pushes later. The next observation is stored with each row, so a row is
 * self-contained; the row that continues it is stored if there is one.
 */
export class TransitionRing {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly capacity: number;
  readonly frame: FrameStorage | undefined;
  readonly #observation: ObservationStore;
  readonly #nextObservation: ObservationStore;
  #rows = 0;
  #count = 0;
  #executed: Float32Array = new Float32Array(0);
  #reward: Float32Array = new Float32Array(0);
  #cost: Float32Array = new Float32Array(0);
  #tankDrainJ: Float32Array = new Float32Array(0);
  #bootstrap: Float32Array = new Float32Array(0);
  #visibleFrom: Float64Array = new Float64Array(0);
  /** Logical index of the row that continues this one, or `NO_ROW`. */
  #successor: Float64Array = new Float64Array(0);
  #return: Float32Array = new Float32Array(0);
  /** Number of online transitions from which the return is known; ∞: unknown. */
  #returnFrom: Float64Array = new Float64Array(0);
  /** Later amendments of single rows, with the number of online transitions from which they apply. */
  readonly #leftOut = new Map<number, number>();
  readonly #deducted = new Map<number, { readonly amount: number; readonly from: number }>();

  constructor(observationSize: number, actionSize: number, capacity: number, frame?: FrameStorage) {
    this.observationSize = observationSize;
    this.actionSize = actionSize;
    this.capacity = capacity;
    this.frame = frame;
    this.#observation = new ObservationStore(observationSize, frame);
    this.#nextObservation = new ObservationStore(observationSize, frame);
  }

  /** Rows ever pushed. */
  get count(): number {
    return this.#count;
  }

  /** The oldest row that is still stored. */
  get oldest(): number {
    return Math.max(0, this.#count - this.capacity);
  }

  /**
   * Stores a copy of `transition` and returns its row. `visibleFrom`: number of accepted online transitions from which an
   * update may see this row; must not decrease from push to push. `follows`: the row that it continues, or `NO_ROW`.
   * `frames`: variants in place of its own frames.
   */
  push(transition: Transition, visibleFrom: number, follows: number = NO_ROW, frames?: RowFrames): number {
    if (this.#count === this.#rows && this.#rows < this.capacity) this.#grow();
    const index = this.#count++;
    const row = index % this.capacity;
    this.#observation.put(row, transition.observation, frames?.observation);
    this.#nextObservation.put(row, transition.nextObservation, frames?.nextObservation);
    this.#executed.set(transition.executed, row * this.actionSize);
    this.#reward[row] = transition.reward;
    this.#cost[row] = transition.cost;
    this.#tankDrainJ[row] = transition.tankDrainJ;
    // A truncated episode continues from the next observation; only a termination by the task has no future.
    this.#bootstrap[row] = transition.terminated ? 0 : 1;
    this.#visibleFrom[row] = visibleFrom;
    this.#successor[row] = NO_ROW;
    this.#returnFrom[row] = Number.POSITIVE_INFINITY;
    this.#leftOut.delete(index - this.capacity);
    this.#deducted.delete(row);
    if (follows >= this.oldest) this.#successor[follows % this.capacity] = index;
    return index;
  }

  /** Sets the return of row `index` to the end of its episode, visible to updates once `from` online transitions count. */
  setReturn(index: number, value: number, from: number): void {
    if (index < this.oldest) return;
    this.#return[index % this.capacity] = value;
    this.#returnFrom[index % this.capacity] = from;
  }

  /** Excludes row `index` from sampling once `from` online transitions count. */
  leaveOut(index: number, from: number): void {
    if (index >= this.oldest) this.#leftOut.set(index, from);
  }

  /** Deducts `amount` from the reward of row `index` once `from` online transitions count. */
  deduct(index: number, amount: number, from: number): void {
    if (index >= this.oldest) this.#deducted.set(index % this.capacity, { amount, from });
  }

  /** Samples a row of the non-empty `range`: `first`, or if that is excluded, another one by `rng`, then the next. */
  drawn(first: number, range: RowRange, rng: Rng): number {
    const size = range.to - range.from;
    let index = first;
    for (let tries = 0; tries < REDRAWS && this.#isLeftOut(index, range); tries++) index = range.from + rng.int(size);
    // If all are excluded, there is nothing better to learn from.
    for (let i = 0; i < size && this.#isLeftOut(index, range); i++)
      index = index + 1 < range.to ? index + 1 : range.from;
    return index;
  }

  /**
   * Writes row `index` at `slot` of the batch: one step, or up to `reading.steps` steps as far as rows below `range.to` continue it.
   * The result depends only on the rows visible in `range`, not on later ones.
   */
  copyRow(index: number, batch: BatchColumns, slot: number, reading?: RowReading, range?: RowRange): void {
    const first = index % this.capacity;
    const last = this.#copyRewards(first, batch, slot, reading, range);
    const [O, A] = [this.observationSize, this.actionSize];
    this.#observation.copy(first, this.#variant(reading?.rng), batch.observation, slot * O);
    this.#nextObservation.copy(last, this.#variant(reading?.rng), batch.nextObservation, slot * O);
    for (let i = 0; i < A; i++) batch.action[slot * A + i] = this.#executed[first * A + i]!;
    batch.bootstrap[slot] = this.#bootstrap[last]!;
    if (batch.monteCarloReturn !== undefined) {
      const isKnown = this.#returnFrom[first]! <= (range?.visibleCount ?? Number.MAX_VALUE);
      batch.monteCarloReturn[slot] = isKnown ? this.#return[first]! : NO_RETURN;
    }
  }

  /** Writes the observation of row `index` to `out` [O], with the first variant of its frame. */
  copyObservation(index: number, out: Float32Array): void {
    this.#observation.copy(index % this.capacity, 0, out, 0);
  }

  /** Mean cost of the steps of rows [`from`, `to`), all still stored; 0 for no rows. */
  meanCost({ from, to }: RowRange, column: 'cost' | 'tankDrainJ'): number {
    const costs = column === 'cost' ? this.#cost : this.#tankDrainJ;
    let sum = 0;
    for (let index = from; index < to; index++) sum += costs[index % this.capacity]!;
    return sum / Math.max(1, to - from);
  }

  /** Rows visible once `visibleCount` online transitions count, oldest first; at most `window` of them. */
  visible(visibleCount: number, window: number): RowRange {
    let low = this.oldest;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#visibleFrom[middle % this.capacity]! <= visibleCount) low = middle + 1;
      else high = middle;
    }
    return { from: Math.max(this.oldest, low - window), to: low, visibleCount };
  }

  /** Σ γⁱ·r, costs alike, over the steps from `row` on, Σ γⁱ and γᵏ; returns the last step's row. */
  #copyRewards(
    row: number,
    batch: BatchColumns,
    slot: number,
    reading: RowReading | undefined,
    range: RowRange | undefined,
  ): number {
    const { steps, discount } = reading ?? ONE_STEP;
    const to = range?.to ?? this.#count;
    let reward = this.#rewardOf(row, range);
    let cost = this.#cost[row]!;
    let drainJ = this.#tankDrainJ[row]!;
    let last = row;
    let power = 1;
    let sum = 1;
    for (let k = 1; k < steps; k++) {
      const next = this.#successor[last]!;
      // No row continues it, or none that is visible yet.
      if (next === NO_ROW || next >= to) break;
      last = next % this.capacity;
      power *= discount;
      sum += power;
      reward += power * this.#rewardOf(last, range);
      cost += power * this.#cost[last]!;
      drainJ += power * this.#tankDrainJ[last]!;
    }
    batch.reward[slot] = reward;
    batch.filterActivity[slot] = cost;
    batch.tankDrainJ[slot] = drainJ;
    if (batch.cost !== undefined) batch.cost[slot] = cost;
    if (batch.discountSum !== undefined) batch.discountSum[slot] = sum;
    if (batch.discountPower !== undefined) batch.discountPower[slot] = power * discount;
    return last;
  }

  #rewardOf(row: number, range: RowRange | undefined): number {
    const reward = this.#reward[row]!;
    const deducted = this.#deducted.size === 0 ? undefined : this.#deducted.get(row);
    if (deducted === undefined || deducted.from > (range?.visibleCount ?? Number.MAX_VALUE)) return reward;
    return reward - deducted.amount;
  }

  #isLeftOut(index: number, { visibleCount }: RowRange): boolean {
    return (
      this.#leftOut.size > 0 &&
      (this.#leftOut.get(index) ?? Number.POSITIVE_INFINITY) <= (visibleCount ?? Number.MAX_VALUE)
    );
  }

  #variant(rng: Rng | undefined): number {
    return rng === undefined || this.frame === undefined || this.frame.variants === 1
      ? 0
      : rng.int(this.frame.variants);
  }

  #grow(): void {
    const bytes = this.#observation.rowBytes + this.#nextObservation.rowBytes;
    const first = Math.min(FIRST_ROWS, Math.max(64, Math.floor(FIRST_BYTES / bytes)));
    this.#rows = Math.min(this.capacity, this.#rows === 0 ? first : 2 * this.#rows);
    this.#observation.grow(this.#rows);
    this.#nextObservation.grow(this.#rows);
    this.#executed = grown(this.#executed, this.#rows * this.actionSize);
    this.#reward = grown(this.#reward, this.#rows);
    this.#cost = grown(this.#cost, this.#rows);
    this.#tankDrainJ = grown(this.#tankDrainJ, this.#rows);
    this.#bootstrap = grown(this.#bootstrap, this.#rows);
    this.#visibleFrom = grown(this.#visibleFrom, this.#rows);
    this.#successor = grown(this.#successor, this.#rows);
    this.#return = grown(this.#return, this.#rows);
    this.#returnFrom = grown(this.#returnFrom, this.#rows);
  }
}

/** Default reading. Its γᵏ is NaN: a batch that reads it must specify γ. */
const ONE_STEP: RowReading = { steps: 1, discount: Number.NaN };

function grown<T extends Float32Array | Float64Array>(old: T, size: number): T {
  const array = new (old.constructor as new (size: number) => T)(size);
  array.set(old);
  return array;
}

/** A batch as columns of B rows each; filled slot by slot. Absent columns are not filled. */
export interface BatchColumns {
  /** [B, O] */
  readonly observation: Float32Array;
  /** [B, O] observation after the last step that the row spans. */
  readonly nextObservation: Float32Array;
  /** [B, A] executed actions, normalised. */
  readonly action: Float32Array;
  /** [B] Σ γⁱ·rᵢ over the k steps that the row spans; r for one step. */
  readonly reward: Float32Array;
  /** [B] costs of the steps, discounted alike: fraction of their ticks changed by the filters, and energy taken from the tank, J. */
  readonly filterActivity: Float32Array;
  readonly tankDrainJ: Float32Array;
  /** [B] m = 1 − terminated, of the last step. */
  readonly bootstrap: Float32Array;
  /** [B] same numbers as `filterActivity`: cost of an environment's step besides its reward. */
  readonly cost?: Float32Array;
  /** [B] γᵏ: discount of the value of the next observation, before `bootstrap`. Needs a `RowReading`. */
  readonly discountPower?: Float32Array;
  /** [B] Σ γⁱ, i < k: weight of a constant that is added to every reward. */
  readonly discountSum?: Float32Array;
  /** [B] V_mc: return of the row to the end of its episode; `NO_RETURN` if unknown. */
  readonly monteCarloReturn?: Float32Array;
}

/** Options for reading rows. */
export interface RowReading {
  /** n ≥ 1: maximum number of steps added up. Fewer if the episode, the segment or the visible rows end before. */
  readonly steps: number;
  /** γ per step. */
  readonly discount: number;
  /** Draws the frame's variant for s, then for s′, if a ring stores several; absent: the first. */
  readonly rng?: Rng;
}
