/**
 * An independent witness: checks each sent reference against the robot's limits. It shares nothing with the stages of
 * the chain but the robot's description and geometry, and changes nothing. Its count is what runs report.
 */
import { ArmKinematics, boxOf, type RobotModel, type WorkspaceBox } from '../../model/index.ts';
import { FenceWitness } from './fence-witness.ts';
import { ToolSpeedWitness } from './tool-speed-witness.ts';
import { TouchWitness } from './touching.ts';

export const BROKEN_POSITION: number = 1;
export const BROKEN_VELOCITY: number = 2;
export const BROKEN_ACCEL: number = 4;
export const BROKEN_WORKSPACE: number = 8;
export const BROKEN_NOT_FINITE: number = 16;
export const BROKEN_COLLISION: number = 32;
export const BROKEN_TOOL_SPEED: number = 64;

const RELATIVE = 1e-9;
/** Largest joint speed of an arm that is brought back from outside its limits, rad/s. */
const WAY_BACK_RAD_PER_S = 0.1;
/** Rounding of velocities: differences of positions near 2π over half a millisecond, rad/s. */
const ROUNDING_RAD_PER_S = 1e-11;
/** Rounding in the difference of two positions and of two velocities, in units of the position's last place. */
const ROUNDINGS = 4 * Number.EPSILON;

/** Monitors one robot's references. Tick-safe after construction. */
export class LimitMonitor {
  /** Ticks since construction in which any limit was violated. */
  violations = 0;

  readonly #model: RobotModel;
  readonly #arm: ArmKinematics;
  readonly #touch: TouchWitness;
  readonly #fence: FenceWitness | undefined;
  readonly #toolSpeed: ToolSpeedWitness;
  readonly #points: readonly { readonly link: number; readonly atM: Float64Array; readonly box: WorkspaceBox }[];
  readonly #point: Float64Array = new Float64Array(3);
  readonly #last: Float64Array;
  readonly #lastVelocity: Float64Array;

  constructor(model: RobotModel) {
    this.#model = model;
    this.#arm = new ArmKinematics(model);
    this.#touch = new TouchWitness(model, this.#arm);
    this.#fence = model.base?.fence === undefined ? undefined : new FenceWitness(model.base, model.joints.length);
    this.#toolSpeed = new ToolSpeedWitness(model, this.#arm);
    this.#points = (model.points ?? []).map((point) => {
      const { link, positionM } = point;
      return { link: this.#arm.topology.link(link), atM: Float64Array.from(positionM), box: boxOf(point, model) };
    });
    this.#last = new Float64Array(model.joints.length);
    this.#lastVelocity = new Float64Array(model.joints.length);
  }

  /** Restarts at rest at `referenceRad` (n): earlier references are not compared with later ones. */
  restart(referenceRad: ArrayLike<number>): void {
    this.#last.set(referenceRad);
    this.#lastVelocity.fill(0);
    this.#arm.forward(this.#last);
    this.#touch.restart(this.#arm);
    this.#toolSpeed.restart(this.#arm);
    this.#fence?.restart(this.#last);
  }

  /** Called when a base was put back to where it stood first: `restart` follows. */
  putBack(): void {
    this.#fence?.putBack();
  }

  /**
   * Checks the reference of this tick (n, rad), `dtS` after the last one (clamped to [T/2, 2T], as for commands).
   * `measuredRad` (n): measured position, from which a base's pose continues at the next restart; the reference by
   * default. `sentRad` (n): the driver's set-point if it is not the reference; its position is checked too, but not its
   * speed: it may stop short. Returns the violations as bits: a base outside its fence, as an arm outside its
   * workspace, is `BROKEN_WORKSPACE`.
   */
  check(
    referenceRad: ArrayLike<number>,
    dtS: number,
    measuredRad: ArrayLike<number> = referenceRad,
    sentRad: ArrayLike<number> = referenceRad,
  ): number {
    const tickS = this.#clipPeriod(dtS);
    let broken = 0;
    for (let i = 0; i < this.#last.length; i++) broken |= this.#checkJoint(i, referenceRad[i]!, tickS);
    broken |= this.#checkPlace(referenceRad) | this.#checkToolSpeed(tickS);
    if (this.#fence?.isOutside(referenceRad, measuredRad)) broken |= BROKEN_WORKSPACE;
    if (this.#isElsewhere(sentRad, referenceRad)) {
      for (let i = 0; i < this.#last.length; i++) broken |= this.#checkAngle(i, sentRad[i]!);
      broken |= this.#checkPlace(sentRad);
    }
    if (broken !== 0) this.violations++;
    return broken;
  }

  /** The same for a reference that is brought back from outside the limits: slow, and no joint farther out than before. */
  checkRecovery(referenceRad: ArrayLike<number>, dtS: number): number {
    const tickS = this.#clipPeriod(dtS);
    let broken = 0;
    for (let i = 0; i < this.#last.length; i++) {
      const q = referenceRad[i]!;
      const from = this.#last[i]!;
      const { positionMinRad, positionMaxRad } = this.#model.joints[i]!;
      const slack = RELATIVE * Math.max(Math.abs(positionMinRad), Math.abs(positionMaxRad));
      const rounding = ROUNDING_RAD_PER_S + (ROUNDINGS * Math.abs(q)) / tickS;
      // Negated comparison: NaN counts as out and too fast.
      const isIn = q >= Math.min(from, positionMinRad) - slack && q <= Math.max(from, positionMaxRad) + slack;
      if (!isIn) broken |= BROKEN_POSITION;
      if (!(Math.abs(q - from) / tickS <= WAY_BACK_RAD_PER_S * (1 + RELATIVE) + rounding)) broken |= BROKEN_VELOCITY;
      this.#last[i] = q;
    }
    this.#arm.forward(referenceRad);
    broken |= this.#checkToolSpeed(tickS);
    if (broken !== 0) this.violations++;
    return broken;
  }

  /** Checks the arm at its last pose. */
  #checkToolSpeed(tickS: number): number {
    const limitMPerS = this.#model.toolSpeedMaxMPerS ?? Number.POSITIVE_INFINITY;
    return this.#toolSpeed.isTooFast(this.#arm, tickS, limitMPerS) ? BROKEN_TOOL_SPEED : 0;
  }

  #clipPeriod(dtS: number): number {
    const periodS = 1 / this.#model.controlHz;
    return Number.isNaN(dtS) ? periodS : Math.min(Math.max(dtS, periodS / 2), 2 * periodS);
  }

  #isElsewhere(sentRad: ArrayLike<number>, referenceRad: ArrayLike<number>): boolean {
    for (let i = 0; i < this.#last.length; i++) if (sentRad[i] !== referenceRad[i]) return true;
    return false;
  }

  /** Checks the robot's points and bodies at `jointsRad`. */
  #checkPlace(jointsRad: ArrayLike<number>): number {
    let broken = 0;
    this.#arm.forward(jointsRad);
    if (!this.#isInside(this.#arm.tcpPositionM, this.#model.workspace)) broken |= BROKEN_WORKSPACE;
    for (let p = 0; p < this.#points.length; p++) {
      const { link, atM, box } = this.#points[p]!;
      this.#arm.pointOf(this.#point, link, atM);
      if (!this.#isInside(this.#point, box)) broken |= BROKEN_WORKSPACE;
    }
    if (this.#touch.isTouching(this.#arm)) broken |= BROKEN_COLLISION;
    return broken;
  }

  /** False for NaN. */
  #isInside(p: Float64Array, { minM, maxM }: WorkspaceBox): boolean {
    for (let k = 0; k < 3; k++) {
      const slack = RELATIVE * Math.max(1, maxM[k]! - minM[k]!);
      if (!(p[k]! >= minM[k]! - slack && p[k]! <= maxM[k]! + slack)) return false;
    }
    return true;
  }

  #checkAngle(i: number, q: number): number {
    const { positionMinRad, positionMaxRad } = this.#model.joints[i]!;
    if (!Number.isFinite(q)) return BROKEN_NOT_FINITE;
    const slack = RELATIVE * Math.max(Math.abs(positionMinRad), Math.abs(positionMaxRad));
    return q < positionMinRad - slack || q > positionMaxRad + slack ? BROKEN_POSITION : 0;
  }

  #checkJoint(i: number, q: number, tickS: number): number {
    const joint = this.#model.joints[i]!;
    let broken = this.#checkAngle(i, q);
    if (broken === BROKEN_NOT_FINITE) return broken;
    const velocity = (q - this.#last[i]!) / tickS;
    const change = Math.abs(velocity - this.#lastVelocity[i]!);
    // A base may have driven far: its numbers are coarser there.
    const rounding = ROUNDING_RAD_PER_S + (ROUNDINGS * Math.abs(q)) / tickS;
    if (Math.abs(velocity) > joint.velocityMaxRadPerS * (1 + RELATIVE) + rounding) broken |= BROKEN_VELOCITY;
    if (change > joint.accelMaxRadPerS2 * tickS * (1 + RELATIVE) + rounding) broken |= BROKEN_ACCEL;
    this.#last[i] = q;
    this.#lastVelocity[i] = velocity;
    return broken;
  }
}
