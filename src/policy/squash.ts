/**
 * Maps the outputs of a Gaussian head to an action in (−1, 1): a = tanh(μ + σ·n). Haarnoja et al., "Soft Actor-Critic", 2018,
 * appendix C (https://arxiv.org/abs/1801.01290).
 */

/** Above this the noise alone saturates tanh, and exp stays finite. */
const LOG_STD_MAX = 5;

/**
 * Writes the action of the tanh-Gaussian with `mean` and `logStd` (both before tanh) for the draw `noise` from N(0, 1);
 * zero noise gives tanh of the mean. All [A]; inputs must be finite. Tick-safe.
 */
export function squash(out: Float32Array, mean: Float32Array, logStd: Float32Array, noise: Float64Array): void {
  for (let i = 0; i < out.length; i++) {
    const std = Math.exp(Math.min(logStd[i]!, LOG_STD_MAX));
    out[i] = Math.tanh(mean[i]! + std * noise[i]!);
  }
}
