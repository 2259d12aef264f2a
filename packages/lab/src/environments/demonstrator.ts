/** Scripted agents that act without having learned: demonstrators, base policies, and stand-ins for a correcting operator. */
import type { Rng } from '../../../../src/model/index.ts';

/** Acts by a script, on the environment's true state instead of its observation. */
export interface Demonstrator {
  /** Begins an episode, after `environment.reset`, and draws the errors of this episode. */
  begin(rng: Rng): void;
  /** Writes the action [A] for the environment's present state. Call once per step. */
  act(action: Float32Array): void;
}

/** Watches another policy act, and takes over when it makes no progress. */
export interface Overseer {
  /** Begins an episode, after `environment.reset`. */
  begin(rng: Rng): void;
  /** Returns true while the overseer steers, and then writes its action to `action` [A]. Call once before each step. */
  oversee(action: Float32Array): boolean;
}
