/**
 * Settings of the residual on a base policy: ResFiT, Ankile et al., https://arxiv.org/abs/2509.19301. Numbers as in the
 * authors' released configuration except `warmupNoise`. Actions are in normalised units, with the range [−1, 1].
 */
import type { z } from 'zod';
import { group, num } from '../../schema/index.ts';

const noise = (description: string): z.ZodNumber => num('1', { min: 0, max: 2 }, description);

export const residualSettings = group('What only the algorithm residual reads.', {
  // c
  scale: num('1', { above: 0, max: 1 }, 'Each number of the residual stays within ± this.').default(0.1),
  explorationNoise: noise('Standard deviation of the noise that explores.').default(0.05),
  targetNoise: noise("Standard deviation of the noise on the target's action.").default(0.05),
  targetNoiseClip: noise('Either noise is limited to ± this.').default(0.3),
  // w
  penalty: num('1', { min: 0, max: 1e6 }, "Weight of the residual's squared length in the policy's loss.").default(0),
  // The paper's code has 0.2 with a scale of 0.1; here warm-up actions stay within what the residual can learn.
  warmupNoise: noise('Before the policy acts: the base, and up to ± this drawn evenly; at most `scale`.').default(0.1),
});
