/** Where a mobile base is by its references: the witness of its fence. */
import type { BaseModel } from '../../../core/index.ts';

/** Pieces that a tick's motion is cut into. */
const PIECES = 4;

/** Integrates the references of one base, which begins at its fence's origin. */
export class FenceTrack {
  readonly #base: BaseModel;
  readonly #last: Float64Array;
  xM = 0;
  yM = 0;
  yawRad = 0;

  constructor(base: BaseModel, axes: number) {
    this.#base = base;
    this.#last = new Float64Array(axes);
  }

  /** The base stands where it stood, and its axes read `axes` from now on. */
  restart(axes: ArrayLike<number>): void {
    this.#last.set(axes);
  }

  /** Moves to the references `axes`; returns the distance of the base's outline to the fence, m; negative outside. */
  moveTo(axes: ArrayLike<number>): number {
    const { kind, wheelbaseM = 1 } = this.#base;
    const last = this.#last;
    const change = (i: number): number => (axes[i]! - last[i]!) / PIECES;
    for (let piece = 0; piece < PIECES; piece++) {
      let turn = 0;
      if (kind === 'ackermann') {
        const steering = last[1]! + (piece + 0.5) * change(1);
        turn = (change(0) * Math.tan(steering)) / wheelbaseM;
      } else turn = change(kind === 'holonomic' ? 2 : 1);
      const middle = this.yawRad + turn / 2;
      const sideways = kind === 'holonomic' ? change(1) : 0;
      this.xM += change(0) * Math.cos(middle) - sideways * Math.sin(middle);
      this.yM += change(0) * Math.sin(middle) + sideways * Math.cos(middle);
      this.yawRad += turn;
    }
    last.set(axes);
    return this.#marginM();
  }

  #marginM(): number {
    const { fence } = this.#base;
    if (fence === undefined) return Number.POSITIVE_INFINITY;
    const { minM, maxM, radiusM } = fence;
    return Math.min(this.xM - minM[0], maxM[0] - this.xM, this.yM - minM[1], maxM[1] - this.yM) - radiusM;
  }
}
