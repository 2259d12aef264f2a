/** A mobile base between four walls: its pose, and whether a path of its axes stays inside, along all of it. */
import { allFinite, type BaseModel, BasePath, type Fence as FenceModel, PIECE_TURN_RAD } from '../../model/index.ts';
import { BEND, dip, FIRST, LAST, LEAST, LENGTH } from '../avoidance/between.ts';

/** Numbers of pieces into which a path is cut before the proof is given up. */
const PIECES = [1, 4, 16, 64] as const;
/** Distance kept from the walls for the error of `BasePath`, m: less than 10⁻⁸ of the path, so a hundred metres between two seeds. */
const ROUNDING_M = 1e-6;

/** Tracks one base in the frame in which it stood at the first seed, and checks paths. Tick-safe after construction. */
export class Fence {
  /** [3] pose of the reference: x, y (m), heading (rad, to the left). */
  readonly pose: Float64Array = new Float64Array(3);
  readonly #path: BasePath;
  /** [2] range of the base's origin, m. */
  readonly #minM: Float64Array;
  readonly #maxM: Float64Array;
  /** [3] measured pose. */
  readonly #measured: Float64Array = new Float64Array(3);
  /** [n] axis positions at both poses. */
  readonly #axes: Float64Array;
  readonly #measuredAxes: Float64Array;
  readonly #probe: Float64Array = new Float64Array(3);
  readonly #before: Float64Array = new Float64Array(3);
  /** Argument and result of `dip`. */
  readonly #arc: Float64Array = new Float64Array(5);
  #isPlaced = false;

  /** Throws `RangeError` for a fence in which the base has no room, or a car without a wheelbase. */
  constructor(base: BaseModel, fence: FenceModel, axes: number) {
    const insetM = fence.radiusM + ROUNDING_M;
    this.#minM = Float64Array.from(fence.minM, (wall) => wall + insetM);
    this.#maxM = Float64Array.from(fence.maxM, (wall) => wall - insetM);
    const hasRoom = fence.radiusM >= 0 && this.#minM.every((low, k) => low <= this.#maxM[k]!);
    if (!hasRoom) throw new RangeError(`a base with fence.radiusM ${fence.radiusM} has no room between its walls`);
    this.#path = new BasePath(base);
    this.#axes = new Float64Array(axes);
    this.#measuredAxes = new Float64Array(axes);
  }

  /** Distance of the base to the nearest wall, m; negative outside. */
  get roomM(): number {
    const x = this.pose[0]!;
    const y = this.pose[1]!;
    return Math.min(x - this.#minM[0]!, this.#maxM[0]! - x, y - this.#minM[1]!, this.#maxM[1]! - y);
  }

  /**
   * Places the reference at the measured `axes` (n, finite). The first seed ever is the origin; later ones continue
   * from the motion measured since. A seed at the present reference changes nothing.
   */
  seed(axes: ArrayLike<number>): void {
    if (this.#isPlaced && isSame(this.#axes, axes)) return;
    if (!this.#isPlaced) this.#measuredAxes.set(axes);
    this.#isPlaced = true;
    this.#path.travel(this.#measured, this.#measuredAxes, axes);
    this.pose.set(this.#measured);
    this.#axes.set(axes);
  }

  /**
   * Called when the base was put back to its place at the first seed, to which no motion of its axes led: the next seed
   * is the origin again.
   */
  putBack(): void {
    this.#isPlaced = false;
    this.pose.fill(0);
    this.#measured.fill(0);
  }

  /** Moves the reference to `axes`, and the base to `measured` (n), which is skipped if not finite. */
  follow(axes: ArrayLike<number>, measured: ArrayLike<number>): void {
    if (!this.#isPlaced) return;
    this.#path.travel(this.pose, this.#axes, axes);
    if (measured.length !== this.#axes.length || !allFinite(measured)) return;
    this.#path.travel(this.#measured, this.#measuredAxes, measured);
  }

  /** True if the reference stays inside along the straight displacement `way` (n) of its axes, or moves no farther out than it is. */
  keeps(way: Float64Array): boolean {
    this.#path.lay(this.#axes, way);
    if (this.#path.lengthM <= this.roomM) return true;
    for (const pieces of PIECES) {
      if (this.#path.turnRad <= PIECE_TURN_RAD * pieces && this.#isInside(pieces)) return true;
    }
    return false;
  }

  #isInside(pieces: number): boolean {
    const probe = this.#probe;
    const before = this.#before;
    const arc = this.#arc;
    // Along the unit path the point moves lengthM, and its direction turns by at most turnRad: this bounds its curvature.
    arc[BEND] = this.#path.lengthM * this.#path.turnRad;
    arc[LENGTH] = 1 / pieces;
    probe.set(this.pose);
    for (let piece = 0; piece < pieces; piece++) {
      before.set(probe);
      this.#path.advance(probe, piece, pieces);
      for (let k = 0; k < 2; k++) {
        // Its walls, or the present position of the reference if that is outside.
        const low = Math.min(this.#minM[k]!, this.pose[k]!);
        const high = Math.max(this.#maxM[k]!, this.pose[k]!);
        arc[FIRST] = before[k]! - low;
        arc[LAST] = probe[k]! - low;
        dip(arc);
        if (!(arc[LEAST]! >= 0)) return false;
        arc[FIRST] = high - before[k]!;
        arc[LAST] = high - probe[k]!;
        dip(arc);
        if (!(arc[LEAST]! >= 0)) return false;
      }
    }
    return true;
  }
}

function isSame(a: Float64Array, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
