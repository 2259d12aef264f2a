/** `td3` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_TD3_SETTINGS } from '../../learner/options.ts';
import { num } from './fields.ts';

const { explorationNoise, targetNoise, targetNoiseClip, saturationCost } = DEFAULT_TD3_SETTINGS;

export const td3Schema: z.ZodType<typeof DEFAULT_TD3_SETTINGS> = z
  .strictObject({
    explorationNoise: num('1', { min: 0, max: 2 }, 'Standard deviation of the noise that explores.').default(
      explorationNoise,
    ),
    targetNoise: num('1', { min: 0, max: 2 }, "Standard deviation of the noise on the target's action.").default(
      targetNoise,
    ),
    targetNoiseClip: num('1', { min: 0, max: 2 }, 'That noise is limited to ± this.').default(targetNoiseClip),
    saturationCost: num(
      '1',
      { min: 0, max: 1e6 },
      "Weight of what lies before tanh, squared, in the policy's loss.",
    ).default(saturationCost),
  })
  .meta({ description: 'What only the algorithm td3 reads.' })
  .default(DEFAULT_TD3_SETTINGS);
