/** Interface of all policies: maps an observation to an action. */
import type { Rng } from '../model/index.ts';

/** Decides one action. */
export interface Policy {
  /** O: number of leading values of the observation that the policy reads. */
  readonly observationSize: number;
  readonly actionSize: number;
  /** 0 until weights have been loaded. */
  readonly version: number;
  /** Number of the run that the weights belong to, counted from 1 in order of arrival; 0 until loaded. Absent: a single run. */
  readonly run?: number;
  /**
   * Decides on the first O numbers of `observation` (the numbers after them are privileged: for critics in simulation, not
   * for policies) and writes the action, normalised to [−1, 1], into `out` [A]. The caller keeps the buffers. The number of
   * draws from `noise.rng` does not depend on the values, so runs are reproducible. Rejects with `ReinError` if the output
   * is not finite: such an output never reaches the guard.
   */
  decide(observation: Float32Array, noise: PolicyNoise, out: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** Random source of a decision, and its purpose. */
export interface PolicyNoise {
  readonly rng: Rng;
  /**
   * `explore`: actions are sampled, as in training. `evaluate`: the greedy action, with all noise zero, except for a policy
   * whose noise is always on: it chooses among drawn candidates and is meaningless without noise.
   */
  readonly purpose: 'explore' | 'evaluate';
}

/** Output format of a policy's network; see `onnx/head.ts`. */
export interface PolicyHead {
  /** `gaussian`: mean and log standard deviation before tanh. `action`: the action itself, from observation and noise. */
  readonly kind: 'gaussian' | 'action';
  /** Draws from N(0, 1) for one noisy decision. */
  readonly noiseSize: number;
  /** `exploring`: noise is drawn only while exploring. `always`: for every decision. */
  readonly noise: 'exploring' | 'always';
}
