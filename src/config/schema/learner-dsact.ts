/** `dsact` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_DSACT_SETTINGS, type DsactSettings } from '../../learner/options.ts';
import { num } from './fields.ts';

const defaults = DEFAULT_DSACT_SETTINGS;

export const dsactSchema: z.ZodType<DsactSettings> = z
  .strictObject({
    boundSpreads: num('1', { above: 0, max: 100 }, 'Mean spreads that a sample of the return may lie from Q.').default(
      defaults.boundSpreads,
    ),
    spreadRate: num('1', { above: 0, max: 1 }, 'Share by which the mean spread moves per update.').default(
      defaults.spreadRate,
    ),
    huberDelta: num('valueScale', { above: 0, max: 1e6 }, 'Errors beyond this count linearly.').default(
      defaults.huberDelta,
    ),
    bias: num('valueScale', { above: 0, max: 1e3 }, 'Keeps divisions by a small spread finite.').default(defaults.bias),
    minWeight: num('1', { above: 0, max: 1 }, 'Smallest weight of the critic loss.').default(defaults.minWeight),
    maxWeight: num('1', { min: 1, max: 1e3 }, 'Largest weight of the critic loss.').default(defaults.maxWeight),
    valueScale: num(
      'return',
      { min: 0, max: 1e6 },
      'What huberDelta and bias are multiples of; 0 for the mean spread, which makes learning independent of the scale of the reward.',
    ).default(defaults.valueScale),
    huberCorrection: z
      .boolean()
      .meta({ description: 'Whether the spread settles at the standard deviation, and not at 1/√2 of it.' })
      .default(defaults.huberCorrection),
  })
  .meta({ description: 'What only the algorithm dsact reads.' })
  .default(defaults);
