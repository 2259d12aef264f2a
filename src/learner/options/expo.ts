/**
 * What only EXPO is told: Dong et al., https://arxiv.org/abs/2507.07986. The numbers are the paper's where they say so; the others are
 * cut to what one CPU core can do between two steps of a robot.
 */
export interface ExpoSettings {
  /** How the base policy turns noise into actions: a flow, or the paper's diffusion. */
  readonly model: 'flow' | 'diffusion';
  /** Passes of the base network for one action, ≥ 1. The paper's diffusion has 10; a flow needs fewer. */
  readonly steps: number;
  /** Widths of the base network's hidden layers. */
  readonly baseHidden: readonly number[];
  /** N: actions that the base policy proposes for each decision, ≥ 1. The paper's runs: 8, with 8 edited. */
  readonly candidates: number;
  /** How many of them are also edited, ≤ `candidates`. */
  readonly edited: number;
  /** β: how far an edit can move each number of an action, (0, 1]. The paper: 0.05 to 0.7 by task. */
  readonly editScale: number;
  /**
   * Whether the entropy that is aimed at counts in units of what an edit can reach: H* + A·log β. Without, the edit would have to
   * be as random as a whole policy, which a small β cannot be, and the temperature grows without end.
   */
  readonly entropyInEditUnits: boolean;
  /** What the base policy imitates: every transition of a batch, or demonstrations and interventions alone. */
  readonly baseData: 'all' | 'demonstrations';
  /** Which copy of the base policy proposes actions: the current one, or the slow one of the paper. */
  readonly baseCopy: 'current' | 'slow';
  /** How far the slow copy moves per update of the base policy, (0, 1]. */
  readonly baseCopyRate: number;
}

export const DEFAULT_EXPO_SETTINGS: ExpoSettings = {
  model: 'flow',
  steps: 4,
  baseHidden: [128, 128],
  candidates: 4,
  edited: 4,
  editScale: 0.1,
  entropyInEditUnits: true,
  baseData: 'all',
  baseCopy: 'current',
  baseCopyRate: 0.001,
};
