/** Checks that the robot follows its commands: frozen readings under command, and references that are not reached. */
import {
  ArmKinematics,
  encoderNoiseOf,
  isFree,
  type JointModel,
  LinkTopology,
  type RobotModel,
  servoLagS,
  servosLead,
  stictionBandOf,
} from '../../model/index.ts';
import { FROZEN_READING, STALLED, TRACKING_ERROR } from '../fault-table/flags.ts';

/** Tolerance within which readings count as the same: bits of noise below any encoder's step, rad or m. */
const SAME = 1e-6;
/**
 * The same as a multiple of the encoder noise, a count of a bus servo: an encoder without its magnet, or frozen beside
 * a live bus, flickers by as much.
 */
const FLICKER_NOISES = 1;
/** Speed, as a share of a joint's highest, from which on it counts as asked to move. */
const COMMANDED_SHARE = 0.05;
const FROZEN_AFTER_S = 0.1;
/**
 * Reference motion, as a multiple of the encoder noise, that may be too small to move a joint of a coarse encoder: such
 * servos break loose at an error of some counts (4 of 4096 per turn where 0.05 N·m of dry friction meet 18 N·m/rad,
 * either way).
 */
const STICTION_NOISES = 10;
/** Reference motion, as a multiple of a joint's stiction band, that is certain to move it, even with its servo's lag. */
export const STICTION_BANDS = 1.5;
/** Wheels need time to break loose, and odometry to notice. */
const FREE_FROZEN_AFTER_S = 0.5;
/** Share of its torque above which a joint that does not move is blocked, rather than its encoder frozen. */
const CAP_SHARE = 0.9;
/** Tolerance of a gripper's torque limit: servo torques are estimates. */
const LIMIT_SHARE = 1.1;
/** Share of the torque expected from its stiffness at the present error above which a gripper is taken to press on something. */
const PRESSING_SHARE = 0.5;
/**
 * Share of the torque expected from its stiffness for the reference's motion by which a servo's torque must have risen
 * to count as pushing against something. Stiffness and torque of hobby servos are estimates, and their voltage sags.
 */
const HELD_SHARE = 0.4;
/**
 * Longest time for which one joint may push alone: a servo whose own encoder has frozen pushes in the same way while
 * its joint runs. A blocked tool loads other joints too, and is tolerated for as long as it lasts.
 */
const HELD_S = 0.5;
/**
 * Share of `askedRad` by which the reference of another joint must have gone for it to count as held too; or share of
 * its cap at which it pulls.
 */
const BACKED_SHARE = 0.25;
const BACKED_CAP_SHARE = 0.65;
/** Rise of another joint's torque, as a share of its cap, since either of the two moved last: an earlier weight does not count. */
const RISEN_CAP_SHARE = 0.3;
/** As a multiple of `askedRad`: stiff joints reach their full torque earlier. */
const REACH_LEAST = 2;
/** Largest error of a joint, rad (row 43). */
export const LARGEST_ERROR_RAD = 0.2;
/** Largest error of the tool, and of prismatic joints, m. */
export const LARGEST_ERROR_M = 0.03;
const LARGEST_ERROR_AFTER_S = 0.1;
/** Rounding of summed periods, s. */
const ROUNDING_S = 1e-9;

/**
 * Rows 14, 37 and 43. A joint at its torque cap that does not move is stalled, and one whose torque has risen by its
 * servo's law is blocked: unchanged readings count as frozen only if nothing else explains them. A joint besides the
 * tool, a gripper, may press on what it holds with all its permitted torque. Tick-safe after construction.
 */
export class FollowingWatchdog {
  /**
   * [n] motion of the reference since the reading stands still, beyond half of what counts as asking the joint to move,
   * rad or m: the displacement that presses a standing joint against something. 0 for a joint that follows.
   */
  readonly beyondRad: Float64Array;
  readonly #joints: readonly JointModel[];
  /** [n] reference motion that counts as asking the joint to move, rad or m. */
  readonly #leastRad: Float64Array;
  /** [n] largest change of a reading that counts as standing, rad or m. */
  readonly #flickerRad: Float64Array;
  /** [n] servo lag of a joint whose reading stands at coarse counts while it reverses, s; 0 for others. */
  readonly #lagS: Float64Array;
  /** [n] modelled position of a servo with that lag, now and when the reading changed last, rad or m. */
  readonly #follows: Float64Array;
  readonly #followsThen: Float64Array;
  /** [n] torque cap, N·m, which may be below the joint's limit. */
  readonly #capNm: Float64Array;
  /** [n] lead at which the torque reaches its cap: a reference farther ahead demands no more, rad or m. */
  readonly #reachRad: Float64Array;
  /** [n] the reading that has not changed since, the reference then, and the torque then (N·m). */
  readonly #still: Float64Array;
  readonly #referenceThen: Float64Array;
  readonly #reference: Float64Array;
  /** [n] motion of the reference since then, as far as it changes the demanded torque, rad or m. */
  readonly #goneRad: Float64Array;
  /**
   * [n] its largest magnitude since the reading stands still, rad or m: below what asks the joint to move, its own
   * friction may hold it.
   */
  readonly #farthestRad: Float64Array;
  /** [n] time for which the reference has stood, s. */
  readonly #unaskedS: Float64Array;
  readonly #torqueThen: Float64Array;
  /** [n] reading at the joint's last motion of at least `askedRad`: a count of its encoder more or less is no motion. */
  readonly #movedRad: Float64Array;
  /** [n × n] torque of each joint (column) at the last motion of another (row), N·m. */
  readonly #torqueAsMoved: Float64Array;
  readonly #stillS: Float64Array;
  /** [n] time for which the error has been too large, s. */
  readonly #awayS: Float64Array;
  readonly #asked: ArmKinematics | undefined;
  readonly #measured: ArmKinematics | undefined;
  /** [n] true for a joint that does not move the tool: a gripper. */
  readonly #isBeside: readonly boolean[];
  /** [1] time since the last reading, s. */
  readonly #passedS: Float64Array = new Float64Array(1);
  #toolAwayS = 0;
  #hasReading = false;

  /** `capNm` (n): the driver's torque limit of each joint; the model's by default. */
  constructor(model: RobotModel, capNm: ArrayLike<number> = model.joints.map(({ torqueMaxNm }) => torqueMaxNm)) {
    const n = model.joints.length;
    this.#joints = model.joints;
    this.beyondRad = new Float64Array(n);
    this.#leastRad = Float64Array.from(model.joints, askedRad);
    const lags = model.base === undefined && !servosLead(model);
    this.#follows = new Float64Array(n);
    this.#followsThen = new Float64Array(n);
    this.#lagS = Float64Array.from(model.joints, (joint, i) =>
      lags && this.#leastRad[i]! > commandedRad(joint) ? servoLagS(joint) : 0,
    );
    this.#flickerRad = Float64Array.from(model.joints, flickerRad);
    this.#capNm = Float64Array.from(capNm);
    this.#reachRad = Float64Array.from(model.joints, (joint, i) =>
      isFree(joint)
        ? Number.POSITIVE_INFINITY
        : Math.max(capNm[i]! / joint.stiffnessNmPerRad, REACH_LEAST * this.#leastRad[i]!),
    );
    this.#still = new Float64Array(n);
    this.#referenceThen = new Float64Array(n);
    this.#reference = new Float64Array(n);
    this.#goneRad = new Float64Array(n);
    this.#farthestRad = new Float64Array(n);
    this.#unaskedS = new Float64Array(n);
    this.#torqueThen = new Float64Array(n);
    this.#movedRad = new Float64Array(n);
    this.#torqueAsMoved = new Float64Array(n * n);
    this.#stillS = new Float64Array(n);
    this.#awayS = new Float64Array(n);
    const topology = model.base === undefined ? new LinkTopology(model) : undefined;
    this.#isBeside = model.joints.map((_, i) => topology?.carriesTool(i) === false);
    if (model.base !== undefined) return;
    this.#asked = new ArmKinematics(model);
    this.#measured = new ArmKinematics(model);
  }

  /** Discards earlier readings: the robot is not commanded, or the reference was set elsewhere. */
  restart(): void {
    this.#hasReading = false;
    this.beyondRad.fill(0);
    this.#awayS.fill(0);
    this.#toolAwayS = 0;
  }

  /**
   * Checks the newest trusted reading `positionRad` (n) against the reference `referenceRad` (n), `dtS` after the last
   * call, while the servos follow. A NaN or negative period counts as 0. `torqueNm` (n): measured with it; absent or
   * NaN: not measured.
   */
  check(
    referenceRad: ArrayLike<number>,
    positionRad: ArrayLike<number>,
    dtS: number,
    torqueNm?: ArrayLike<number>,
  ): number {
    const passedS = dtS > 0 ? dtS : 0;
    this.#passedS[0] = passedS;
    let flags = 0;
    for (let i = 0; i < this.#still.length; i++) {
      const reference = referenceRad[i]!;
      const position = positionRad[i]!;
      const torque = torqueNm?.[i] ?? Number.NaN;
      const isFrozen = this.#isFrozen(i, referenceRad, positionRad, torqueNm);
      const goneRad = this.#goneRad[i]!;
      // Inline: V8 would box a function's result.
      this.beyondRad[i] = Math.sign(goneRad) * Math.max(0, Math.abs(goneRad) - this.#leastRad[i]! / 2);
      const isPressing = this.#isBeside[i]! && this.#presses(i, reference - position, torque);
      const isAway = this.#isAway(i, isPressing ? 0 : reference - position, passedS);
      if (isFrozen && !isPressing) flags |= this.#flagOf(i, torqueNm);
      if (isAway) flags |= TRACKING_ERROR;
    }
    this.#hasReading = true;
    return this.#isToolAway(referenceRad, positionRad, passedS) ? flags | TRACKING_ERROR : flags;
  }

  /** True if the reference has moved as far as 5 % of the highest speed goes in the time, and the reading is unchanged. */
  #isFrozen(
    i: number,
    referenceRad: ArrayLike<number>,
    positionRad: ArrayLike<number>,
    torques: ArrayLike<number> | undefined,
  ): boolean {
    // Passed as arrays: V8 would box each number.
    const position = positionRad[i]!;
    const reference = referenceRad[i]!;
    const torqueNm = torques?.[i] ?? Number.NaN;
    const passedS = this.#passedS[0]!;
    const leastRad = this.#leastRad[i]!;
    const isAsked = Math.abs(reference - this.#reference[i]!) > SAME;
    this.#reference[i] = reference;
    // Servo law: q̇ = (r − q) / lag.
    const lagS = this.#lagS[i]!;
    const share = this.#hasReading && lagS > 0 ? passedS / (lagS + passedS) : 1;
    this.#follows[i] = this.#follows[i]! + share * (reference - this.#follows[i]!);
    this.#seeMotion(i, positionRad, torques);
    if (!this.#hasReading || Math.abs(position - this.#still[i]!) > this.#flickerRad[i]!) {
      this.#still[i] = position;
      this.#referenceThen[i] = reference;
      this.#followsThen[i] = this.#follows[i]!;
      this.#torqueThen[i] = torqueNm;
      this.#stillS[i] = 0;
      this.#goneRad[i] = 0;
      this.#farthestRad[i] = 0;
      return false;
    }
    // A servo at its cap pulls no less until its reference is within reach again: until then, a reference that comes back demands nothing.
    const reachRad = this.#reachRad[i]!;
    const errorRad = reference - position;
    const errorThenRad = this.#referenceThen[i]! - position;
    const nowRad = Math.min(reachRad, Math.max(-reachRad, errorRad));
    const thenRad = Math.min(reachRad, Math.max(-reachRad, errorThenRad));
    // Out of reach and farther out than before, the joint is asked to move on.
    const side = Math.sign(errorRad);
    const outRad = side * (errorRad - nowRad) - Math.max(0, side * (errorThenRad - thenRad));
    this.#goneRad[i] = nowRad - thenRad + side * Math.max(0, outRad);
    // A joint that stood, asked for nothing, or for less than breaks it loose, was not frozen all that time: its time starts anew.
    const goneRad = Math.abs(this.#goneRad[i]!);
    if (goneRad > this.#farthestRad[i]!) this.#farthestRad[i] = goneRad;
    this.#unaskedS[i] = isAsked ? 0 : this.#unaskedS[i]! + passedS;
    if (goneRad <= SAME || (this.#unaskedS[i]! >= FROZEN_AFTER_S && goneRad < leastRad)) {
      this.#stillS[i] = 0;
      return false;
    }
    this.#stillS[i] = this.#stillS[i]! + passedS;
    if (this.#stillS[i]! < frozenAfterS(this.#joints[i]!) - ROUNDING_S) return false;
    // What the servo's lag has not followed yet is not demanded of the joint.
    return goneRad >= leastRad && Math.abs(this.#follows[i]! - this.#followsThen[i]!) >= leastRad;
  }

  /**
   * Flag for a reading of joint `i` that stands still while the reference moves: a stall at its torque limit; for a
   * while no fault, if the torque has risen by its servo's law, as the joint is blocked; after that a stall at its cap.
   */
  #flagOf(i: number, torques: ArrayLike<number> | undefined): number {
    if (torques === undefined) return FROZEN_READING;
    const torqueNm = torques[i]!;
    if (Math.abs(torqueNm) >= CAP_SHARE * this.#joints[i]!.torqueMaxNm) return STALLED;
    const isHeld = this.#isHeld(i, torqueNm);
    if (this.#stillS[i]! < HELD_S) return isHeld ? 0 : FROZEN_READING;
    if (Math.abs(torqueNm) >= CAP_SHARE * this.#capNm[i]!) return STALLED;
    return isHeld && this.#isBacked(i, torques) ? 0 : FROZEN_READING;
  }

  /** True if the torque of joint `i` has risen with its reference by its servo's law. */
  #isHeld(i: number, torqueNm: number): boolean {
    const goneRad = this.#goneRad[i]!;
    const risenNm = (torqueNm - this.#torqueThen[i]!) * Math.sign(goneRad);
    const pulledRad = Math.min(this.#reachRad[i]!, Math.abs(goneRad));
    return risenNm >= HELD_SHARE * this.#joints[i]!.stiffnessNmPerRad * pulledRad;
  }

  /** Records the torques of all joints while joint `i` moves. */
  #seeMotion(i: number, positionRad: ArrayLike<number>, torques: ArrayLike<number> | undefined): void {
    const n = this.#still.length;
    if (this.#hasReading && Math.abs(positionRad[i]! - this.#movedRad[i]!) < this.#leastRad[i]!) return;
    this.#movedRad[i] = positionRad[i]!;
    for (let j = 0; j < n; j++) this.#torqueAsMoved[i * n + j] = torques?.[j] ?? Number.NaN;
  }

  /** True if another joint that moves the tool is held as well: its torque has risen since joint `i` stopped moving. */
  #isBacked(i: number, torques: ArrayLike<number>): boolean {
    for (let j = 0; j < this.#still.length; j++) {
      const torqueNm = torques[j]!;
      if (j === i || this.#isBeside[j]!) continue;
      const capNm = this.#capNm[j]!;
      if (Math.abs(torqueNm) >= BACKED_CAP_SHARE * capNm && this.#hasRisen(i, j, torqueNm)) return true;
      const isAhead = Math.abs(this.#goneRad[j]!) >= BACKED_SHARE * this.#leastRad[j]!;
      const hasGone = this.#farthestRad[j]! >= this.#leastRad[j]!;
      if (isAhead && hasGone && this.#isHeld(j, torqueNm)) return true;
    }
    return false;
  }

  /**
   * True if the torque of joint `j` has risen while joint `i` stands, and while `j` itself stands: the load of a joint
   * that moves, or yields to a weight, rises by that alone.
   */
  #hasRisen(i: number, j: number, torqueNm: number): boolean {
    const n = this.#still.length;
    const mostNm = RISEN_CAP_SHARE * this.#capNm[j]!;
    const asMoved = this.#torqueAsMoved;
    return Math.abs(torqueNm - asMoved[i * n + j]!) >= mostNm && Math.abs(torqueNm - asMoved[j * n + j]!) >= mostNm;
  }

  /** True if joint `i` pushes towards its reference, as its servo would, and within its torque limit. */
  #presses(i: number, errorRad: number, torqueNm: number): boolean {
    const { torqueMaxNm, stiffnessNmPerRad } = this.#joints[i]!;
    const expectedNm = Math.min(torqueMaxNm, stiffnessNmPerRad * Math.abs(errorRad));
    const towardsNm = errorRad < 0 ? -torqueNm : torqueNm;
    return towardsNm >= PRESSING_SHARE * expectedNm && towardsNm <= LIMIT_SHARE * torqueMaxNm && expectedNm > 0;
  }

  /** Driven distances are not compared: odometry drifts from the reference. */
  #isAway(i: number, errorRad: number, passedS: number): boolean {
    const joint = this.#joints[i]!;
    const largest = joint.kind === 'prismatic' ? LARGEST_ERROR_M : LARGEST_ERROR_RAD;
    const isNear = isFree(joint) || Math.abs(errorRad) <= largest;
    this.#awayS[i] = isNear ? 0 : this.#awayS[i]! + passedS;
    return this.#awayS[i]! >= LARGEST_ERROR_AFTER_S - ROUNDING_S;
  }

  /** Detects small joint errors that add up on long arms. A base has no tool. */
  #isToolAway(referenceRad: ArrayLike<number>, positionRad: ArrayLike<number>, passedS: number): boolean {
    if (this.#asked === undefined || this.#measured === undefined) return false;
    this.#asked.forward(referenceRad);
    this.#measured.forward(positionRad);
    const a = this.#asked.tcpPositionM;
    const b = this.#measured.tcpPositionM;
    const x = a[0]! - b[0]!;
    const y = a[1]! - b[1]!;
    const z = a[2]! - b[2]!;
    this.#toolAwayS = Math.sqrt(x * x + y * y + z * z) <= LARGEST_ERROR_M ? 0 : this.#toolAwayS + passedS;
    return this.#toolAwayS >= LARGEST_ERROR_AFTER_S - ROUNDING_S;
  }
}

/** Reference motion that counts as asking the joint to move, rad or m, despite encoder noise and friction. */
export function askedRad(joint: JointModel): number {
  return Math.max(commandedRad(joint), STICTION_NOISES * encoderNoiseOf(joint), STICTION_BANDS * stictionBandOf(joint));
}

/** Largest change of a reading that counts as standing, rad or m. */
export function flickerRad(joint: JointModel): number {
  return SAME + FLICKER_NOISES * encoderNoiseOf(joint);
}

/** Reference motion, rad or m, at the least speed that counts as asking a joint to move. */
function commandedRad(joint: JointModel): number {
  return COMMANDED_SHARE * joint.velocityMaxRadPerS * frozenAfterS(joint);
}

function frozenAfterS(joint: JointModel): number {
  return isFree(joint) ? FREE_FROZEN_AFTER_S : FROZEN_AFTER_S;
}
