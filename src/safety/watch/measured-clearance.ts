/**
 * Clearances of the measured arm. The chain keeps its reference clear of keep-out boxes and of itself; an arm that
 * lags, sags under a load or is pushed may still come near, which only its measured pose shows. Row 43.
 */
import type { ArmKinematics, RobotModel } from '../../model/index.ts';
import { Clearances } from '../avoidance/clearances.ts';
import { SAMPLE_SIZE } from '../avoidance/sample.ts';
import { TRACKING_ERROR } from '../fault-table/flags.ts';

/** Share of the clearance below which the robot moves at most half as fast. */
const NEAR_SHARE = 0.5;
const NEAR_SPEED_RATIO = 0.5;
/** Consecutive readings that touch: one may be noise. */
const TOUCHES = 2;

/** Walls of the workspace are no bodies and do not count. Tick-safe after construction. */
export class MeasuredClearance {
  /** Cap on every joint's speed as a share of its limit, as of the last `check`. */
  speedRatio = 1;
  readonly #clearances: Clearances;
  /** [R] 1 for bodies. */
  readonly #bodies: Uint8Array;
  /** Clearance deducted from each distance by the rows, m. */
  readonly #clearanceM: number;
  #touches = 0;

  constructor(model: RobotModel) {
    this.#clearances = new Clearances(model);
    this.#bodies = Uint8Array.from(this.#clearances.rows, ({ kind }) => (kind === 'wall' ? 0 : 1));
    this.#clearanceM = model.collision?.clearanceM ?? 0;
  }

  /** Discards earlier readings: the robot is not driven, or was placed elsewhere. */
  restart(): void {
    this.#touches = 0;
    this.speedRatio = 1;
  }

  /** Checks the arm at the measured pose in `kinematics`; returns fault flags. `isNew`: false for a repeated reading. */
  check(kinematics: ArmKinematics, isNew: boolean): number {
    const sample = this.#clearances.current;
    this.#clearances.sample(sample, kinematics, this.#bodies);
    let isNear = false;
    let touches = false;
    for (let r = 0; r < this.#bodies.length; r++) {
      if (this.#bodies[r] === 0) continue;
      const distanceM = sample[SAMPLE_SIZE * r]! + this.#clearanceM;
      // Written so that a NaN is near and touches.
      if (!(distanceM >= NEAR_SHARE * this.#clearanceM)) isNear = true;
      if (!(distanceM > 0)) touches = true;
    }
    this.speedRatio = isNear ? NEAR_SPEED_RATIO : 1;
    if (isNew) this.#touches = touches ? this.#touches + 1 : 0;
    return this.#touches >= TOUCHES ? TRACKING_ERROR : 0;
  }
}
