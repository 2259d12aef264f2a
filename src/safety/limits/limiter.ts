/** Velocity, acceleration and jerk limits of each joint, tightened for a while after a hand-over. */
import type { RobotModel } from '../../model/index.ts';
import { ACCEL_LIMITED, JERK_LIMITED, VELOCITY_LIMITED } from '../bits.ts';
import { NOW, PERIOD, type TickTimes } from '../tick-times.ts';
import { fitIntoBox, ROUNDING_RAD_PER_S } from './velocity-box.ts';

/** Share of the acceleration and of the jerk allowed right after a hand-over. */
const HANDOVER_RATIO = 0.5;

/**
 * Keeps |u| ≤ v_max and |u − v| ≤ A·dt for every joint, and, where the joint has a jerk limit J, lets its acceleration
 * a grow by only J·dt a tick: u − v ≤ (a + J·dt)·dt, and the same downwards. Jerk is a soft limit: slowing down and
 * keeping the speed are always allowed, whatever a was. So the jerk limit neither delays arrival nor causes overshoot,
 * and braking is exempt. Tick-safe after construction.
 */
export class Limiter {
  readonly #model: RobotModel;
  readonly #handoverS: number;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  /** [n] acceleration of the last tick, rad/s². */
  readonly #accel: Float64Array;
  /** [1] permitted share of acceleration and jerk in this tick. */
  readonly #ratio: Float64Array = new Float64Array(1);
  #tightUntilS = Number.NEGATIVE_INFINITY;

  /** `handoverS` ≥ 0: duration of the tighter limits. */
  constructor(model: RobotModel, handoverS: number) {
    this.#model = model;
    this.#handoverS = handoverS;
    this.#low = new Float64Array(model.joints.length);
    this.#high = new Float64Array(model.joints.length);
    this.#accel = new Float64Array(model.joints.length);
  }

  /** Restarts at rest. */
  reset(): void {
    this.#accel.fill(0);
  }

  /** Begins a hand-over: half the acceleration and jerk from now on, for the hand-over time. */
  startHandover(times: TickTimes): void {
    this.#tightUntilS = times[NOW]! + this.#handoverS;
  }

  /** Writes the acceleration limit of each joint in this tick into `out` (n, rad/s²): half after a hand-over. */
  writeAccel(out: Float64Array, times: TickTimes): void {
    this.#findRatio(times);
    for (let i = 0; i < out.length; i++) out[i] = this.#ratio[0]! * this.#model.joints[i]!.accelMaxRadPerS2;
  }

  /** Records the executed velocity step of a tick, from `previous` to `velocity` (n, rad/s). */
  record(velocity: Float64Array, previous: Float64Array, times: TickTimes): void {
    const dtS = times[PERIOD]!;
    for (let i = 0; i < velocity.length; i++) this.#accel[i] = (velocity[i]! - previous[i]!) / dtS;
  }

  /**
   * Changes `velocity` (n, finite, rad/s) in place so that it is reachable from `previous` (n, within the limits).
   * Keeps the direction where one factor for all joints suffices. Returns reason bits.
   */
  apply(velocity: Float64Array, previous: Float64Array, times: TickTimes): number {
    this.#findRatio(times);
    const ratio = this.#ratio[0]!;
    const dtS = times[PERIOD]!;
    let bits = 0;
    let isTooFast = false;
    for (let i = 0; i < velocity.length; i++) {
      const { velocityMaxRadPerS, accelMaxRadPerS2 } = this.#model.joints[i]!;
      const u = velocity[i]!;
      if (Math.abs(u) > velocityMaxRadPerS) isTooFast = true;
      if (Math.abs(u - previous[i]!) > ratio * accelMaxRadPerS2 * dtS + ROUNDING_RAD_PER_S) bits = ACCEL_LIMITED;
    }
    if (isTooFast) bits = VELOCITY_LIMITED;
    if (this.#bound(previous, times, velocity)) bits |= JERK_LIMITED;
    return fitIntoBox(velocity, this.#low, this.#high) === 'unchanged' ? 0 : bits;
  }

  /**
   * Writes the velocities that `apply` would permit after `previous` into `low` and `high` (n, rad/s), extended by all
   * that only slow down, as hard as the joints can: braking is exempt from the hand-over and from jerk.
   */
  writeBox(low: Float64Array, high: Float64Array, previous: Float64Array, times: TickTimes): void {
    this.#findRatio(times);
    this.#bound(previous, times, previous);
    const dtS = times[PERIOD]!;
    for (let i = 0; i < previous.length; i++) {
      const v = previous[i]!;
      const change = this.#model.joints[i]!.accelMaxRadPerS2 * dtS;
      low[i] = Math.min(this.#low[i]!, Math.max(Math.min(v, 0), v - change));
      high[i] = Math.max(this.#high[i]!, Math.min(Math.max(v, 0), v + change));
    }
  }

  #findRatio(times: TickTimes): void {
    this.#ratio[0] = times[NOW]! < this.#tightUntilS ? HANDOVER_RATIO : 1;
  }

  /** Fills `#low` and `#high` for the `#ratio` of `#findRatio`. Returns true if `requested` (n) violates a joint's jerk limit. */
  #bound(previous: Float64Array, times: TickTimes, requested: Float64Array): boolean {
    const ratio = this.#ratio[0]!;
    const dtS = times[PERIOD]!;
    let isSudden = false;
    for (let i = 0; i < previous.length; i++) {
      const { velocityMaxRadPerS, accelMaxRadPerS2, jerkMaxRadPerS3 } = this.#model.joints[i]!;
      const v = previous[i]!;
      const change = ratio * accelMaxRadPerS2 * dtS;
      let low = v - change;
      let high = v + change;
      if (jerkMaxRadPerS3 !== undefined) {
        const drift = v + this.#accel[i]! * dtS;
        const growth = ratio * jerkMaxRadPerS3 * dtS * dtS;
        // Braking to rest and keeping the speed lie inside the range, so they are never excluded.
        low = Math.max(low, Math.min(drift - growth, v, Math.max(0, low)));
        high = Math.min(high, Math.max(drift + growth, v, Math.min(0, high)));
        isSudden ||= requested[i]! < low - ROUNDING_RAD_PER_S || requested[i]! > high + ROUNDING_RAD_PER_S;
      }
      this.#low[i] = Math.max(low, -velocityMaxRadPerS);
      this.#high[i] = Math.min(high, velocityMaxRadPerS);
    }
    return isSudden;
  }
}
