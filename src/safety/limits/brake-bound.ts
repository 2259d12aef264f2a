/** The fastest a joint may move and still stop before its limit, exact for a reference that moves in steps. */
import type { RobotModel } from '../../core/index.ts';
import { JOINT_BRAKE } from '../bits.ts';

/**
 * Largest velocity, rad/s ≥ 0, for one tick of `dtS` after which the reference can still stop within `distanceRad`,
 * slowing by at most `accelRadPerS2` > 0 and given that later ticks are no shorter than `shortestS` (0 < shortestS ≤ dtS):
 *
 *   u·dt + (u − A·s/2)²/(2A) ≤ d   ⟺   u ≤ −A·h + √((A·h)² + 2A(d − A·s²/8)),   h = dt − s/2
 *
 * With dt = s constant this is u ≤ −A·dt/2 + √(2Ad) (`docs/safety-case.md`, brake bound). 0 where nothing fits. Tick-safe.
 */
export function brakeBound(distanceRad: number, accelRadPerS2: number, dtS: number, shortestS: number): number {
  const ah = accelRadPerS2 * (dtS - shortestS / 2);
  const inside = ah * ah + 2 * accelRadPerS2 * (distanceRad - (accelRadPerS2 * shortestS * shortestS) / 8);
  return inside > ah * ah ? Math.sqrt(inside) - ah : 0;
}

/** Keeps every joint able to stop before its limits less the margin. Tick-safe after construction. */
export class JointBrakeBound {
  readonly #model: RobotModel;
  readonly #shortestS: number;

  /** `shortestS`: the shortest tick that the chain reckons with. */
  constructor(model: RobotModel, shortestS: number) {
    this.#model = model;
    this.#shortestS = shortestS;
  }

  /**
   * Clips `velocity` (n, rad/s) in place for a reference at `referenceRad` and a tick of `dtS`. If the last velocity
   * obeyed the bound, this never asks for more than the joints' acceleration. Returns reason bits.
   */
  apply(velocity: Float64Array, referenceRad: Float64Array, dtS: number): number {
    const margin = this.#model.limitMarginRad;
    let bits = 0;
    for (let i = 0; i < velocity.length; i++) {
      const { positionMinRad, positionMaxRad, accelMaxRadPerS2 } = this.#model.joints[i]!;
      const u = velocity[i]!;
      const roomRad = u > 0 ? positionMaxRad - margin - referenceRad[i]! : referenceRad[i]! - positionMinRad - margin;
      const bound = brakeBound(roomRad, accelMaxRadPerS2, dtS, this.#shortestS);
      if (Math.abs(u) > bound) {
        velocity[i] = u > 0 ? bound : -bound;
        bits = JOINT_BRAKE;
      }
    }
    return bits;
  }

  /**
   * Narrows the velocities from `low` to `high` (n each, rad/s) to those that this stage lets through. Where they contradict,
   * this stage is right.
   */
  narrow(low: Float64Array, high: Float64Array, referenceRad: Float64Array, dtS: number): void {
    const margin = this.#model.limitMarginRad;
    for (let i = 0; i < low.length; i++) {
      const { positionMinRad, positionMaxRad, accelMaxRadPerS2 } = this.#model.joints[i]!;
      const above = positionMaxRad - margin - referenceRad[i]!;
      const below = referenceRad[i]! - positionMinRad - margin;
      const most = brakeBound(above, accelMaxRadPerS2, dtS, this.#shortestS);
      const least = -brakeBound(below, accelMaxRadPerS2, dtS, this.#shortestS);
      high[i] = Math.max(Math.min(high[i]!, most), least);
      low[i] = Math.min(Math.max(low[i]!, least), most);
    }
  }
}
