/**
 * An independent witness: checks each reference that was sent against the robot's limits. It shares nothing with the
 * stages of the chain but the robot's description and geometry, and changes nothing. Its count is what runs report.
 */
import { ArmKinematics, type RobotModel, type WorkspaceBox } from '../../core/index.ts';
import { FenceWitness } from './fence-witness.ts';
import { TouchWitness } from './touching.ts';

export const BROKEN_POSITION: number = 1;
export const BROKEN_VELOCITY: number = 2;
export const BROKEN_ACCEL: number = 4;
export const BROKEN_WORKSPACE: number = 8;
export const BROKEN_NOT_FINITE: number = 16;
export const BROKEN_COLLISION: number = 32;

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
  readonly #touch: TouchWitness;
  readonly #fence: FenceWitness | undefined;
  readonly #points: readonly { readonly link: number; readonly atM: readonly number[]; readonly box: WorkspaceBox }[];
  readonly #point: Float64Array = new Float64Array(3);
  readonly #last: Float64Array;
  readonly #lastVelocity: Float64Array;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#touch = new TouchWitness(model, this.#arm);
    this.#fence = model.base?.fence === undefined ? undefined : new FenceWitness(model.base, model.joints.length);
    this.#points = (model.points ?? []).map(({ link, positionM, workspace = model.workspace }) => {
      return { link: this.#arm.topology.link(link), atM: positionM, box: workspace };
    });
    this.#last = new Float64Array(model.joints.length);
    this.#lastVelocity = new Float64Array(model.joints.length);
  }

  /** The arm stands at `referenceRad` (n): what came before is not compared with what comes next. */
  restart(referenceRad: ArrayLike<number>): void {
    this.#last.set(referenceRad);
    this.#lastVelocity.fill(0);
    this.#arm.forward(this.#last);
    this.#touch.restart(this.#arm);
    this.#fence?.restart(this.#last);
  }

  /**
   * Checks the reference of this tick (n, rad), `dtS` after the last one (taken as [T/2, 2T], as commands are). `measuredRad`
   * (n): where the robot is, by which a base's pose goes on at the next restart; the reference where absent. Returns what is
   * broken, as bits: a base outside its fence, as an arm outside its workspace, is `BROKEN_WORKSPACE`.
   */
  check(referenceRad: ArrayLike<number>, dtS: number, measuredRad: ArrayLike<number> = referenceRad): number {
    const periodS = 1 / this.#model.controlHz;
    const tickS = Number.isNaN(dtS) ? periodS : Math.min(Math.max(dtS, periodS / 2), 2 * periodS);
    let broken = 0;
    for (let i = 0; i < this.#last.length; i++) broken |= this.#checkJoint(i, referenceRad[i]!, tickS);
    this.#arm.forward(referenceRad);
    if (!this.#isInside(this.#arm.tcpPositionM, this.#model.workspace)) broken |= BROKEN_WORKSPACE;
    for (const { link, atM, box } of this.#points) {
      this.#arm.pointOf(this.#point, link, atM);
      if (!this.#isInside(this.#point, box)) broken |= BROKEN_WORKSPACE;
    }
    if (this.#fence?.isOutside(referenceRad, measuredRad)) broken |= BROKEN_WORKSPACE;
    if (this.#touch.isTouching(this.#arm)) broken |= BROKEN_COLLISION;
    if (broken !== 0) this.violations++;
    return broken;
  }

  /** Also false for NaN. */
  #isInside(p: Float64Array, { minM, maxM }: WorkspaceBox): boolean {
    for (let k = 0; k < 3; k++) {
      const slack = RELATIVE * Math.max(1, maxM[k]! - minM[k]!);
      if (!(p[k]! >= minM[k]! - slack && p[k]! <= maxM[k]! + slack)) return false;
    }
    return true;
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
