/** Velocity and acceleration limits of each joint, tightened for a while after the decider changed. */
import type { RobotModel } from '../../core/index.ts';
import { ACCEL_LIMITED, VELOCITY_LIMITED } from '../bits.ts';
import { fitIntoBox } from './velocity-box.ts';

/** Share of the acceleration allowed right after a hand-over. */
const HANDOVER_RATIO = 0.5;

/** Keeps |u| ≤ v_max and |u − v| ≤ A·dt for every joint. Tick-safe after construction. */
export class Limiter {
  readonly #model: RobotModel;
  readonly #handoverS: number;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  #tightUntilS = Number.NEGATIVE_INFINITY;

  /** `handoverS` ≥ 0: how long the tighter acceleration lasts. */
  constructor(model: RobotModel, handoverS: number) {
    this.#model = model;
    this.#handoverS = handoverS;
    this.#low = new Float64Array(model.joints.length);
    this.#high = new Float64Array(model.joints.length);
  }

  /** Another decider takes over: half the acceleration from now on, for the hand-over time. */
  startHandover(nowS: number): void {
    this.#tightUntilS = nowS + this.#handoverS;
  }

  /**
   * Changes `velocity` (n, finite, rad/s) in place so that it can follow `previous` (n, within the limits) after `dtS`.
   * Direction is kept where one factor for all joints will do. Returns reason bits.
   */
  apply(velocity: Float64Array, previous: Float64Array, dtS: number, nowS: number): number {
    const ratio = nowS < this.#tightUntilS ? HANDOVER_RATIO : 1;
    let isTooFast = false;
    for (let i = 0; i < velocity.length; i++) {
      const { velocityMaxRadPerS, accelMaxRadPerS2 } = this.#model.joints[i]!;
      const change = ratio * accelMaxRadPerS2 * dtS;
      if (Math.abs(velocity[i]!) > velocityMaxRadPerS) isTooFast = true;
      this.#low[i] = Math.max(previous[i]! - change, -velocityMaxRadPerS);
      this.#high[i] = Math.min(previous[i]! + change, velocityMaxRadPerS);
    }
    if (fitIntoBox(velocity, this.#low, this.#high) === 'unchanged') return 0;
    return isTooFast ? VELOCITY_LIMITED : ACCEL_LIMITED;
  }
}
