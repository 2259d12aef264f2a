/** Distinguishes an arm that stands outside its box from one that swings there. */
import type { RobotModel } from '../../model/index.ts';

/** An arm stands if its joints have been slower than this share of their limits for this time, s: the turn of a swing is shorter. */
const STANDS_SHARE = 0.03;
const STANDS_S = 0.25;

export class SagWatch {
  readonly #model: RobotModel;
  readonly #maxM: number;
  #stoodS = 0;

  /** `maxM`: largest distance outside its box at which it may stand. */
  constructor(model: RobotModel, maxM: number) {
    this.#model = model;
    this.#maxM = maxM;
  }

  /**
   * Returns the amount beyond `maxM` of an arm that stands `outsideM` outside, with speeds `velocityRadPerS` (n), `dtS`
   * after the last call; 0 if it does not stand or is within.
   */
  beyondM(outsideM: number, velocityRadPerS: ArrayLike<number>, dtS: number): number {
    const isSlow = this.#model.joints.every(
      ({ velocityMaxRadPerS }, i) => Math.abs(velocityRadPerS[i]!) < STANDS_SHARE * velocityMaxRadPerS,
    );
    this.#stoodS = isSlow ? this.#stoodS + dtS : 0;
    return this.#stoodS >= STANDS_S ? Math.max(0, outsideM - this.#maxM) : 0;
  }
}
