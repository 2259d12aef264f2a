/**
 * Scripted policy that moves the robot from waypoint to waypoint, linearly in each dimension of the action. It works from the
 * commanded reference, so it needs no observation. It acts as a policy, not as a simulated operator: it moves only with the
 * operator's permission.
 */
import { type ActionSpec, clamp } from '../model/index.ts';
import type { Policy, PolicyNoise } from './policy.ts';

export interface WaypointOptions {
  readonly action: ActionSpec;
  /** [A] commanded reference, m and rad in the action's dimensions; the array is reused. */
  readonly reference: () => ArrayLike<number>;
  /** Waypoints in order, [A] each; NaN leaves a dimension unchanged. */
  readonly way: readonly (readonly number[])[];
  /** Fraction of the full action, (0, 1]. */
  readonly pace: number;
}

/** Tolerance of a waypoint: largest distance along any dimension, in actions. */
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

  /** True once the last waypoint has been reached. */
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
    // Nothing to close.
  }

  /** Distance to the current waypoint in the farthest dimension, in actions. */
  #away(): number {
    let most = 0;
    for (let i = 0; i < this.actionSize; i++) most = Math.max(most, Math.abs(this.#left(i)));
    return most;
  }

  /** Remaining distance along a dimension, in actions. */
  #left(i: number): number {
    const { action, reference, way } = this.#options;
    const target = way[this.#at]![i]!;
    return Number.isNaN(target) ? 0 : (target - reference()[i]!) / action.dimensions[i]!.scale;
  }
}
