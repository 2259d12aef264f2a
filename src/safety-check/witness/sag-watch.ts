/** Tells an arm that stands outside its box from one that swings there. */
import type { RobotModel } from '../../core/index.ts';

/** A joint slower than this share of its limit stands, and so long at least: the turn of a swing is shorter. */
const STANDS_SHARE = 0.03;
const STANDS_S = 0.25;

export class SagWatch {
  readonly #model: RobotModel;
  readonly #maxM: number;
  #stoodS = 0;

  /** `maxM`: how far outside it may stand. */
  constructor(model: RobotModel, maxM: number) {
    this.#model = model;
    this.#maxM = maxM;
  }

  /** By how much more than that an arm stands outside that is `outsideM` outside at speeds `velocityRadPerS` (n), `dtS` after the last call; 0: it does not. */
  beyondM(outsideM: number, velocityRadPerS: ArrayLike<number>, dtS: number): number {
    const isSlow = this.#model.joints.every(
      ({ velocityMaxRadPerS }, i) => Math.abs(velocityRadPerS[i]!) < STANDS_SHARE * velocityMaxRadPerS,
    );
    this.#stoodS = isSlow ? this.#stoodS + dtS : 0;
    return this.#stoodS >= STANDS_S ? Math.max(0, outsideM - this.#maxM) : 0;
  }
}
