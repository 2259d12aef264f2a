/** Pose of a mobile base by its references: the independent witness of its fence. */
import type { BaseModel } from '../../model/index.ts';

/** Number of pieces into which a tick's motion is cut. */
const PIECES = 32;

/** Poses of one base, from its references and from its measurements, beginning at its fence's origin. */
export class FenceTrack {
  readonly #base: BaseModel;
  readonly #reference: Track;
  readonly #measured: Track;
  #isPlaced = false;

  constructor(base: BaseModel, axes: number) {
    this.#base = base;
    this.#reference = { xM: 0, yM: 0, yawRad: 0, axes: new Float64Array(axes) };
    this.#measured = { xM: 0, yM: 0, yawRad: 0, axes: new Float64Array(axes) };
  }

  /** Restarts the references at the measured `axes`: the first time at the origin, later at the measured pose. */
  restart(axes: ArrayLike<number>): void {
    if (!this.#isPlaced) this.#measured.axes.set(axes);
    this.#isPlaced = true;
    if (axes.length === 0 || this.#reference.axes.every((value, i) => value === axes[i])) return;
    this.#advance(this.#measured, axes);
    Object.assign(this.#reference, this.#measured, { axes: Float64Array.from(axes) });
  }

  /** Advances; returns the distance of the base's outline, by its references, to the fence, m; negative outside. */
  moveTo(axes: ArrayLike<number>, measured: ArrayLike<number>): number {
    this.#advance(this.#reference, axes);
    this.#advance(this.#measured, measured);
    return this.#marginM(this.#reference);
  }

  #advance(track: Track, axes: ArrayLike<number>): void {
    const { kind, wheelbaseM = 1 } = this.#base;
    const last = track.axes;
    const change = (i: number): number => (axes[i]! - last[i]!) / PIECES;
    for (let piece = 0; piece < PIECES; piece++) {
      let turn = 0;
      if (kind === 'ackermann') {
        const steering = last[1]! + (piece + 0.5) * change(1);
        turn = (change(0) * Math.tan(steering)) / wheelbaseM;
      } else turn = change(kind === 'holonomic' ? 2 : 1);
      const middle = track.yawRad + turn / 2;
      const sideways = kind === 'holonomic' ? change(1) : 0;
      track.xM += change(0) * Math.cos(middle) - sideways * Math.sin(middle);
      track.yM += change(0) * Math.sin(middle) + sideways * Math.cos(middle);
      track.yawRad += turn;
    }
    last.set(axes);
  }

  #marginM({ xM, yM }: Track): number {
    const { fence } = this.#base;
    if (fence === undefined) return Number.POSITIVE_INFINITY;
    const { minM, maxM, radiusM } = fence;
    return Math.min(xM - minM[0], maxM[0] - xM, yM - minM[1], maxM[1] - yM) - radiusM;
  }
}

interface Track {
  xM: number;
  yM: number;
  yawRad: number;
  /** [n] as of the last move. */
  readonly axes: Float64Array;
}
