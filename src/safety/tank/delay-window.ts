/**
 * Set-points in transit: sent, and in force from an unknown moment within the delay. Each is booked at its maximum
 * cost, τ_max·|Δs|, until the window is over; then the joint's worst position in the window gives its actual maximum.
 */
import type { RobotModel } from '../../model/index.ts';
import { BOOKED } from './port.ts';
import { noiseOf } from './readings.ts';
import { jointSpringJ } from './spring.ts';

/** Capacity in steps per tick of delay: sufficient for ticks four times too fast. */
const ROOM = 4;
/** Largest number of ticks without a reading after which the next one still shows where the joints were in between. */
export const LONGEST_GAP = 4;

/** Ring of steps of all joints. Tick-safe after construction. */
export class DelayWindow {
  /** [1] overestimate of the steps whose window ended with the last tick, J ≥ 0. Filled by `advance`. */
  readonly releasedJ: Float64Array = new Float64Array(1);
  readonly #model: RobotModel;
  readonly #delayTicks: number;
  readonly #delayS: number;
  readonly #capacity: number;
  /** [n] largest error of a reading, rad. */
  readonly #noise: Float64Array;
  /** [capacity·n] set-points before and after each step, and the joint's smallest and largest position since, rad. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #bookedJ: Float64Array;
  readonly #ticks: Float64Array;
  readonly #ageS: Float64Array;
  /** 1 if the joints' positions since are known from readings. */
  readonly #isSeen: Uint8Array;
  #oldest = 0;
  #count = 0;
  #blindTicks = 0;
  /** Ticks since the last reading. */
  #gapTicks = 0;

  constructor(model: RobotModel, delayTicks: number) {
    this.#model = model;
    this.#delayTicks = delayTicks;
    this.#noise = noiseOf(model);
    // A little less, as sums of periods round.
    this.#delayS = (delayTicks / model.controlHz) * (1 - 1e-9);
    this.#capacity = ROOM * (delayTicks + 1);
    const cells = this.#capacity * model.joints.length;
    this.#from = new Float64Array(cells);
    this.#to = new Float64Array(cells);
    this.#low = new Float64Array(cells);
    this.#high = new Float64Array(cells);
    this.#bookedJ = new Float64Array(this.#capacity);
    this.#ticks = new Float64Array(this.#capacity);
    this.#ageS = new Float64Array(this.#capacity);
    this.#isSeen = new Uint8Array(this.#capacity);
  }

  /** True if no set-point is in transit. */
  get isEmpty(): boolean {
    return this.#count === 0 && this.#blindTicks === 0;
  }

  /** True if a step was lost: the set-points in force are unknown for now. */
  get isBlind(): boolean {
    return this.#blindTicks > 0;
  }

  clear(): void {
    this.#count = 0;
    this.#blindTicks = 0;
    this.#gapTicks = 0;
  }

  /**
   * Adds a step of the set-points from `fromRad` to `toRad` (n), with the joints last measured at `positionRad`, booked
   * at `costJ[BOOKED]`.
   */
  push(fromRad: Float64Array, toRad: Float64Array, positionRad: Float64Array, costJ: Float64Array): void {
    if (this.#count === this.#capacity) {
      // Ticks come far too fast: the amount booked for this step stays booked.
      this.#blindTicks = this.#capacity;
      return;
    }
    const n = fromRad.length;
    const slot = (this.#oldest + this.#count) % this.#capacity;
    this.#count++;
    this.#bookedJ[slot] = costJ[BOOKED]!;
    this.#ticks[slot] = 0;
    this.#ageS[slot] = 0;
    this.#isSeen[slot] = this.#gapTicks <= LONGEST_GAP ? 1 : 0;
    for (let i = 0; i < n; i++) {
      this.#from[slot * n + i] = fromRad[i]!;
      this.#to[slot * n + i] = toRad[i]!;
      this.#low[slot * n + i] = positionRad[i]!;
      this.#high[slot * n + i] = positionRad[i]!;
    }
  }

  /** Widens `low` and `high` (n) to all set-points that may have been in force since the last tick. */
  widen(low: Float64Array, high: Float64Array): void {
    const n = low.length;
    for (let k = 0; k < this.#count; k++) {
      const at = ((this.#oldest + k) % this.#capacity) * n;
      for (let i = 0; i < n; i++) {
        low[i] = Math.min(low[i]!, this.#from[at + i]!, this.#to[at + i]!);
        high[i] = Math.max(high[i]!, this.#from[at + i]!, this.#to[at + i]!);
      }
    }
  }

  /**
   * Advances by a tick to the joints' `positionRad`. Fills `releasedJ`. A window ends only with a reading, and after
   * too long a gap the booked amount is kept.
   */
  advance(positionRad: Float64Array, isMeasured: boolean, passedS: Float64Array): void {
    const dtS = passedS[0]!;
    if (this.#blindTicks > 0) this.#blindTicks--;
    this.releasedJ[0] = 0;
    this.#gapTicks = isMeasured ? 0 : this.#gapTicks + 1;
    for (let k = 0; k < this.#count; k++) {
      const slot = (this.#oldest + k) % this.#capacity;
      this.#ticks[slot] = this.#ticks[slot]! + 1;
      this.#ageS[slot] = this.#ageS[slot]! + (dtS > 0 ? dtS : 0);
      if (isMeasured) this.#see(slot * positionRad.length, positionRad);
      else if (this.#gapTicks > LONGEST_GAP) this.#isSeen[slot] = 0;
    }
    while (isMeasured && this.#count > 0 && this.#isOver(this.#oldest)) {
      this.#release(this.#oldest, positionRad.length);
      this.#oldest = (this.#oldest + 1) % this.#capacity;
      this.#count--;
    }
  }

  #see(at: number, positionRad: Float64Array): void {
    for (let i = 0; i < positionRad.length; i++) {
      this.#low[at + i] = Math.min(this.#low[at + i]!, positionRad[i]!);
      this.#high[at + i] = Math.max(this.#high[at + i]!, positionRad[i]!);
    }
  }

  #isOver(slot: number): boolean {
    return this.#ticks[slot]! >= this.#delayTicks && this.#ageS[slot]! >= this.#delayS;
  }

  /** Adds the overestimate of `slot`. */
  #release(slot: number, n: number): void {
    if (this.#isSeen[slot] === 0) return;
    let worstJ = 0;
    for (let i = 0; i < n; i++) {
      const from = this.#from[slot * n + i]!;
      const to = this.#to[slot * n + i]!;
      // U(to − q) − U(from − q) falls with q where to > from, as U′ only rises: the worst place is an end of the window.
      const q = to > from ? this.#low[slot * n + i]! - this.#noise[i]! : this.#high[slot * n + i]! + this.#noise[i]!;
      const joint = this.#model.joints[i]!;
      worstJ += jointSpringJ(joint, to - q) - jointSpringJ(joint, from - q);
    }
    this.releasedJ[0] = this.releasedJ[0]! + Math.max(0, this.#bookedJ[slot]! - worstJ);
  }
}
