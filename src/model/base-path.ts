/** Odometry as geometry: pose of a mobile base after its axes move in a straight line from one configuration to another. */
import type { BaseModel } from './robot-model.ts';
import { clamp } from './units.ts';

/** Largest turn of one path piece, rad: quadrature error below 10⁻⁷ of the piece, 10⁻⁵ if the steering changes meanwhile. */
export const PIECE_TURN_RAD = 0.5;
const MOST_PIECES = 64;
/** Steering angles are clamped to this, rad, so that the tangent stays finite. */
const STEERING_RAD = 1.5;
/** Steering changes below this, rad, use the tangent at the midpoint. */
const STRAIGHT_RAD = 1e-6;
/** Nodes of three-point Gauss quadrature, exact up to degree five, plus the end of the piece. */
const NODES = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15), 1] as const;
const END = 3;
const WEIGHTS = [5 / 18, 8 / 18, 5 / 18] as const;

/**
 * A straight line in the axis space of a base, along which its pose (x, y in m, heading ψ in rad, counter-clockwise) changes as
 *
 *   x′ = cos ψ·a′ − sin ψ·b′,  y′ = sin ψ·a′ + cos ψ·b′,  ψ′ = the axis `yaw`, or a′·tan δ / wheelbase for steering δ
 *
 * for displacements a forward and b to the left. Holds one path; tick-safe after construction.
 */
export class BasePath {
  readonly #base: BaseModel;
  readonly #from: Float64Array;
  readonly #way: Float64Array;
  /** [1] change of heading since the beginning of a piece, rad. */
  readonly #turned: Float64Array = new Float64Array(1);

  /** Throws `RangeError` for an Ackermann base without a wheelbase. */
  constructor(base: BaseModel) {
    if (base.kind === 'ackermann' && !(base.wheelbaseM! > 0)) {
      throw new RangeError('an Ackermann base needs a wheelbaseM > 0');
    }
    this.#base = base;
    this.#from = new Float64Array(base.kind === 'holonomic' ? 3 : 2);
    this.#way = new Float64Array(this.#from.length);
  }

  /** Sets the path: displacement `way` (n) from the axis positions `from` (n). Both are copied. */
  lay(from: Float64Array, way: Float64Array): void {
    for (let i = 0; i < this.#way.length; i++) {
      this.#from[i] = from[i]!;
      this.#way[i] = way[i]!;
    }
  }

  /** Distance travelled by the base's origin, m. */
  get lengthM(): number {
    return Math.hypot(this.#way[0]!, this.#way.length === 3 ? this.#way[1]! : 0);
  }

  /** Upper bound of the change of heading over the whole path, rad; divided by n, a bound for each of n equal pieces. */
  get turnRad(): number {
    if (this.#base.kind !== 'ackermann') return Math.abs(this.#way[this.#way.length - 1]!);
    const steering = Math.max(Math.abs(this.#from[1]!), Math.abs(this.#from[1]! + this.#way[1]!));
    return (Math.abs(this.#way[0]!) * Math.tan(Math.min(steering, STEERING_RAD))) / this.#base.wheelbaseM!;
  }

  /** Advances `pose` (3: x, y, heading), which belongs to `axes` (n), until the axes reach `to`; `axes` are updated too. */
  travel(pose: Float64Array, axes: Float64Array, to: ArrayLike<number>): void {
    for (let i = 0; i < axes.length; i++) {
      this.#from[i] = axes[i]!;
      this.#way[i] = to[i]! - axes[i]!;
      axes[i] = to[i]!;
    }
    const pieces = clamp(Math.ceil(this.turnRad / PIECE_TURN_RAD), 1, MOST_PIECES);
    for (let piece = 0; piece < pieces; piece++) this.advance(pose, piece, pieces);
  }

  /** Advances `pose` (3) along piece `piece` (from 0) of `pieces` equal pieces of the path. */
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

  /** Computes the change of heading at `NODES[node]` of a piece; for Ackermann steering from ∫ tan δ = −ln cos δ. */
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
    // ln(cos(δ + c) / cos δ), without subtracting two nearly equal logarithms.
    const half = Math.sin(change / 2);
    this.#turned[0] = (-ahead * Math.log1p(-2 * half * half - Math.tan(begin) * Math.sin(change))) / change;
  }
}
