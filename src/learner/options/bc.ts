/** What only behaviour cloning is told. */
export interface BcSettings {
  /** What imitates: the policy of sac, whose noiseless action is drawn to the one taken, or the base policy of expo, with its settings. */
  readonly policy: 'gaussian' | 'base';
}

export const DEFAULT_BC_SETTINGS: BcSettings = { policy: 'gaussian' };
