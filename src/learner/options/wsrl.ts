/**
 * What only WSRL is told, all of it about its training before there is a robot: Cal-QL, Nakamoto et al.,
 * https://arxiv.org/abs/2303.05479, on CQL, Kumar et al., https://arxiv.org/abs/2006.04779.
 */
export interface WsrlSettings {
  /** Critic updates on stored transitions before the first step; 0 for none. */
  readonly offlineUpdates: number;
  /** α_c: weight of the conservative loss beside the temporal difference. 5 in Cal-QL, for its tasks with sparse rewards. */
  readonly conservatism: number;
  /**
   * Actions drawn for each state of three kinds: from the policy there, from the policy at the next state, and uniformly. 10 in
   * CQL; the cost of an update grows with it.
   */
  readonly actionSamples: number;
  /** Whether values of the policy's actions are held up by what the data returned (Cal-QL); without, it is CQL. */
  readonly isCalibrated: boolean;
}

export const DEFAULT_WSRL_SETTINGS: WsrlSettings = {
  offlineUpdates: 20_000,
  conservatism: 5,
  actionSamples: 4,
  isCalibrated: true,
};
