/** What only TD3 is told: Fujimoto et al., https://arxiv.org/abs/1802.09477, table 3 and section 5.3. */

/** Standard deviations and limits are in normalised action units, where the range is [−1, 1]. */
export interface Td3Settings {
  /** σ of the noise that the robot adds to explore. */
  readonly explorationNoise: number;
  /** σ of the noise on the next action in the critics' target: smooths them over neighbouring actions. */
  readonly targetNoise: number;
  /** That noise is limited to ± this. */
  readonly targetNoiseClip: number;
  /**
   * Weight of the squared numbers before tanh in the actor's loss, in units of value: a policy at the ends of tanh has no gradient
   * to come back by. Not in TD3; from Andrychowicz et al., https://arxiv.org/abs/1707.01495, appendix A. 0 switches it off.
   */
  readonly saturationCost: number;
}

export const DEFAULT_TD3_SETTINGS: Td3Settings = {
  explorationNoise: 0.1,
  targetNoise: 0.2,
  targetNoiseClip: 0.5,
  saturationCost: 0,
};
