/** Watches whether the robot does what it is asked: a reading that stands still under command, and a reference that is not reached. */
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
} from '../../core/index.ts';
import { FROZEN_READING, STALLED, TRACKING_ERROR } from '../fault-table/flags.ts';

/** A reading counts as the same within this: bits of noise below any encoder's step, rad or m. */
const SAME = 1e-6;
/** And within so many times its noise, a count of a bus servo: an encoder without its magnet, or frozen beside a live bus, flickers by as much. */
const FLICKER_NOISES = 1;
/** Share of its highest speed at which a joint was asked to move. */
const COMMANDED_SHARE = 0.05;
const FROZEN_AFTER_S = 0.1;
/**
 * A reference that went less far than so many times the encoder's noise may not have moved a joint of a coarse encoder: such servos break
 * loose with an error of some counts (4 of 4096 a turn where 0.05 N·m of dry friction meet 18 N·m/rad, either way).
 */
const STICTION_NOISES = 10;
/** A reference that went so many times the way that a joint's dry friction takes has moved it, also by the lag of its servo. */
export const STICTION_BANDS = 1.5;
/** Wheels need time to break loose, and odometry to notice. */
const FREE_FROZEN_AFTER_S = 0.5;
/** Share of its torque with which a joint that does not move is held by something, and its encoder is not to blame. */
const CAP_SHARE = 0.9;
/** Torques of servos are estimates: a gripper within this share of its limit keeps it. */
const LIMIT_SHARE = 1.1;
/** Share of the torque that its stiffness gives at this error, with which a gripper is taken to press on something. */
const PRESSING_SHARE = 0.5;
/**
 * Share of what its stiffness gives for the way of the reference, by which a servo's torque has risen that pushes against something. Stiffness
 * and torque of hobby servos are estimates, and their voltage sags.
 */
const HELD_SHARE = 0.4;
/**
 * So long at most where one joint alone pushes: a servo whose own encoder has frozen does so in the same way, and its joint runs. What holds the
 * tool is felt by others beside it, for as long as it likes.
 */
const HELD_S = 0.5;
/** Share of what counts as asking a joint to move, by which its reference has gone where it is held beside another; or of its cap, as it pulls. */
const BACKED_SHARE = 0.25;
const BACKED_CAP_SHARE = 0.65;
/** Share of its cap by which the torque of another joint has risen since either of them moved last: a weight was there before. */
const RISEN_CAP_SHARE = 0.3;
/** Of what counts as asking a joint to move: stiff ones pull with all they have sooner. */
const REACH_LEAST = 2;
/** Row 43: a joint, rad. */
export const LARGEST_ERROR_RAD = 0.2;
/** Of the tool, and of joints that slide. */
export const LARGEST_ERROR_M = 0.03;
const LARGEST_ERROR_AFTER_S = 0.1;
/** Sums of periods are no more exact than this, s. */
const ROUNDING_S = 1e-9;

/**
 * Rows 14, 37 and 43. A joint that gives the torque of its cap and does not move is stalled, and one whose torque has risen as its servo's
 * law says is held by something: readings that stand still are frozen where nothing else explains them. A joint beside the tool, a gripper, may press on what it holds with all that it may give. Tick-safe after construction.
 */
export class FollowingWatchdog {
  /**
   * [n] how far the reference has gone on in front of a reading that stands still, beyond half of what counts as asking it to move, rad or
   * m: what a joint that stands is pressed with against something. 0 for a joint that follows.
   */
  readonly beyondRad: Float64Array;
  readonly #joints: readonly JointModel[];
  /** [n] a reference that goes so far asks the joint to move, rad or m. */
  readonly #leastRad: Float64Array;
  /** [n] a reading that moves by no more stands, rad or m. */
  readonly #flickerRad: Float64Array;
  /** [n] by how much a joint lags that stands by coarse counts while it turns round, s; 0 for others. */
  readonly #lagS: Float64Array;
  /** [n] where a servo that lags by that would be, and was when the reading changed last, rad or m. */
  readonly #follows: Float64Array;
  readonly #followsThen: Float64Array;
  /** [n] with how much torque it may pull, N·m, which may be less than its limit. */
  readonly #capNm: Float64Array;
  /** [n] a reference that is farther ahead pulls no harder than one that is so far, and asks for no more, rad or m. */
  readonly #reachRad: Float64Array;
  /** [n] the reading that has not changed since, where the reference was then, and with which torque (N·m). */
  readonly #still: Float64Array;
  readonly #referenceThen: Float64Array;
  readonly #reference: Float64Array;
  /** [n] how far it has gone since then, as far as that asks for more or less torque, rad or m. */
  readonly #goneRad: Float64Array;
  /** [n] the farthest of that since it stands still, rad or m: less than what asks it to move, its own friction may hold it by. */
  readonly #farthestRad: Float64Array;
  /** [n] how long the reference has stood, s. */
  readonly #unaskedS: Float64Array;
  readonly #torqueThen: Float64Array;
  /** [n] the reading when the joint moved last, by as much as asks it to move: a count of its encoder more or less is no motion. */
  readonly #movedRad: Float64Array;
  /** [n × n] torque of each joint, by column, when that of the row moved last, N·m. */
  readonly #torqueAsMoved: Float64Array;
  readonly #stillS: Float64Array;
  /** [n] how long the reference has been too far ahead, s. */
  readonly #awayS: Float64Array;
  readonly #asked: ArmKinematics | undefined;
  readonly #measured: ArmKinematics | undefined;
  /** [n] the joint moves no tool: a gripper. */
  readonly #isBeside: readonly boolean[];
  /** [1] since the reading before, s. */
  readonly #passedS: Float64Array = new Float64Array(1);
  #toolAwayS = 0;
  #hasReading = false;

  /** `capNm` (n): to what the driver limits each joint's torque; absent: to what the model does. */
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

  /** Nothing is asked of the robot, or the reference was put elsewhere: what was seen so far means nothing. */
  restart(): void {
    this.#hasReading = false;
    this.beyondRad.fill(0);
    this.#awayS.fill(0);
    this.#toolAwayS = 0;
  }

  /**
   * Judges the newest trusted reading `positionRad` (n) under the reference `referenceRad` (n), `dtS` after the last
   * call, while the servos follow. A period that is not a number, or negative, lets no time pass. `torqueNm` (n): measured with it;
   * absent or NaN: not measured.
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
      // Not by a function: V8 would box what it gives.
      this.beyondRad[i] = Math.sign(goneRad) * Math.max(0, Math.abs(goneRad) - this.#leastRad[i]! / 2);
      const isPressing = this.#isBeside[i]! && this.#presses(i, reference - position, torque);
      const isAway = this.#isAway(i, isPressing ? 0 : reference - position, passedS);
      if (isFrozen && !isPressing) flags |= this.#flagOf(i, torqueNm);
      if (isAway) flags |= TRACKING_ERROR;
    }
    this.#hasReading = true;
    return this.#isToolAway(referenceRad, positionRad, passedS) ? flags | TRACKING_ERROR : flags;
  }

  /** The reference went as far as a twentieth of the highest speed goes in the time, and the reading is still the same. */
  #isFrozen(
    i: number,
    referenceRad: ArrayLike<number>,
    positionRad: ArrayLike<number>,
    torques: ArrayLike<number> | undefined,
  ): boolean {
    // By arrays: V8 would box each number that it hands over.
    const position = positionRad[i]!;
    const reference = referenceRad[i]!;
    const torqueNm = torques?.[i] ?? Number.NaN;
    const passedS = this.#passedS[0]!;
    const leastRad = this.#leastRad[i]!;
    const isAsked = Math.abs(reference - this.#reference[i]!) > SAME;
    this.#reference[i] = reference;
    // By the law of the servo, q̇ = (r − q) / lag.
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
    // A servo at its limit pulls no less before its reference is within its reach again: until then, one that comes back asks for nothing.
    const reachRad = this.#reachRad[i]!;
    const errorRad = reference - position;
    const errorThenRad = this.#referenceThen[i]! - position;
    const nowRad = Math.min(reachRad, Math.max(-reachRad, errorRad));
    const thenRad = Math.min(reachRad, Math.max(-reachRad, errorThenRad));
    // Out of reach and farther out than it was, it is asked on.
    const side = Math.sign(errorRad);
    const outRad = side * (errorRad - nowRad) - Math.max(0, side * (errorThenRad - thenRad));
    this.#goneRad[i] = nowRad - thenRad + side * Math.max(0, outRad);
    // A joint that stood, asked for nothing, or for less than what breaks it loose, has not been frozen all that time: it is given its time.
    const goneRad = Math.abs(this.#goneRad[i]!);
    if (goneRad > this.#farthestRad[i]!) this.#farthestRad[i] = goneRad;
    this.#unaskedS[i] = isAsked ? 0 : this.#unaskedS[i]! + passedS;
    if (goneRad <= SAME || (this.#unaskedS[i]! >= FROZEN_AFTER_S && goneRad < leastRad)) {
      this.#stillS[i] = 0;
      return false;
    }
    this.#stillS[i] = this.#stillS[i]! + passedS;
    if (this.#stillS[i]! < frozenAfterS(this.#joints[i]!) - ROUNDING_S) return false;
    // What its servo has not followed yet is not asked of the joint.
    return goneRad >= leastRad && Math.abs(this.#follows[i]! - this.#followsThen[i]!) >= leastRad;
  }

  /**
   * What a reading of joint `i` means that stands still while the reference goes: a stall at its limit; no fault, for a while, where the
   * torque has risen as its servo's law says, as something holds the joint; and then one at its cap.
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

  /** The torque of joint `i` has risen with its reference as its servo's law says. */
  #isHeld(i: number, torqueNm: number): boolean {
    const goneRad = this.#goneRad[i]!;
    const risenNm = (torqueNm - this.#torqueThen[i]!) * Math.sign(goneRad);
    const pulledRad = Math.min(this.#reachRad[i]!, Math.abs(goneRad));
    return risenNm >= HELD_SHARE * this.#joints[i]!.stiffnessNmPerRad * pulledRad;
  }

  /** Keeps the torques of all joints as they are while joint `i` moves. */
  #seeMotion(i: number, positionRad: ArrayLike<number>, torques: ArrayLike<number> | undefined): void {
    const n = this.#still.length;
    if (this.#hasReading && Math.abs(positionRad[i]! - this.#movedRad[i]!) < this.#leastRad[i]!) return;
    this.#movedRad[i] = positionRad[i]!;
    for (let j = 0; j < n; j++) this.#torqueAsMoved[i * n + j] = torques?.[j] ?? Number.NaN;
  }

  /** Some other joint that moves the tool is held as well: it pulls as it did not before joint `i` stood still. */
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

  /** The torque of joint `j` has risen while joint `i` stands, and it as well: what moves, or gives way to a weight, bears more by that. */
  #hasRisen(i: number, j: number, torqueNm: number): boolean {
    const n = this.#still.length;
    const mostNm = RISEN_CAP_SHARE * this.#capNm[j]!;
    const asMoved = this.#torqueAsMoved;
    return Math.abs(torqueNm - asMoved[i * n + j]!) >= mostNm && Math.abs(torqueNm - asMoved[j * n + j]!) >= mostNm;
  }

  /** Whether joint `i` pushes towards where it is asked to be, as its servo would, and no harder than it may. */
  #presses(i: number, errorRad: number, torqueNm: number): boolean {
    const { torqueMaxNm, stiffnessNmPerRad } = this.#joints[i]!;
    const expectedNm = Math.min(torqueMaxNm, stiffnessNmPerRad * Math.abs(errorRad));
    const towardsNm = errorRad < 0 ? -torqueNm : torqueNm;
    return towardsNm >= PRESSING_SHARE * expectedNm && towardsNm <= LIMIT_SHARE * torqueMaxNm && expectedNm > 0;
  }

  /** Odometry drifts from what was asked for, so distances driven are not compared. */
  #isAway(i: number, errorRad: number, passedS: number): boolean {
    const joint = this.#joints[i]!;
    const largest = joint.kind === 'prismatic' ? LARGEST_ERROR_M : LARGEST_ERROR_RAD;
    const isNear = isFree(joint) || Math.abs(errorRad) <= largest;
    this.#awayS[i] = isNear ? 0 : this.#awayS[i]! + passedS;
    return this.#awayS[i]! >= LARGEST_ERROR_AFTER_S - ROUNDING_S;
  }

  /** Small errors of long arms. A base has no tool. */
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

/** A reference that goes so far asks the joint to move, rad or m, whatever its encoder and its friction. */
export function askedRad(joint: JointModel): number {
  return Math.max(commandedRad(joint), STICTION_NOISES * encoderNoiseOf(joint), STICTION_BANDS * stictionBandOf(joint));
}

/** A reading that moves by no more stands, rad or m. */
export function flickerRad(joint: JointModel): number {
  return SAME + FLICKER_NOISES * encoderNoiseOf(joint);
}

/** A joint that is asked to go so far, rad or m, is asked to move. */
function commandedRad(joint: JointModel): number {
  return COMMANDED_SHARE * joint.velocityMaxRadPerS * frozenAfterS(joint);
}

function frozenAfterS(joint: JointModel): number {
  return isFree(joint) ? FREE_FROZEN_AFTER_S : FROZEN_AFTER_S;
}
