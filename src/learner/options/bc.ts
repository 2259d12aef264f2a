/** Settings of behaviour cloning. */
import { z } from 'zod';
import { group } from '../../schema/index.ts';

export const bcSettings = group('What only the algorithm bc reads.', {
  policy: z
    .enum(['gaussian', 'base'])
    .meta({ description: 'What imitates: the policy of sac, or the base policy of expo with the settings there.' })
    .default('gaussian'),
});
