/** `residual` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_RESIDUAL_SETTINGS } from '../../learner/options.ts';
import { num } from './fields.ts';

const standard = DEFAULT_RESIDUAL_SETTINGS;
const noise = (description: string): z.ZodNumber => num('1', { min: 0, max: 2 }, description);

export const residualSchema: z.ZodType<typeof DEFAULT_RESIDUAL_SETTINGS> = z
  .strictObject({
    scale: num('1', { above: 0, max: 1 }, 'Each number of the residual stays within ± this.').default(standard.scale),
    explorationNoise: noise('Standard deviation of the noise that explores.').default(standard.explorationNoise),
    targetNoise: noise("Standard deviation of the noise on the target's action.").default(standard.targetNoise),
    targetNoiseClip: noise('Either noise is limited to ± this.').default(standard.targetNoiseClip),
    penalty: num('1', { min: 0, max: 1e6 }, "Weight of the residual's squared length in the policy's loss.").default(
      standard.penalty,
    ),
    warmupNoise: noise('Before the policy acts: the base, and up to ± this drawn evenly; at most `scale`.').default(
      standard.warmupNoise,
    ),
  })
  .meta({ description: 'What only the algorithm residual reads.' })
  .default(standard);
