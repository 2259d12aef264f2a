/**
 * How hard an arm of position servos may press: a joint that is held pulls as hard as its reference is ahead of it. At its cap that is a stall
 * half a second later (row 37), and farther on the tool is too far behind (row 43). So the reference of a joint that stands, is pushed back, or
 * hardly moves, goes no farther ahead than it pulls with a share of its cap; what is asked for beyond is shortfall. One that pulls harder goes
 * back, and not for ever: a weight follows it down. In front of the limiter: what it changes is a wish.
 */
import {
  type ArmKinematics,
  isGravityCompensated,
  LinkTopology,
  type RobotModel,
  servoLagS,
} from '../../core/index.ts';
import { TARGET_LEASHED } from '../bits.ts';
import { PERIOD, type TickTimes } from '../tick-times.ts';
import { askedRad, flickerRad } from '../watch/following.ts';

/** Share of a joint's cap with which it may press; drivers and rows call it stalled from 0.8 or 0.9 on. */
export const PRESS_SHARE = 0.7;
/** Share from which on the reference goes back, not to be called stalled. */
const RELIEF_SHARE = 0.8;
/** A reference goes back by this share of what a joint may be ahead, at most, before the joint pulls with less than its share again. */
const BACK_SHARE = 0.5;
/** Share of its own from which on a joint presses beside others, and pushes them back. */
const BESIDE_SHARE = 0.5;
/** So far the tool's reference may be ahead of it, m: less than row 43 bears, with room for what arrives meanwhile. */
const TOOL_M = 0.022;
const LEVER_LEAST_M = 1e-3;
/** Share of its highest speed at which a joint comes nearer to its reference that moves freely: what it pulls with then is its own inertia. */
const FREE_SHARE = 0.15;
/** Readings are taken together for so long, s: a coarse encoder moves by counts. */
const SMOOTHED_S = 0.06;
/** Time constant of what is above the limit, s: it came from motion. */
const BACK_S = 0.1;

/**
 * A joint that is asked on at its limit for so long, s, alone, and whose reading stands although its reference has not gone as far as asks it
 * to move, may be one whose encoder has frozen, which runs: its reference goes back by more than that, in the time here. A weight follows it, and
 * what does not follow is seen by row 14.
 */
const DOUBT_AFTER_S = 0.5;
const DOUBT_BACK = 1.2;
const DOUBT_BACK_S = 0.2;
/** There it waits for row 14 until this, s from when the joint was first asked on at its limit. */
const DOUBT_ENDS_S = 1.2;
/** A target that is ahead of the reference by no more asks for nothing: rounding, rad. */
const NO_WAY_RAD = 1e-6;
/** So many times what asks a joint to move. */
const SHOWN_NEAR = 2;
/** Share of what asks a joint to move from which on one that stands may be held. */
const OTHER_SHARE = 0.25;

/** Tick path after construction. */
export class PressLimit {
  readonly #freeRadPerS: Float64Array;
  readonly #accel: Float64Array;
  /** [n] how far the reference may be ahead of a joint that stands, rad, infinite for one beside the tool; and what a speed adds to that, s. */
  readonly #mostRad: Float64Array;
  readonly #lagS: Float64Array;
  /** [n] how far the reference has gone back since the joint pulled with less than its share, rad. */
  readonly #backRad: Float64Array;
  readonly #position: Float64Array;
  /** [n] the reading that has not changed since, by more than its flicker; where the reference was then, and is, rad. */
  readonly #still: Float64Array;
  readonly #referenceThen: Float64Array;
  readonly #reference: Float64Array;
  /** [n] where a servo that lags would be, and would have been then, rad. */
  readonly #follows: Float64Array;
  readonly #followsThen: Float64Array;
  readonly #flickerRad: Float64Array;
  /** [n] what asks a joint to move, rad; and for how long one that stands has been asked on at its limit, s. */
  readonly #askedRad: Float64Array;
  readonly #doubtS: Float64Array;
  /** [n] the side on which it was asked on then: a reference that goes back beyond the reading keeps it. */
  readonly #doubtSide: Float64Array;
  /** [n] the reading that showed that it follows: near it there is no doubt again, so that a weight does not sink on by that. */
  readonly #shown: Float64Array;
  /** [n] rad/s, smoothed. */
  readonly #speed: Float64Array;
  /** [1] V8 would box what a function gives. */
  readonly #leadM: Float64Array = new Float64Array(1);
  /** The reference followed a wish in the last tick. */
  #hasFollowed = false;

  /** Of robots whose weight their servos hold, else `undefined`. `capNm` (n): to what each joint's torque is limited. */
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

  /** The reference was put elsewhere. */
  restart(): void {
    this.#referenceThen.fill(Number.NaN);
    this.#follows.fill(Number.NaN);
    this.#doubtS.fill(0);
  }

  /** The newest reading (n), rad, of every tick, before `apply`. A tick without `apply` asked for nothing, which ends every doubt. */
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
   * Clips `velocity` (n, rad/s) in place, for a reference at `referenceRad`, rad, where `reference` is. `wayRad` (n): what is left of it to its
   * target, rad; `velocity` is that as fast as the joint may change its speed, and its sign tells less. Returns reason bits.
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
      // Written so that what is not known is free.
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
      // As fast as it can stop in the room, and a tick's way of it at most.
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

  /** Moves the reference of a joint that is doubted back by a tick, beyond its reading too. True where `velocity` was changed. */
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

  /** By the law of the servo, as row 14 does. */
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

  /** Another joint that moves the tool stands under what it is asked for: something may hold the tool. */
  #isOtherHeld(i: number): boolean {
    for (let j = 0; j < this.#mostRad.length; j++) {
      if (j === i || this.#mostRad[j] === Number.POSITIVE_INFINITY) continue;
      if (Math.abs(this.#reference[j]! - this.#referenceThen[j]!) >= OTHER_SHARE * this.#askedRad[j]!) return true;
    }
    return false;
  }

  /** Some joint pulls so hard that it goes back: what others press with comes on top. */
  #isOneBeyond(referenceRad: ArrayLike<number>): boolean {
    for (let i = 0; i < this.#mostRad.length; i++) {
      const aheadRad = Math.abs(referenceRad[i]! - this.#position[i]!);
      if (aheadRad > (RELIEF_SHARE / PRESS_SHARE) * this.#mostRad[i]!) return true;
    }
    return false;
  }

  /** How far the reference's tool is ahead of the arm's, m. */
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
