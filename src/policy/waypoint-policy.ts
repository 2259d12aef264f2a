/**
 * A script that drives the robot from one pose to the next, each dimension of the action in a straight line. It goes by where the robot is
 * asked to be, so it needs no observation. It is a policy and no person's stand-in: it moves by the leave that a person gave.
 */
import { type ActionSpec, clamp } from '../core/index.ts';
import type { Policy, PolicyNoise } from './policy.ts';

export interface WaypointOptions {
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

export class WaypointPolicy implements Policy {
  readonly observationSize = 0;
  readonly actionSize: number;
  readonly version = 0;
  readonly #options: WaypointOptions;
  #at = 0;

  constructor(options: WaypointOptions) {
    this.#options = options;
    this.actionSize = options.action.dimensions.length;
  }

  /** It has reached the last target. */
  get isDone(): boolean {
    while (this.#at < this.#options.way.length && this.#away() < NEAR) this.#at++;
    return this.#at >= this.#options.way.length;
  }

  async decide(_observation: Float32Array, _noise: PolicyNoise, out: Float32Array): Promise<void> {
    const { pace } = this.#options;
    out.fill(0);
    if (this.isDone) return;
    const share = Math.min(1, pace / this.#away());
    for (let i = 0; i < out.length; i++) out[i] = clamp(share * this.#left(i), -pace, pace);
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }

  /** How far the present target is, in actions of the dimension that is farthest. */
  #away(): number {
    let most = 0;
    for (let i = 0; i < this.actionSize; i++) most = Math.max(most, Math.abs(this.#left(i)));
    return most;
  }

  /** What is left along a dimension, in actions. */
  #left(i: number): number {
    const { action, reference, way } = this.#options;
    const target = way[this.#at]![i]!;
    return Number.isNaN(target) ? 0 : (target - reference()[i]!) / action.dimensions[i]!.scale;
  }
}
