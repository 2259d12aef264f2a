/**
 * What only the passivity-aware learner is told: a budget for what the safety chain has to take from the policy, kept by a Lagrangian
 * multiplier ν. The form of its controller is that of Stooke, Achiam and Abbeel, https://arxiv.org/abs/2007.03964, algorithm 2.
 */
export interface PassiveSettings {
  /**
   * What a step costs: `cost`, the share of its ticks that the filters changed (in a simulated environment the cost that it names), or
   * `tankDrainJ`, the energy that its set-points put into the robot, J.
   */
  readonly cost: 'cost' | 'tankDrainJ';
  /** E_ref > 0: costs are divided by this before anything learns from them, in the cost's own unit. */
  readonly costUnit: number;
  /** d ≥ 0: what a step may cost on average, in units of `costUnit`. */
  readonly budget: number;
  /** Newest online steps whose mean is J_c, ≥ 1. */
  readonly window: number;
  /** Cost critics, whose largest value counts: what is not known is taken to be dear. */
  readonly costCritics: number;
  /** `plain`: ν ← [ν + rate·(J_c − d)]₊. `pid`: see `nextMultiplier`. Both once a training call. */
  readonly multiplier: 'plain' | 'pid';
  /** Per training call, as are the gains. */
  readonly rate: number;
  readonly proportionalGain: number;
  readonly integralGain: number;
  readonly derivativeGain: number;
  readonly initialMultiplier: number;
  /** ν never exceeds this. */
  readonly maxMultiplier: number;
}

/**
 * Budget and gains are this project's own. Gains in use are per episode or epoch and fit the size of that task's costs; these are per
 * training call, for costs of about 1 a step. The limit of 100 is OmniSafe's `penalty_max`
 * (https://github.com/PKU-Alignment/omnisafe, configs SACPID and CPPOPID).
 */
export const DEFAULT_PASSIVE_SETTINGS: PassiveSettings = {
  cost: 'cost',
  costUnit: 1,
  budget: 0.05,
  window: 500,
  costCritics: 2,
  multiplier: 'pid',
  rate: 1e-3,
  proportionalGain: 0.2,
  integralGain: 1e-3,
  derivativeGain: 0.1,
  initialMultiplier: 0,
  maxMultiplier: 100,
};
