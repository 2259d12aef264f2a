/** Where a mobile base gets to when its axes go straight from one place to another: odometry, as geometry. */
import type { BaseModel } from './robot-model.ts';
import { clamp } from './units.ts';

/** No piece of a path turns by more, rad: then the rule below misses less than 10⁻⁷ of it, and 10⁻⁵ where a car steers meanwhile. */
export const PIECE_TURN_RAD = 0.5;
const MOST_PIECES = 64;
/** Steering is reckoned with up to here, so that its tangent stays what it is, rad. */
const STEERING_RAD = 1.5;
/** Below this change of the steering, its tangent in the middle stands for all of it, rad. */
const STRAIGHT_RAD = 1e-6;
/** Gauss's rule with three points, which is exact up to the fifth power; and the end of a piece. */
const NODES = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15), 1] as const;
const END = 3;
const WEIGHTS = [5 / 18, 8 / 18, 5 / 18] as const;

/**
 * A straight line in the space of a base's axes, on which its pose (x, y in m, heading ψ in rad to the left) changes as
 *
 *   x′ = cos ψ·a′ − sin ψ·b′,  y′ = sin ψ·a′ + cos ψ·b′,  ψ′ = the axis `yaw`, or a′·tan δ / wheelbase for steering δ
 *
 * for displacements a ahead and b to the left. Keeps one path; tick-safe after construction.
 */
export class BasePath {
  readonly #base: BaseModel;
  readonly #from: Float64Array;
  readonly #way: Float64Array;
  /** [1] how far the heading has turned since the beginning of a piece, rad. */
  readonly #turned: Float64Array = new Float64Array(1);

  /** Throws `RangeError` for a car without a wheelbase. */
  constructor(base: BaseModel) {
    if (base.kind === 'ackermann' && !(base.wheelbaseM! > 0)) {
      throw new RangeError('where a car gets to depends on its wheelbaseM, which must be > 0');
    }
    this.#base = base;
    this.#from = new Float64Array(base.kind === 'holonomic' ? 3 : 2);
    this.#way = new Float64Array(this.#from.length);
  }

  /** The path by `way` (n) from the axes `from` (n). Both are copied. */
  lay(from: Float64Array, way: Float64Array): void {
    for (let i = 0; i < this.#way.length; i++) {
      this.#from[i] = from[i]!;
      this.#way[i] = way[i]!;
    }
  }

  /** How far the base's origin goes, m. */
  get lengthM(): number {
    return Math.hypot(this.#way[0]!, this.#way.length === 3 ? this.#way[1]! : 0);
  }

  /** How far the heading turns at most: in all, and, times the number of pieces, in each of as many equal pieces, rad. */
  get turnRad(): number {
    if (this.#base.kind !== 'ackermann') return Math.abs(this.#way[this.#way.length - 1]!);
    const steering = Math.max(Math.abs(this.#from[1]!), Math.abs(this.#from[1]! + this.#way[1]!));
    return (Math.abs(this.#way[0]!) * Math.tan(Math.min(steering, STEERING_RAD))) / this.#base.wheelbaseM!;
  }

  /** Moves `pose` (3: x, y, heading), which belongs to `axes` (n), on to where the axes are `to`; `axes` with it. */
  travel(pose: Float64Array, axes: Float64Array, to: ArrayLike<number>): void {
    for (let i = 0; i < axes.length; i++) {
      this.#from[i] = axes[i]!;
      this.#way[i] = to[i]! - axes[i]!;
      axes[i] = to[i]!;
    }
    const pieces = clamp(Math.ceil(this.turnRad / PIECE_TURN_RAD), 1, MOST_PIECES);
    for (let piece = 0; piece < pieces; piece++) this.advance(pose, piece, pieces);
  }

  /** Moves `pose` (3) along piece number `piece` (from 0) of `pieces` equal ones of the path. */
  advance(pose: Float64Array, piece: number, pieces: number): void {
    const ahead = this.#way[0]! / pieces;
    const left = this.#way.length === 3 ? this.#way[1]! / pieces : 0;
    for (let node = 0; node < END; node++) {
      this.#turnTo(node, piece, pieces);
      const heading = pose[2]! + this.#turned[0]!;
      const weight = WEIGHTS[node]!;
      pose[0] = pose[0]! + weight * (Math.cos(heading) * ahead - Math.sin(heading) * left);
      pose[1] = pose[1]! + weight * (Math.sin(heading) * ahead + Math.cos(heading) * left);
    }
    this.#turnTo(END, piece, pieces);
    pose[2] = pose[2]! + this.#turned[0]!;
  }

  /** Finds how far the heading has turned at `NODES[node]` of a piece: for a car by ∫ tan δ = −ln cos δ. */
  #turnTo(node: number, piece: number, pieces: number): void {
    const share = NODES[node]!;
    const last = this.#way.length - 1;
    if (this.#base.kind !== 'ackermann') {
      this.#turned[0] = (share * this.#way[last]!) / pieces;
      return;
    }
    const begin = clamp(this.#from[last]! + (piece / pieces) * this.#way[last]!, -STEERING_RAD, STEERING_RAD);
    const end = clamp(this.#from[last]! + ((piece + share) / pieces) * this.#way[last]!, -STEERING_RAD, STEERING_RAD);
    const change = end - begin;
    const ahead = (share * this.#way[0]!) / pieces / this.#base.wheelbaseM!;
    if (Math.abs(change) < STRAIGHT_RAD) {
      this.#turned[0] = ahead * Math.tan(begin + change / 2);
      return;
    }
    // ln(cos(δ + c) / cos δ), without taking the difference of two nearly equal logarithms.
    const half = Math.sin(change / 2);
    this.#turned[0] = (-ahead * Math.log1p(-2 * half * half - Math.tan(begin) * Math.sin(change))) / change;
  }
}
