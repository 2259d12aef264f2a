/**
 * An arm of position servos that has come to stand while it presses on something presses on, as hard as its reference is ahead of it: at
 * its torque limit that is a stall half a second later (row 37), on what does not give way a reading that stands still under command (row
 * 14), and a servo that grows hot. Its reference goes back until no joint pulls with more than half of its limit, and to where a joint whose
 * reading stands still has followed it. What it asks for passes the whole chain. Pure: tick-safe after construction.
 */
import { isGravityCompensated, LinkTopology, type RobotModel } from '../core/index.ts';

/** Share of a joint's torque limit with which it may press while it stands; most arms' weight takes less. */
export const PRESSING_SHARE = 0.5;
/** Time constant of what is above that, s. */
const TIME_CONSTANT_S = 0.1;
/** So little is nothing, rad. */
const DONE_RAD = 5e-4;

export class PressureRelief {
  /** [n] what the chain is to ask for in this tick, rad/s. */
  readonly wantedRadPerS: Float64Array;
  /** [n] by how much a set-point may be ahead of its joint, rad; a gripper holds what it holds. */
  readonly #mostRad: Float64Array;
  /** [n] how far each may go back, rad: under a weight that is more than half of the limit an arm would else sink for ever. */
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
   * Whether an arm that only its servos hold stands off `referenceRad` by no more than its weight, or half of its limits, explains: what
   * torque held at `positionRad` (both [n], rad) all the while may go on from its reference. Tick-safe.
   */
  isHolding(referenceRad: ArrayLike<number>, positionRad: ArrayLike<number>): boolean {
    if (!this.#isUsed) return false;
    for (let i = 0; i < this.#mostRad.length; i++) {
      // Written so that a NaN is none.
      if (!(Math.abs(referenceRad[i]! - positionRad[i]!) <= this.#mostRad[i]!)) return false;
    }
    return true;
  }

  /** It was moved, or has no torque: the next tick in which it stands is the first. */
  restart(): void {
    this.#isFresh = true;
  }

  /**
   * One tick of an arm that stands: true where `wantedRadPerS` is to be asked for. `beyondRad` ([n]): of `FollowingWatchdog`; all in rad.
   */
  step(sentRad: ArrayLike<number>, positionRad: ArrayLike<number>, beyondRad: ArrayLike<number>, dtS: number): boolean {
    if (!this.#isUsed || !(dtS > 0)) return false;
    let isAsked = false;
    for (let i = 0; i < this.wantedRadPerS.length; i++) {
      const mostRad = this.#mostRad[i]!;
      if (mostRad === Number.POSITIVE_INFINITY) continue;
      const aheadRad = sentRad[i]! - positionRad[i]!;
      const pullRad = Math.sign(aheadRad) * Math.max(0, Math.abs(aheadRad) - mostRad);
      // Only what pushes on in the same way.
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
