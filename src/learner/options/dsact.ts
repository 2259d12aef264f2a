/**
 * What only DSAC-T is told: Duan et al., https://arxiv.org/abs/2310.05858. The numbers are those of the authors' code,
 * https://github.com/Jingliang-Duan/DSAC-v2, file dsac_v2.py.
 */
export interface DsactSettings {
  /** The return's sample is limited to Q ± this many times the running mean of the spread: ξ. */
  readonly boundSpreads: number;
  /** How far the running mean of the spread moves per update, (0, 1]: τ_b. */
  readonly spreadRate: number;
  /** δ of Huber's function: errors beyond count linearly. In units of `valueScale`. */
  readonly huberDelta: number;
  /** Keeps divisions by a small spread finite: ε. In units of `valueScale`, or of its square. */
  readonly bias: number;
  /** The critic's weight ω = b²/(σ² + ε) stays between these. */
  readonly minWeight: number;
  readonly maxWeight: number;
  /**
   * What `huberDelta` and `bias` are multiples of, in units of return. 1 as published, which suits returns of 10 to 1000;
   * 0: the running mean of the spread itself, so that learning does not depend on the scale of the reward.
   */
  readonly valueScale: number;
  /**
   * Whether Huber's function counts twice in the spread's gradient. It is ½x² near 0, so without this the spread comes to rest at
   * 1/√2 of the standard deviation, as in the authors' code; with it, at the standard deviation of their paper.
   */
  readonly huberCorrection: boolean;
}

export const DEFAULT_DSACT_SETTINGS: DsactSettings = {
  boundSpreads: 3,
  spreadRate: 0.005,
  huberDelta: 50,
  bias: 0.1,
  minWeight: 0.1,
  maxWeight: 10,
  valueScale: 1,
  huberCorrection: false,
};
