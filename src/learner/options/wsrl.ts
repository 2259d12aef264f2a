/**
 * Settings of WSRL, all for its offline training before there is a robot: Cal-QL, Nakamoto et al.,
 * https://arxiv.org/abs/2303.05479, on CQL, Kumar et al., https://arxiv.org/abs/2006.04779.
 */
import { z } from 'zod';
import { group, num, whole } from '../../schema/index.ts';

export const wsrlSettings = group('What only the algorithm wsrl reads.', {
  offlineUpdates: whole('updates', { min: 0, max: 1e9 }, 'Critic updates on stored transitions beforehand.').default(
    20_000,
  ),
  // α_c; 5 in Cal-QL, for its tasks with sparse rewards.
  conservatism: num('1', { min: 0, max: 1000 }, 'Weight of the conservative loss beforehand.').default(5),
  // From the policy at this state, from the policy at the next state, and uniform. 10 in CQL; the cost of an update grows with it.
  actionSamples: whole('actions', { min: 1, max: 100 }, 'Actions of each of three kinds that it draws.').default(4),
  // True: Cal-QL; false: CQL.
  isCalibrated: z
    .boolean()
    .meta({ description: "Values of the policy's actions are held up by what the data returned." })
    .default(true),
});
