/** Largest speed from which a joint can still stop before its limit, exact for a reference that moves in steps. */
import { limitMarginsOf, type RobotModel } from '../../model/index.ts';
import { JOINT_BRAKE } from '../bits.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';

/** Largest speeds from which a reference can stop within a given distance. Later ticks are no shorter than `shortestS` > 0. */
export class BrakeBound {
  readonly shortestS: number;

  constructor(shortestS: number) {
    this.shortestS = shortestS;
  }

  /**
   * Writes into `out` (n, rad/s ≥ 0) the largest velocities for one tick of dt = `times[PERIOD]` after which the reference can
   * still stop within `room` (n, rad; may be `out`), slowing by at most `accel` (n, rad/s² > 0), with s = `shortestS` ≤ dt:
   *
   *   u·dt + (u − A·s/2)²/(2A) ≤ d   ⟺   u ≤ −A·h + √((A·h)² + 2A(d − A·s²/8)),   h = dt − s/2
   *
   * With dt = s constant this is u ≤ −A·dt/2 + √(2Ad) (`docs/safety-case.md`, brake bound). 0 where nothing fits. Tick-safe.
   */
  writeSpeeds(out: Float64Array, room: Float64Array, accel: Float64Array, times: TickTimes): void {
    const { shortestS } = this;
    const dtS = times[PERIOD]!;
    for (let i = 0; i < out.length; i++) {
      const accelRadPerS2 = accel[i]!;
      const ah = accelRadPerS2 * (dtS - shortestS / 2);
      const inside = ah * ah + 2 * accelRadPerS2 * (room[i]! - (accelRadPerS2 * shortestS * shortestS) / 8);
      out[i] = inside > ah * ah ? Math.sqrt(inside) - ah : 0;
    }
  }
}

/** Keeps every joint able to stop before its limits less the margin. Tick-safe after construction. */
export class JointBrakeBound {
  readonly #model: RobotModel;
  readonly #bound: BrakeBound;
  /** [n] highest acceleration, rad/s². */
  readonly #accel: Float64Array;
  /** [n] margins to the position limits, rad. */
  readonly #margins: Float64Array;
  /** [n] distance to the upper and to the lower limit, rad; then the largest speed towards it, rad/s. */
  readonly #up: Float64Array;
  readonly #down: Float64Array;

  /** `shortestS`: the shortest tick length that the chain assumes. */
  constructor(model: RobotModel, shortestS: number) {
    this.#model = model;
    this.#margins = limitMarginsOf(model);
    this.#bound = new BrakeBound(shortestS);
    this.#accel = Float64Array.from(model.joints, (joint) => joint.accelMaxRadPerS2);
    this.#up = new Float64Array(model.joints.length);
    this.#down = new Float64Array(model.joints.length);
  }

  /**
   * Clips `velocity` (n, rad/s) in place for a reference at `referenceRad` and a tick of `times`. If the last velocity
   * satisfied the bound, this never requires more than the joints' acceleration. Returns reason bits.
   */
  apply(velocity: Float64Array, referenceRad: Float64Array, times: TickTimes): number {
    this.#measure(referenceRad, times);
    let bits = 0;
    for (let i = 0; i < velocity.length; i++) {
      const u = velocity[i]!;
      const bound = u > 0 ? this.#up[i]! : this.#down[i]!;
      if (Math.abs(u) > bound) {
        velocity[i] = u > 0 ? bound : -bound;
        bits = JOINT_BRAKE;
      }
    }
    return bits;
  }

  /**
   * Narrows the velocity range `low` to `high` (n each, rad/s) to what this stage permits. In a contradiction, this
   * stage wins.
   */
  narrow(low: Float64Array, high: Float64Array, referenceRad: Float64Array, times: TickTimes): void {
    this.#measure(referenceRad, times);
    for (let i = 0; i < low.length; i++) {
      const most = this.#up[i]!;
      const least = -this.#down[i]!;
      high[i] = Math.max(Math.min(high[i]!, most), least);
      low[i] = Math.min(Math.max(low[i]!, least), most);
    }
  }

  /** Fills `#up` and `#down` with the largest speeds of each joint at `referenceRad` in either direction. */
  #measure(referenceRad: Float64Array, times: TickTimes): void {
    for (let i = 0; i < this.#up.length; i++) {
      const margin = this.#margins[i]!;
      const { positionMinRad, positionMaxRad } = this.#model.joints[i]!;
      this.#up[i] = positionMaxRad - margin - referenceRad[i]!;
      this.#down[i] = referenceRad[i]! - positionMinRad - margin;
    }
    this.#bound.writeSpeeds(this.#up, this.#up, this.#accel, times);
    this.#bound.writeSpeeds(this.#down, this.#down, this.#accel, times);
  }
}
