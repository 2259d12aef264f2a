/**
 * Settings of TD3: Fujimoto et al., https://arxiv.org/abs/1802.09477, table 3 and section 5.3. Standard deviations and limits
 * are in normalised action units, with the range [−1, 1].
 */
import { group, num } from '../../schema/index.ts';

export const td3Settings = group('What only the algorithm td3 reads.', {
  explorationNoise: num('1', { min: 0, max: 2 }, 'Standard deviation of the noise that explores.').default(0.1),
  targetNoise: num('1', { min: 0, max: 2 }, "Standard deviation of the noise on the target's action.").default(0.2),
  targetNoiseClip: num('1', { min: 0, max: 2 }, 'That noise is limited to ± this.').default(0.5),
  // A policy saturated in tanh has no gradient to return. Not in TD3: Andrychowicz et al.,
  // https://arxiv.org/abs/1707.01495, appendix A. In units of value; 0 switches it off.
  saturationCost: num(
    '1',
    { min: 0, max: 1e6 },
    "Weight of what lies before tanh, squared, in the policy's loss.",
  ).default(0),
});
