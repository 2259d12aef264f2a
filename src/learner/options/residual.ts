/**
 * What only the residual on a base policy is told: ResFiT, Ankile et al., https://arxiv.org/abs/2509.19301. Numbers as in the
 * authors' released configuration; one of them is changed, and says why.
 */

/** Amounts of action are in normalised units, where the range is [−1, 1]. */
export interface ResidualSettings {
  /** c: each number of the residual stays in [−c, c], (0, 1]. */
  readonly scale: number;
  /** σ of the noise that the robot adds to explore, limited as `targetNoiseClip` says. */
  readonly explorationNoise: number;
  /** σ of the noise on the next action in the critics' target. */
  readonly targetNoise: number;
  /** Either noise is limited to ± this. */
  readonly targetNoiseClip: number;
  /** w: weight of the residual's squared length in the actor's loss. */
  readonly penalty: number;
  /**
   * Before the policy acts, the robot does what the base says plus a draw from U(−this, this). At most `scale`, where the
   * paper's code has 0.2 beside a scale of 0.1: what is tried first should be what can be learned.
   */
  readonly warmupNoise: number;
}

export const DEFAULT_RESIDUAL_SETTINGS: ResidualSettings = {
  scale: 0.1,
  explorationNoise: 0.05,
  targetNoise: 0.05,
  targetNoiseClip: 0.3,
  penalty: 0,
  warmupNoise: 0.1,
};
