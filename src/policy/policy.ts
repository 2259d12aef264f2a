/** The contract of everything that turns an observation into an action. */
import type { Rng } from '../core/index.ts';

/** Decides one action. */
export interface Policy {
  /** O: how many numbers of an observation it looks at. */
  readonly observationSize: number;
  readonly actionSize: number;
  /** 0 until weights have been loaded. */
  readonly version: number;
  /** Which run the weights are of, counted from 1 as they came; 0 until there are some. Absent: all are of one. */
  readonly run?: number;
  /**
   * Decides on the first O numbers of `observation` (what lies behind them, as critics see it in simulation, is not for
   * policies) and writes the action, normalised to [−1, 1], into `out` [A]. The buffers stay the caller's. Draws as many
   * numbers from `noise.rng` whatever the values, so that runs repeat. Rejects with `ReinError` when the output is not
   * finite: such an output never reaches the guard.
   */
  decide(observation: Float32Array, noise: PolicyNoise, out: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** Where a policy's chance comes from, and what for. */
export interface PolicyNoise {
  readonly rng: Rng;
  /**
   * `explore`: the policy tries things out, as in training. `evaluate`: it does what it thinks best, with all noise zero;
   * but for a policy whose noise is always on, which is a choice among drawn candidates and means nothing without.
   */
  readonly purpose: 'explore' | 'evaluate';
}

/** How a policy's network gives actions; see `onnx/head.ts`. */
export interface PolicyHead {
  /** `gaussian`: mean and spread before tanh. `action`: the action itself, from the observation and a noise. */
  readonly kind: 'gaussian' | 'action';
  /** Numbers drawn from N(0, 1) for one noisy decision. */
  readonly noiseSize: number;
  /** Whether the noise is drawn while exploring only, or for each decision. */
  readonly noise: 'exploring' | 'always';
}
