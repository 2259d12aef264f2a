/** Who can act in an environment without having learned: demonstrations, base policies, people who correct. */
import type { Rng } from '../../../../src/core/index.ts';

/** Acts by a script. It sees the environment's truth, not its observation. */
export interface Demonstrator {
  /** Begins an episode, after `environment.reset`, and draws this episode's mistakes. */
  begin(rng: Rng): void;
  /** Writes [A], what it does in the environment's present state. Call once a step. */
  act(action: Float32Array): void;
}

/** Watches somebody else act and takes over where that leads nowhere. */
export interface Overseer {
  /** Begins an episode, after `environment.reset`. */
  begin(rng: Rng): void;
  /** True while the person steers: then `action` [A] is theirs. Otherwise it is left alone. Call once before each step. */
  oversee(action: Float32Array): boolean;
}
