/**
 * Relieves an arm of position servos that has come to rest while pressing. It would keep pressing as hard as its reference leads: at
 * the torque limit this is a stall half a second later (row 37), against a rigid object a frozen reading under command (row 14), and it
 * heats the servo. The reference moves back until no joint exceeds half of its torque limit, and to where a joint with a constant reading
 * has followed. The requested motion passes through the whole chain. Pure: tick-safe after construction.
 */
import { isGravityCompensated, LinkTopology, type RobotModel } from '../model/index.ts';

/** Fraction of a joint's torque limit allowed while the arm presses at rest; most arms' weight needs less. */
export const PRESSING_SHARE = 0.5;
/** Time constant with which the excess decays, s. */
const TIME_CONSTANT_S = 0.1;
/** Residue below which the relief is done, rad. */
const DONE_RAD = 5e-4;

export class PressureRelief {
  /** [n] velocities requested from the chain in this tick, rad/s. */
  readonly wantedRadPerS: Float64Array;
  /** [n] largest allowed lead of a set-point over its joint, rad; infinite for a gripper, which keeps its grasp. */
  readonly #mostRad: Float64Array;
  /** [n] position to which each joint may move back, rad: an arm whose weight exceeds half of the limit would otherwise sink for ever. */
  readonly #backToRad: Float64Array;
  readonly #isUsed: boolean;
  #isFresh = true;

  constructor(model: RobotModel) {
    this.#isUsed = !isGravityCompensated(model) && model.base === undefined;
    const topology = this.#isUsed ? new LinkTopology(model) : undefined;
    this.wantedRadPerS = new Float64Array(model.joints.length);
    this.#backToRad = new Float64Array(model.joints.length);
    this.#mostRad = Float64Array.from(model.joints, ({ torqueMaxNm, stiffnessNmPerRad }, i) =>
      topology?.carriesTool(i) === true ? (PRESSING_SHARE * torqueMaxNm) / stiffnessNmPerRad : Number.POSITIVE_INFINITY,
    );
  }

  /**
   * True if the deviation from `referenceRad` of an arm held by its servos alone is explained by its weight, or by half of its
   * limits: an arm held by torque at `positionRad` (both [n], rad) may then continue from its reference. Tick-safe.
   */
  isHolding(referenceRad: ArrayLike<number>, positionRad: ArrayLike<number>): boolean {
    if (!this.#isUsed) return false;
    for (let i = 0; i < this.#mostRad.length; i++) {
      // Written so that NaN is rejected.
      if (!(Math.abs(referenceRad[i]! - positionRad[i]!) <= this.#mostRad[i]!)) return false;
    }
    return true;
  }

  /** Called when the arm was moved or has no torque: the next tick at rest is the first. */
  restart(): void {
    this.#isFresh = true;
  }

  /** Runs one tick of an arm at rest; true if `wantedRadPerS` is to be requested. `beyondRad` ([n]): see `FollowingWatchdog`; all rad. */
  step(sentRad: ArrayLike<number>, positionRad: ArrayLike<number>, beyondRad: ArrayLike<number>, dtS: number): boolean {
    if (!this.#isUsed || !(dtS > 0)) return false;
    let isAsked = false;
    for (let i = 0; i < this.wantedRadPerS.length; i++) {
      const mostRad = this.#mostRad[i]!;
      if (mostRad === Number.POSITIVE_INFINITY) continue;
      const aheadRad = sentRad[i]! - positionRad[i]!;
      const pullRad = Math.sign(aheadRad) * Math.max(0, Math.abs(aheadRad) - mostRad);
      // Only an excess in the direction of the lead.
      const heldRad = beyondRad[i]! * aheadRad > 0 ? beyondRad[i]! : 0;
      const overRad = Math.abs(heldRad) > Math.abs(pullRad) ? heldRad : pullRad;
      if (this.#isFresh) this.#backToRad[i] = sentRad[i]! - overRad;
      const leftRad = Math.max(0, Math.sign(overRad) * (sentRad[i]! - this.#backToRad[i]!));
      const wayRad = Math.min(leftRad, Math.abs(overRad));
      const isOver = wayRad > DONE_RAD;
      this.wantedRadPerS[i] = isOver ? (-Math.sign(overRad) * wayRad) / Math.max(dtS, TIME_CONSTANT_S) : 0;
      isAsked ||= isOver;
    }
    this.#isFresh = false;
    return isAsked;
  }
}
