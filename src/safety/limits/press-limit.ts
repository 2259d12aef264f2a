/**
 * Limits the contact force of an arm of position servos: a blocked joint's torque grows with the lead of its reference.
 * At its cap it counts as stalled half a second later (row 37), and farther on the tool is too far behind (row 43). So
 * the reference of a joint that stands, is pushed back, or hardly moves may lead only until the torque is a share of
 * its cap; what is requested beyond is shortfall. The reference of a joint that pulls harder retreats, but not for
 * ever: a weight would follow it down. Runs before the limiter: it changes requests only.
 */
import {
  type ArmKinematics,
  isGravityCompensated,
  LinkTopology,
  type RobotModel,
  servoLagS,
} from '../../model/index.ts';
import { TARGET_LEASHED } from '../bits.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';
import { askedRad, flickerRad } from '../watch/following.ts';

/** Share of a joint's torque cap with which it may press; drivers and rows report a stall from 0.8 or 0.9 on. */
export const PRESS_SHARE = 0.7;
/** Share above which the reference retreats, so that the joint is not reported as stalled. */
const RELIEF_SHARE = 0.8;
/** Largest retreat of a reference, as a share of its permitted lead, before the joint's torque is below its share again. */
const BACK_SHARE = 0.5;
/**
 * Share of its permitted lead above which a joint stops pressing further while another joint is beyond its relief
 * share, as it pushes that one back.
 */
const BESIDE_SHARE = 0.5;
/** Largest lead of the reference's tool point, m: less than row 43 tolerates, with room for motion that arrives meanwhile. */
const TOOL_M = 0.022;
const LEVER_LEAST_M = 1e-3;
/** Speed towards its reference, as a share of the highest, above which a joint moves freely: its torque is then due to its own inertia. */
const FREE_SHARE = 0.15;
/** Smoothing time of readings, s: a coarse encoder moves by counts. */
const SMOOTHED_S = 0.06;
/** Time constant of reducing a lead above the limit, s: the excess came from motion. */
const BACK_S = 0.1;

/**
 * A joint that is commanded further at its limit for this time, s, with no other joint held, whose reading stands although
 * its reference has not gone far enough to count as asked to move (`askedRad`), may have a frozen encoder and be
 * running: its reference retreats by more than that distance, within the time here. A joint under a weight follows it,
 * and one that does not follow is caught by row 14.
 */
const DOUBT_AFTER_S = 0.5;
const DOUBT_BACK = 1.2;
const DOUBT_BACK_S = 0.2;
/** The reference waits there for row 14 until this time, s, after the joint was first commanded further at its limit. */
const DOUBT_ENDS_S = 1.2;
/** A target ahead of the reference by no more than this requests no motion: rounding, rad. */
const NO_WAY_RAD = 1e-6;
/** Multiple of `askedRad` within which a reading counts as near `#shown`. */
const SHOWN_NEAR = 2;
/** Share of `askedRad` from which on another standing joint may be held. */
const OTHER_SHARE = 0.25;

/** Tick path after construction. */
export class PressLimit {
  readonly #freeRadPerS: Float64Array;
  readonly #accel: Float64Array;
  /**
   * [n] largest lead of the reference over a standing joint, rad, infinite for a joint besides the tool; and the
   * additional lead per speed, s.
   */
  readonly #mostRad: Float64Array;
  readonly #lagS: Float64Array;
  /** [n] retreat of the reference since the joint's torque was last below its share, rad. */
  readonly #backRad: Float64Array;
  readonly #position: Float64Array;
  /** [n] the reading that has stood since, apart from its flicker; the reference then and now, rad. */
  readonly #still: Float64Array;
  readonly #referenceThen: Float64Array;
  readonly #reference: Float64Array;
  /** [n] modelled position of a lagging servo now, and then, rad. */
  readonly #follows: Float64Array;
  readonly #followsThen: Float64Array;
  readonly #flickerRad: Float64Array;
  /**
   * [n] reference motion that counts as asking a joint to move, rad; and the time for which a standing joint has been
   * commanded further at its limit, s.
   */
  readonly #askedRad: Float64Array;
  readonly #doubtS: Float64Array;
  /** [n] the side on which it was commanded further: a reference that retreats beyond the reading keeps it. */
  readonly #doubtSide: Float64Array;
  /**
   * [n] the reading at which the joint was last seen to follow a retreat: near it no new doubt arises, so that a weight
   * does not sink further each time.
   */
  readonly #shown: Float64Array;
  /** [n] smoothed speed, rad/s. */
  readonly #speed: Float64Array;
  /** [1] in an array: V8 would box a function's result. */
  readonly #leadM: Float64Array = new Float64Array(1);
  /** True if the reference followed a request in the last tick. */
  #hasFollowed = false;

  /** Returns a limit for robots whose weight is held by their servos, else `undefined`. `capNm` (n): torque limit of each joint. */
  static of(model: RobotModel, capNm: ArrayLike<number>): PressLimit | undefined {
    return !isGravityCompensated(model) && model.base === undefined ? new PressLimit(model, capNm) : undefined;
  }

  private constructor(model: RobotModel, capNm: ArrayLike<number>) {
    const n = model.joints.length;
    const topology = new LinkTopology(model);
    this.#freeRadPerS = Float64Array.from(model.joints, (joint) => FREE_SHARE * joint.velocityMaxRadPerS);
    this.#accel = Float64Array.from(model.joints, ({ accelMaxRadPerS2 }) => accelMaxRadPerS2);
    this.#mostRad = Float64Array.from(model.joints, ({ torqueMaxNm, stiffnessNmPerRad }, i) =>
      topology.carriesTool(i)
        ? (PRESS_SHARE * Math.min(torqueMaxNm, capNm[i]!)) / stiffnessNmPerRad
        : Number.POSITIVE_INFINITY,
    );
    this.#lagS = Float64Array.from(model.joints, servoLagS);
    this.#backRad = new Float64Array(n);
    this.#position = new Float64Array(n).fill(Number.NaN);
    this.#speed = new Float64Array(n);
    this.#still = new Float64Array(n).fill(Number.NaN);
    this.#referenceThen = new Float64Array(n).fill(Number.NaN);
    this.#reference = new Float64Array(n);
    this.#follows = new Float64Array(n).fill(Number.NaN);
    this.#followsThen = new Float64Array(n);
    this.#flickerRad = Float64Array.from(model.joints, flickerRad);
    this.#askedRad = Float64Array.from(model.joints, askedRad);
    this.#doubtS = new Float64Array(n);
    this.#doubtSide = new Float64Array(n);
    this.#shown = new Float64Array(n).fill(Number.NaN);
  }

  /** Called when the reference was set elsewhere. */
  restart(): void {
    this.#referenceThen.fill(Number.NaN);
    this.#follows.fill(Number.NaN);
    this.#doubtS.fill(0);
  }

  /** Takes the newest reading (n, rad) of every tick, before `apply`. A tick without `apply` requested nothing, which ends every doubt. */
  see(positionRad: ArrayLike<number>, times: TickTimes): void {
    if (!this.#hasFollowed) this.#doubtS.fill(0);
    this.#hasFollowed = false;
    const share = Math.min(1, times[PERIOD]! / SMOOTHED_S);
    for (let i = 0; i < this.#position.length; i++) {
      const movedRad = positionRad[i]! - this.#position[i]!;
      this.#position[i] = positionRad[i]!;
      if (!(Math.abs(positionRad[i]! - this.#still[i]!) <= this.#flickerRad[i]!)) {
        this.#still[i] = positionRad[i]!;
        this.#referenceThen[i] = Number.NaN;
        if (this.#doubtS[i]! >= DOUBT_AFTER_S) this.#shown[i] = positionRad[i]!;
        this.#doubtS[i] = 0;
      }
      const speed = this.#speed[i]! + share * (movedRad / times[PERIOD]! - this.#speed[i]!);
      this.#speed[i] = Number.isFinite(speed) ? speed : 0;
    }
  }

  /**
   * Clips `velocity` (n, rad/s) in place, for a reference at `referenceRad`, rad, the pose in `reference`. `wayRad`
   * (n): its remaining way to its target, rad; `velocity` is that way as fast as the joint may change its speed, so its
   * sign says less. Returns reason bits.
   */
  apply(
    velocity: Float64Array,
    wayRad: ArrayLike<number>,
    referenceRad: ArrayLike<number>,
    reference: ArmKinematics,
    times: TickTimes,
  ): number {
    this.#hasFollowed = true;
    let bits = 0;
    const jacobian = reference.jacobian();
    const n = velocity.length;
    this.#measureLead(referenceRad, jacobian);
    const leadM = this.#leadM[0]!;
    const isOneBeyond = this.#isOneBeyond(referenceRad);
    for (let i = 0; i < velocity.length; i++) {
      const aheadRad = referenceRad[i]! - this.#position[i]!;
      const side = aheadRad < 0 ? -1 : 1;
      const nearerRadPerS = side * this.#speed[i]!;
      this.#follow(i, referenceRad, times);
      // Negated comparison: NaN counts as free.
      if (!(nearerRadPerS < this.#freeRadPerS[i]!)) {
        this.#backRad[i] = 0;
        this.#doubtS[i] = 0;
        continue;
      }
      if (this.#mostRad[i] === Number.POSITIVE_INFINITY) continue;
      const ownRad = this.#mostRad[i]! + Math.max(0, nearerRadPerS) * this.#lagS[i]! - Math.abs(aheadRad);
      const x = jacobian[i]!;
      const y = jacobian[n + i]!;
      const z = jacobian[2 * n + i]!;
      const leverM = Math.sqrt(x * x + y * y + z * z);
      const toolRad =
        leadM <= TOOL_M
          ? (TOOL_M - leadM) / Math.max(leverM, LEVER_LEAST_M)
          : Math.abs(aheadRad) * (TOOL_M / leadM - 1);
      const roomRad = Math.min(ownRad, toolRad);
      if (roomRad >= 0) this.#backRad[i] = 0;
      const beyondRad = Math.max(-toolRad, -ownRad - (RELIEF_SHARE / PRESS_SHARE - 1) * this.#mostRad[i]!);
      const leftRad = BACK_SHARE * this.#mostRad[i]! - this.#backRad[i]!;
      // At most the speed from which it can stop in the room, and at most that room in one tick.
      let most = Math.min(roomRad / times[PERIOD]!, Math.sqrt(this.#accel[i]! * Math.max(0, roomRad)));
      if (isOneBeyond && Math.abs(aheadRad) > BESIDE_SHARE * this.#mostRad[i]!) most = 0;
      if (roomRad < 0) most = -Math.min(Math.max(0, beyondRad) / BACK_S, Math.max(0, leftRad) / times[PERIOD]!);
      const isAskedOn = side * velocity[i]! > most;
      if (this.#doubtS[i]! >= DOUBT_AFTER_S) {
        if (this.#doubtSide[i]! * wayRad[i]! > NO_WAY_RAD) {
          if (this.#goBack(i, velocity, referenceRad, times)) bits = TARGET_LEASHED;
          continue;
        }
        this.#doubtS[i] = 0;
      }
      const goneRad = side * (referenceRad[i]! - this.#referenceThen[i]!);
      const reliefRad = (RELIEF_SHARE / PRESS_SHARE - 1) * this.#mostRad[i]! + this.#flickerRad[i]!;
      const isShown = Math.abs(this.#position[i]! - this.#shown[i]!) < SHOWN_NEAR * this.#askedRad[i]!;
      const isUnjudged =
        side * velocity[i]! > Math.max(most, 0) && ownRad > -reliefRad && goneRad < this.#askedRad[i]! && !isShown;
      this.#doubtS[i] = isUnjudged && !this.#isOtherHeld(i) ? this.#doubtS[i]! + times[PERIOD]! : 0;
      this.#doubtSide[i] = side;
      if (!isAskedOn) continue;
      if (most < 0) this.#backRad[i] = this.#backRad[i]! - most * times[PERIOD]!;
      velocity[i] = side * most;
      bits = TARGET_LEASHED;
    }
    return bits;
  }

  /** Moves the reference of a doubted joint back by a tick, beyond its reading if needed. Returns true if `velocity` was changed. */
  #goBack(i: number, velocity: Float64Array, referenceRad: ArrayLike<number>, times: TickTimes): boolean {
    const side = this.#doubtSide[i]!;
    const doubtS = this.#doubtS[i]!;
    this.#doubtS[i] = doubtS < DOUBT_ENDS_S ? doubtS + times[PERIOD]! : 0;
    const goneRad = side * (referenceRad[i]! - this.#referenceThen[i]!);
    const followedRad = side * (referenceRad[i]! - this.#followsThen[i]!);
    const backRad = Math.max(0, Math.max(goneRad, followedRad) + DOUBT_BACK * this.#askedRad[i]!);
    const back = Math.min(backRad / times[PERIOD]!, this.#askedRad[i]! / DOUBT_BACK_S);
    if (side * velocity[i]! <= -back) return false;
    velocity[i] = -side * back;
    return true;
  }

  /** Updates the modelled servo position by the servo's law, as row 14 does. */
  #follow(i: number, referenceRad: ArrayLike<number>, times: TickTimes): void {
    const reference = referenceRad[i]!;
    const share = times[PERIOD]! / (this.#lagS[i]! + times[PERIOD]!);
    const follows = this.#follows[i]! + share * (reference - this.#follows[i]!);
    this.#follows[i] = Number.isFinite(follows) ? follows : reference;
    this.#reference[i] = reference;
    if (!Number.isNaN(this.#referenceThen[i]!)) return;
    this.#referenceThen[i] = reference;
    this.#followsThen[i] = this.#follows[i]!;
  }

  /** True if another joint that moves the tool stands under a request: the tool may be held. */
  #isOtherHeld(i: number): boolean {
    for (let j = 0; j < this.#mostRad.length; j++) {
      if (j === i || this.#mostRad[j] === Number.POSITIVE_INFINITY) continue;
      if (Math.abs(this.#reference[j]! - this.#referenceThen[j]!) >= OTHER_SHARE * this.#askedRad[j]!) return true;
    }
    return false;
  }

  /** True if some joint's torque is so high that its reference retreats: pressing by other joints would add to it. */
  #isOneBeyond(referenceRad: ArrayLike<number>): boolean {
    for (let i = 0; i < this.#mostRad.length; i++) {
      const aheadRad = Math.abs(referenceRad[i]! - this.#position[i]!);
      if (aheadRad > (RELIEF_SHARE / PRESS_SHARE) * this.#mostRad[i]!) return true;
    }
    return false;
  }

  /** Measures the lead of the reference's tool point over the arm's, m. */
  #measureLead(referenceRad: ArrayLike<number>, jacobian: Float64Array): void {
    const n = this.#position.length;
    let squareM2 = 0;
    for (let row = 0; row < 3; row++) {
      let sumM = 0;
      for (let i = 0; i < n; i++) sumM += jacobian[row * n + i]! * (referenceRad[i]! - this.#position[i]!);
      squareM2 += sumM * sumM;
    }
    this.#leadM[0] = Math.sqrt(squareM2);
  }
}
