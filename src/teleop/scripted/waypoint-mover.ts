/**
 * A script that drives the robot from one pose to the next, each dimension of the action in a straight line. It goes by where the robot is
 * asked to be, so it needs no observation; guard, limits and stops are those of every command.
 */
import { type ActionSpec, clamp } from '../../core/index.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';

export interface WaypointMoverOptions {
  readonly action: ActionSpec;
  /** [A] where the robot is asked to be, m and rad in the action's dimensions; reused. */
  readonly reference: () => ArrayLike<number>;
  /** Targets in their order, [A] each; NaN where a dimension stays as it is. */
  readonly way: readonly (readonly number[])[];
  /** Share of the full action, (0, 1]. */
  readonly pace: number;
}

/** A target is reached where no dimension is farther away, in actions. */
const NEAR = 0.05;

export class WaypointMover implements TeleopSource {
  readonly name = 'reset';
  readonly decidedBy = 'scripted';
  readonly #options: WaypointMoverOptions;
  #at = 0;

  constructor(options: WaypointMoverOptions) {
    this.#options = options;
  }

  /** It has reached the last target. */
  get isDone(): boolean {
    while (this.#at < this.#options.way.length && this.#away() < NEAR) this.#at++;
    return this.#at >= this.#options.way.length;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    const { pace } = this.#options;
    out.active = true;
    out.phase = 'recover';
    out.action.fill(0);
    if (this.isDone) return;
    const share = Math.min(1, pace / this.#away());
    for (let i = 0; i < out.action.length; i++) out.action[i] = clamp(share * this.#left(i), -pace, pace);
  }

  reset(): void {
    this.#at = 0;
  }

  close(): void {
    // Nothing is held open.
  }

  /** How far the present target is, in actions of the dimension that is farthest. */
  #away(): number {
    let most = 0;
    for (let i = 0; i < this.#options.action.dimensions.length; i++) most = Math.max(most, Math.abs(this.#left(i)));
    return most;
  }

  /** What is left along a dimension, in actions. */
  #left(i: number): number {
    const { action, reference, way } = this.#options;
    const target = way[this.#at]![i]!;
    return Number.isNaN(target) ? 0 : (target - reference()[i]!) / action.dimensions[i]!.scale;
  }
}
