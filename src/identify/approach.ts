/** The way home, before anything is measured: all joints begin and end together, at rest. */
import type { RobotModel } from '../core/index.ts';
import { ACCEL_SHARE, type JointPath, SPEED_SHARE } from './joint-path.ts';

/** An arm that stands so near home is there, rad. */
export const AT_HOME_RAD = 0.01;

/** A straight line between joint positions, as slow as the motion that follows it. */
export class Approach implements JointPath {
  /** 0: the arm is at home. */
  readonly durationS: number;
  readonly #fromRad: readonly number[];
  readonly #toRad: readonly number[];

  constructor({ joints, homeRad }: Pick<RobotModel, 'joints' | 'homeRad'>, fromRad: ArrayLike<number>) {
    this.#fromRad = Array.from(fromRad);
    this.#toRad = homeRad;
    const isHome = homeRad.every((toRad, i) => Math.abs(toRad - fromRad[i]!) <= AT_HOME_RAD);
    // Of (1 − cos πs)/2 over T: largest speed π/2 · way / T, largest acceleration π²/2 · way / T².
    const times = joints.map(({ velocityMaxRadPerS, accelMaxRadPerS2 }, i) => {
      const wayRad = Math.abs(homeRad[i]! - fromRad[i]!);
      const bySpeedS = (Math.PI * wayRad) / (2 * SPEED_SHARE * velocityMaxRadPerS);
      const byAccelS = Math.PI * Math.sqrt(wayRad / (2 * ACCEL_SHARE * accelMaxRadPerS2));
      return Math.max(bySpeedS, byAccelS);
    });
    this.durationS = isHome ? 0 : Math.max(...times);
  }

  write(out: Float64Array, atS: number): void {
    const passed = this.durationS === 0 ? 1 : Math.min(Math.max(atS / this.durationS, 0), 1);
    const share = (1 - Math.cos(Math.PI * passed)) / 2;
    for (const [i, fromRad] of this.#fromRad.entries()) out[i] = fromRad + share * (this.#toRad[i]! - fromRad);
  }
}
