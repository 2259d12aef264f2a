/**
 * Monitors joint torques for faults that positions do not reveal, with two residuals a joint, both N·m:
 *
 * - **servo**: measured torque less clip(K·(s − q) − d·q̇, ±τ_max), the servo's law for the set-point s in force.
 *   Nonzero if K, d, the delay or the torque limit of the robot's file are not the servo's.
 * - **external**: torque exerted by the surroundings, by the generalized momentum: ṗ − τ − c(q, q̇), less Jᵀw of the
 *   tool's force sensor (De Luca and Mattone 2003, 2005; Haddadin, De Luca and Albu-Schäffer, "Robot collisions: a
 *   survey", IEEE T-RO 2017). Nonzero if something touches any link, and with a load or a link other than the one
 *   identified.
 *
 * Both pass a first-order filter, which for the second is the momentum observer with the gain 1/filterS.
 */
import { ArmDynamics, type RobotModel, servoLagS, type TorqueObserverModel } from '../../model/index.ts';
import type { RobotState } from '../../rows/index.ts';
import { SERVO_RESIDUAL, TORQUE_RESIDUAL } from '../fault-table/flags.ts';
import { hermite, hermiteMean } from './hermite.ts';

/** One residual may be a spike; three consecutive ones, of new readings, are a fault. */
const SAMPLES = 3;
/**
 * Time constants for which the force felt by a sampling tool sensor is held: a tool that chatters on a surface touches
 * it between two samples, which the torques, a mean over the period, include.
 */
const TOOL_HELD = 18;
/** After a pause of this many periods, nothing is known of the time in between. */
const PAUSE_TICKS = 3;
/**
 * Torques describe their own period alone: readings farther apart than this many periods are not compared, and the last
 * result is kept. At half of the rate the means would be of another time than the momentum, which looks like a push.
 */
export const COMPARED_TICKS = 1.5;
const UNKNOWN: Float64Array = new Float64Array(6).fill(Number.NaN);

/** Row 54. Inactive for a robot without `torqueObserver`. Tick-safe after construction. */
export class TorqueObserver {
  /** [n] filtered residuals, N·m; empty without an observer. */
  readonly servoNm: Float64Array;
  readonly externalNm: Float64Array;
  /** Joint whose residual is the largest share of its limit, and that residual, N·m; −1 if none was checked. */
  worstJoint = -1;
  worstNm = 0;
  readonly #model: RobotModel;
  readonly #options: TorqueObserverModel | undefined;
  readonly #dynamics: ArmDynamics;
  readonly #parameters: Float64Array;
  readonly #periodS: number;
  /** [(delay + 2)·n] ring of the newest references; the oldest two are that of the set-point in force and the one before. */
  readonly #sent: Float64Array;
  #at = 0;
  readonly #leadS: Float64Array;
  readonly #positionBefore: Float64Array;
  readonly #velocityBefore: Float64Array;
  readonly #momentumBefore: Float64Array;
  readonly #torqueBefore: Float64Array;
  readonly #driftBefore: Float64Array;
  /** [n] state of the momentum observer, including the tool's force. */
  readonly #observedNm: Float64Array;
  /** [n] |Jᵀw| of samples, held for a while, N·m: added to the limit. */
  readonly #toolNm: Float64Array;
  #hasReading = false;
  #sinceS = 0;
  #servoBeyond = 0;
  #externalBeyond = 0;
  /** Readings still to be skipped after a late tick. */
  #unjudged = 0;

  constructor(model: RobotModel) {
    const options = model.base === undefined ? model.torqueObserver : undefined;
    const n = options === undefined ? 0 : model.joints.length;
    this.#model = model;
    this.#options = options;
    this.#dynamics = new ArmDynamics(model, options?.weight ?? 'compensated');
    this.#parameters = Float64Array.from(options?.links.flat() ?? []);
    this.#periodS = 1 / model.controlHz;
    this.servoNm = new Float64Array(n);
    this.externalNm = new Float64Array(n);
    this.#sent = new Float64Array(((options?.delayTicks ?? 0) + 2) * n);
    this.#leadS = Float64Array.from(model.joints, (joint) => (options?.velocityFeedForward ? servoLagS(joint) : 0));
    this.#positionBefore = new Float64Array(n);
    this.#velocityBefore = new Float64Array(n);
    this.#momentumBefore = new Float64Array(n);
    this.#torqueBefore = new Float64Array(n);
    this.#driftBefore = new Float64Array(n);
    this.#observedNm = new Float64Array(n);
    this.#toolNm = new Float64Array(n);
  }

  /** Discards earlier readings: the servos do not hold the arm, or the reference was set elsewhere. */
  restart(): void {
    this.#hasReading = false;
    this.#servoBeyond = 0;
    this.#externalBeyond = 0;
    this.#sinceS = 0;
    this.worstJoint = -1;
    this.worstNm = 0;
  }

  /**
   * Called for a late tick: the set-point in force between its readings is unknown, until those of its own are past.
   * Earlier results are kept and count on; a machine that is late repeatedly is row 48.
   */
  late(): void {
    this.#unjudged = 2 + (this.#options?.delayTicks ?? 0);
  }

  /**
   * Checks a trusted reading, taken `dtS` after that of the last call (0 if it is the same), which the reference
   * `sentRad` (n) led to. `isNew` false: the reading of the last call. `meanWrench`: the driver's. Torques, and forces
   * that the file relies on, count as beyond every limit if they are NaN.
   */
  check(
    robot: RobotState,
    sentRad: ArrayLike<number>,
    dtS: number,
    isNew = true,
    meanWrench: Float64Array = UNKNOWN,
  ): number {
    const options = this.#options;
    if (options === undefined) return 0;
    this.#sinceS += dtS > 0 ? dtS : 0;
    this.#push(sentRad);
    if (isNew) {
      const isPause = !(this.#sinceS < PAUSE_TICKS * this.#periodS);
      const isCompared = this.#take(robot, options, meanWrench);
      if (this.#unjudged > 0) this.#unjudged--;
      else if (isCompared || isPause) this.#judge(options);
      else this.worstJoint = -1;
    }
    const servo = this.#servoBeyond >= SAMPLES ? SERVO_RESIDUAL : 0;
    return this.#externalBeyond >= SAMPLES ? servo | TORQUE_RESIDUAL : servo;
  }

  #push(sentRad: ArrayLike<number>): void {
    const n = this.servoNm.length;
    const sent = this.#sent;
    this.#at = (this.#at + n) % sent.length;
    for (let i = 0; i < n; i++) {
      if (this.#hasReading) sent[this.#at + i] = sentRad[i]!;
      // As if it had always stood there.
      else for (let k = i; k < sent.length; k += n) sent[k] = sentRad[i]!;
    }
  }

  /** Returns true if this reading could be compared with the one before. */
  #take(robot: RobotState, options: TorqueObserverModel, meanWrench: Float64Array): boolean {
    const dtS = this.#sinceS;
    const mayCompare = this.#hasReading && dtS > 0 && dtS <= COMPARED_TICKS * this.#periodS;
    const isOver = !(this.#hasReading && dtS > 0 && dtS < PAUSE_TICKS * this.#periodS);
    // A late tick leaves the filter unchanged.
    const share = mayCompare && this.#unjudged === 0 ? 1 - Math.exp(-dtS / options.filterS) : 0;
    const { kinematics, momentum, drift } = this.#dynamics;
    this.#dynamics.place(robot.positionRad, robot.velocityRadPerS);
    this.#dynamics.apply(this.#parameters);
    const jacobian = kinematics.jacobian();
    const n = this.servoNm.length;
    const windowS = Math.min(2 * options.torqueAgeS, dtS);
    // The mean over the period is the newest torque if that is a mean itself, and else lies between the last two.
    const newest = 0.5 + (0.5 * windowS) / dtS;
    const isMean = options.wrench === 'mean';
    for (let i = 0; i < n; i++) {
      const torqueNm = robot.torqueNm[i]!;
      if (mayCompare) {
        const drivenMeanNm =
          newest * torqueNm + (1 - newest) * this.#torqueBefore[i]! + 0.5 * (drift[i]! + this.#driftBefore[i]!);
        const pushedNm =
          (momentum[i]! - this.#momentumBefore[i]!) / dtS -
          drivenMeanNm -
          (isMean ? reflectedNm(jacobian, i, n, meanWrench) : 0);
        this.#observedNm[i] = this.#observedNm[i]! + share * (pushedNm - this.#observedNm[i]!);
        const servoNm = torqueNm - this.#lawNm(i, robot, windowS, dtS);
        this.servoNm[i] = this.servoNm[i]! + share * (servoNm - this.servoNm[i]!);
      } else if (isOver) {
        this.#observedNm[i] = 0;
        this.servoNm[i] = 0;
      }
      const toolNm = options.wrench === 'subtracted' ? reflectedNm(jacobian, i, n, robot.wrench) : 0;
      this.#toolNm[i] = Math.max(Math.abs(toolNm), this.#toolNm[i]! * Math.exp(-dtS / (TOOL_HELD * options.filterS)));
      this.externalNm[i] = isOver ? 0 : this.#observedNm[i]! - toolNm;
      this.#momentumBefore[i] = momentum[i]!;
      this.#torqueBefore[i] = torqueNm;
      this.#driftBefore[i] = drift[i]!;
      this.#positionBefore[i] = robot.positionRad[i]!;
      this.#velocityBefore[i] = robot.velocityRadPerS[i]!;
    }
    this.#hasReading = true;
    this.#sinceS = 0;
    return mayCompare;
  }

  /**
   * Torque of the servo of joint `i` by its law, N·m, as the mean over the last `windowS` of the `dtS` between the
   * readings. In a period in which the servo enters or leaves saturation that mean is unknown: a clipped mean is no
   * mean of clipped values, and a simulated damper is not limited within the physics step that saturates it. There it
   * is the value nearest to `robot`'s torque between the unclipped torques of the law at either end and in the mean.
   */
  #lawNm(i: number, robot: RobotState, windowS: number, dtS: number): number {
    const n = this.servoNm.length;
    const oldest = (this.#at + n) % this.#sent.length;
    const before = this.#sent[oldest + i]!;
    const reached = this.#sent[((oldest + n) % this.#sent.length) + i]!;
    const setPoint = reached + (this.#leadS[i]! * (reached - before)) / this.#periodS;
    const from = this.#positionBefore[i]!;
    const to = robot.positionRad[i]!;
    const fromSpeed = this.#velocityBefore[i]!;
    const toSpeed = robot.velocityRadPerS[i]!;
    const { stiffnessNmPerRad, dampingNmSPerRad, torqueMaxNm } = this.#model.joints[i]!;
    const position = hermiteMean(from, to, fromSpeed, toSpeed, windowS, dtS);
    const velocity =
      windowS > 0 ? (to - hermite(from, to, fromSpeed, toSpeed, 1 - windowS / dtS, dtS)) / windowS : toSpeed;
    const meanNm = stiffnessNmPerRad * (setPoint - position) - dampingNmSPerRad * velocity;
    const firstNm = stiffnessNmPerRad * (setPoint - from) - dampingNmSPerRad * fromSpeed;
    const lastNm = stiffnessNmPerRad * (setPoint - to) - dampingNmSPerRad * toSpeed;
    const leastNm = Math.min(firstNm, meanNm, lastNm);
    const mostNm = Math.max(firstNm, meanNm, lastNm);
    if (leastNm >= -torqueMaxNm && mostNm <= torqueMaxNm) return meanNm;
    if (leastNm >= torqueMaxNm) return torqueMaxNm;
    if (mostNm <= -torqueMaxNm) return -torqueMaxNm;
    return Math.min(Math.max(robot.torqueNm[i]!, leastNm), mostNm);
  }

  #judge({ servoMaxNm, externalMaxNm }: TorqueObserverModel): void {
    let servo = 0;
    let external = 0;
    let worst = 0;
    this.worstJoint = -1;
    this.worstNm = 0;
    for (let i = 0; i < this.servoNm.length; i++) {
      const servoShare = Math.abs(this.servoNm[i]!) / servoMaxNm[i]!;
      const externalShare = Math.abs(this.externalNm[i]!) / (externalMaxNm[i]! + this.#toolNm[i]!);
      // Negated comparison: NaN counts as beyond.
      if (!(servoShare <= 1)) servo = 1;
      if (!(externalShare <= 1)) external = 1;
      if (!Number.isNaN(worst) && !(Math.max(servoShare, externalShare) <= worst)) {
        worst = Math.max(servoShare, externalShare);
        this.worstJoint = i;
        this.worstNm = externalShare >= servoShare ? this.externalNm[i]! : this.servoNm[i]!;
      }
    }
    this.#servoBeyond = servo === 1 ? this.#servoBeyond + 1 : 0;
    this.#externalBeyond = external === 1 ? this.#externalBeyond + 1 : 0;
  }
}

/** Jᵀw of joint `i` of `n`, N·m. */
function reflectedNm(jacobian: Float64Array, i: number, n: number, wrench: Float64Array): number {
  let torqueNm = 0;
  for (let k = 0; k < 6; k++) torqueNm += jacobian[k * n + i]! * wrench[k]!;
  return torqueNm;
}
