/** The contract of everything that turns an observation into an action. */

/** Decides one action. */
export interface Policy {
  readonly observationSize: number;
  readonly actionSize: number;
  /** 0 until weights have been loaded. */
  readonly version: number;
  /**
   * Decides on `observation` ([O]) and writes the mean and the logarithm of the spread, before tanh, into
   * `out.mean` and `out.logStd` ([A] each). The buffers stay the caller's. Rejects with `ReinError` when the output is
   * not finite: such an output never reaches the guard.
   */
  infer(observation: Float32Array, out: PolicyOutput): Promise<void>;
  close(): Promise<void>;
}

/** What a tanh-Gaussian policy head gives. */
export interface PolicyOutput {
  readonly mean: Float32Array;
  readonly logStd: Float32Array;
}
