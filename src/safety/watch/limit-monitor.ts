/**
 * An independent witness: checks each reference that was sent against the robot's limits. It shares nothing with the
 * stages of the chain but the robot's description and geometry, and changes nothing. Its count is what runs report.
 */
import { ArmKinematics, type RobotModel } from '../../core/index.ts';

export const BROKEN_POSITION: number = 1;
export const BROKEN_VELOCITY: number = 2;
export const BROKEN_ACCEL: number = 4;
export const BROKEN_WORKSPACE: number = 8;
export const BROKEN_NOT_FINITE: number = 16;

const RELATIVE = 1e-9;
/** Differences of positions near 2π over half a millisecond are no more exact than this, rad/s. */
const ROUNDING_RAD_PER_S = 1e-11;
/** Roundings in the difference of two positions and of two velocities, in units of the position's last place. */
const ROUNDINGS = 4 * Number.EPSILON;

/** Watches one robot's references. Tick-safe after construction. */
export class LimitMonitor {
  /** Ticks since construction in which some limit was broken. */
  violations = 0;

  readonly #model: RobotModel;
  readonly #arm: ArmKinematics;
  readonly #last: Float64Array;
  readonly #lastVelocity: Float64Array;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#last = new Float64Array(model.joints.length);
    this.#lastVelocity = new Float64Array(model.joints.length);
  }

  /** The arm stands at `referenceRad` (n): what came before is not compared with what comes next. */
  restart(referenceRad: ArrayLike<number>): void {
    this.#last.set(referenceRad);
    this.#lastVelocity.fill(0);
  }

  /** Checks the reference of this tick (n, rad), `dtS` after the last one (taken as [T/2, 2T], as commands are). Returns what is broken, as bits. */
  check(referenceRad: ArrayLike<number>, dtS: number): number {
    const periodS = 1 / this.#model.controlHz;
    const tickS = Number.isNaN(dtS) ? periodS : Math.min(Math.max(dtS, periodS / 2), 2 * periodS);
    let broken = 0;
    for (let i = 0; i < this.#last.length; i++) broken |= this.#checkJoint(i, referenceRad[i]!, tickS);
    this.#arm.forward(referenceRad);
    const { minM, maxM } = this.#model.workspace;
    for (let k = 0; k < 3; k++) {
      const p = this.#arm.tcpPositionM[k]!;
      const slack = RELATIVE * Math.max(1, maxM[k]! - minM[k]!);
      if (!(p >= minM[k]! - slack && p <= maxM[k]! + slack)) broken |= BROKEN_WORKSPACE;
    }
    if (broken !== 0) this.violations++;
    return broken;
  }

  #checkJoint(i: number, q: number, tickS: number): number {
    const joint = this.#model.joints[i]!;
    if (!Number.isFinite(q)) return BROKEN_NOT_FINITE;
    const velocity = (q - this.#last[i]!) / tickS;
    const change = Math.abs(velocity - this.#lastVelocity[i]!);
    const slack = RELATIVE * Math.max(Math.abs(joint.positionMinRad), Math.abs(joint.positionMaxRad));
    // A base may have driven far: its numbers are coarser there.
    const rounding = ROUNDING_RAD_PER_S + (ROUNDINGS * Math.abs(q)) / tickS;
    let broken = 0;
    if (q < joint.positionMinRad - slack || q > joint.positionMaxRad + slack) broken |= BROKEN_POSITION;
    if (Math.abs(velocity) > joint.velocityMaxRadPerS * (1 + RELATIVE) + rounding) broken |= BROKEN_VELOCITY;
    if (change > joint.accelMaxRadPerS2 * tickS * (1 + RELATIVE) + rounding) broken |= BROKEN_ACCEL;
    this.#last[i] = q;
    this.#lastVelocity[i] = velocity;
    return broken;
  }
}
