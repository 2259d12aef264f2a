/** `bc` of a learner's file. */
import { z } from 'zod';
import { type BcSettings, DEFAULT_BC_SETTINGS } from '../../learner/options.ts';

export const bcSchema: z.ZodType<BcSettings> = z
  .strictObject({
    policy: z
      .enum(['gaussian', 'base'])
      .meta({ description: 'What imitates: the policy of sac, or the base policy of expo with the settings there.' })
      .default(DEFAULT_BC_SETTINGS.policy),
  })
  .meta({ description: 'What only the algorithm bc reads.' })
  .default(DEFAULT_BC_SETTINGS);
