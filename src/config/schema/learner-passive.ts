/** `passive` of a learner's file. */
import { z } from 'zod';
import { DEFAULT_PASSIVE_SETTINGS, type PassiveSettings } from '../../learner/options.ts';
import { num, whole } from './fields.ts';

const usual = DEFAULT_PASSIVE_SETTINGS;
const gain = (description: string): z.ZodNumber => num('1', { min: 0, max: 1e3 }, description);

export const passiveSchema: z.ZodType<PassiveSettings> = z
  .strictObject({
    cost: z
      .enum(['cost', 'tankDrainJ'])
      .meta({
        description:
          "What a step costs: `cost`, the share of its ticks that the filters changed or an environment's own cost, or `tankDrainJ`, energy taken from the tank.",
      })
      .default(usual.cost),
    costUnit: num('cost', { above: 0, max: 1e6 }, 'Costs are divided by this before learning.').default(usual.costUnit),
    budget: num('costUnit', { min: 0, max: 1e6 }, 'What a step may cost on average.').default(usual.budget),
    window: whole('steps', { min: 1, max: 1e6 }, 'Newest steps whose mean cost is held against the budget.').default(
      usual.window,
    ),
    costCritics: whole('networks', { min: 1, max: 32 }, 'Critics of the cost; the largest value counts.').default(
      usual.costCritics,
    ),
    multiplier: z
      .enum(['plain', 'pid'])
      .meta({ description: 'How the multiplier follows the cost: integrating, or as a PID controller.' })
      .default(usual.multiplier),
    rate: gain('Of `plain`: how far the multiplier moves per call and unit of cost over budget.').default(usual.rate),
    proportionalGain: gain('Of `pid`: on the cost over budget.').default(usual.proportionalGain),
    integralGain: gain('Of `pid`: on its sum over calls.').default(usual.integralGain),
    derivativeGain: gain("Of `pid`: on the cost's rise since the last call.").default(usual.derivativeGain),
    initialMultiplier: num('1', { min: 0, max: 1e3 }, 'The multiplier at the start.').default(usual.initialMultiplier),
    maxMultiplier: num('1', { above: 0, max: 1e3 }, 'The multiplier never exceeds this.').default(usual.maxMultiplier),
  })
  .meta({ description: 'What only the algorithm passive reads.' })
  .default(usual);
