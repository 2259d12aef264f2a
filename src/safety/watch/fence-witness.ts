/**
 * Independent pose integration of a mobile base for the limit monitor, to check that its reference is inside its fence:
 * Runge-Kutta rule in small steps, sharing no code with the fence stage.
 */
import type { BaseModel } from '../../model/index.ts';

/** Steps per tick, each of which is checked. */
const STEPS = 8;
/** Tolerance for the error of the rule and the difference of the two integrations, m. */
const ROUNDING_M = 1e-5;

/** Monitors one base. Tick-safe after construction. */
export class FenceWitness {
  readonly #base: BaseModel;
  /** [3] poses of the reference and of the measurement: x, y (m), heading (rad). */
  readonly #pose: Float64Array = new Float64Array(3);
  readonly #measured: Float64Array = new Float64Array(3);
  /** [n] axis positions at these poses. */
  readonly #axes: Float64Array;
  readonly #measuredAxes: Float64Array;
  #isPlaced = false;

  constructor(base: BaseModel, axes: number) {
    this.#base = base;
    this.#axes = new Float64Array(axes);
    this.#measuredAxes = new Float64Array(axes);
  }

  /** Sets the reference to the base's measured position: the first time at the origin. */
  restart(axes: ArrayLike<number>): void {
    if (!this.#isPlaced) this.#measuredAxes.set(axes);
    else if (this.#stands(axes)) return;
    this.#isPlaced = true;
    this.#go(this.#measured, this.#measuredAxes, axes);
    this.#pose.set(this.#measured);
    this.#axes.set(axes);
  }

  /** Called when the base was put back to its place at the first restart: the next restart is at the origin again. */
  putBack(): void {
    this.#isPlaced = false;
    this.#pose.fill(0);
    this.#measured.fill(0);
  }

  /** Follows the reference (n) and the measurement (n). Returns true if the reference was outside on its path. */
  isOutside(axes: ArrayLike<number>, measured: ArrayLike<number>): boolean {
    const leastM = this.#go(this.#pose, this.#axes, axes);
    this.#go(this.#measured, this.#measuredAxes, measured);
    return !(leastM >= -ROUNDING_M);
  }

  #stands(axes: ArrayLike<number>): boolean {
    for (let i = 0; i < this.#axes.length; i++) if (this.#axes[i] !== axes[i]) return false;
    return true;
  }

  /** Moves `pose` along; returns the smallest distance to a wall on the way, m. Non-finite values are skipped. */
  #go(pose: Float64Array, axes: Float64Array, to: ArrayLike<number>): number {
    for (let i = 0; i < axes.length; i++) if (!Number.isFinite(to[i])) return Number.POSITIVE_INFINITY;
    const ahead = (to[0]! - axes[0]!) / STEPS;
    const left = this.#base.kind === 'holonomic' ? (to[1]! - axes[1]!) / STEPS : 0;
    let leastM = Number.POSITIVE_INFINITY;
    for (let step = 0; step < STEPS; step++) {
      // The heading depends on the position along the path only: the Runge-Kutta rule is Simpson's.
      const begin = pose[2]!;
      const middle = begin + this.#turn(axes, to, step, 0.5);
      const end = begin + this.#turn(axes, to, step, 1);
      const cos = (Math.cos(begin) + 4 * Math.cos(middle) + Math.cos(end)) / 6;
      const sin = (Math.sin(begin) + 4 * Math.sin(middle) + Math.sin(end)) / 6;
      pose[0] = pose[0]! + ahead * cos - left * sin;
      pose[1] = pose[1]! + ahead * sin + left * cos;
      pose[2] = end;
      leastM = Math.min(leastM, this.#room(pose));
    }
    for (let i = 0; i < axes.length; i++) axes[i] = to[i]!;
    return leastM;
  }

  /** Returns the heading change over the share `share` of a step, rad. */
  #turn(axes: Float64Array, to: ArrayLike<number>, step: number, share: number): number {
    const last = axes.length - 1;
    const change = (to[last]! - axes[last]!) / STEPS;
    if (this.#base.kind !== 'ackermann') return change * share;
    const from = axes[last]! + change * step;
    const ahead = ((to[0]! - axes[0]!) / STEPS) * share;
    const tangents = Math.tan(from) + 4 * Math.tan(from + (change * share) / 2) + Math.tan(from + change * share);
    return (ahead * tangents) / (6 * this.#base.wheelbaseM!);
  }

  #room(pose: Float64Array): number {
    const { minM, maxM, radiusM } = this.#base.fence!;
    const x = Math.min(pose[0]! - minM[0], maxM[0] - pose[0]!);
    return Math.min(x, pose[1]! - minM[1], maxM[1] - pose[1]!) - radiusM;
  }
}
