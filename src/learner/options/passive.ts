/**
 * Settings of the passivity-aware learner: a budget for the interventions of the safety chain, kept by a Lagrangian multiplier ν.
 * The form of its controller is that of Stooke, Achiam and Abbeel, https://arxiv.org/abs/2007.03964, algorithm 2. Budget and
 * gains are specific to this project. Published gains are per episode or epoch and match the scale of their task's costs; these
 * are per training call, for costs of about 1 a step.
 */
import { z } from 'zod';
import { group, num, whole } from '../../schema/index.ts';

const gain = (description: string): z.ZodNumber => num('1', { min: 0, max: 1e3 }, description);

export const passiveSettings = group('What only the algorithm passive reads.', {
  // `tankDrainJ`: energy that the step's set-points put into the robot, J.
  cost: z
    .enum(['cost', 'tankDrainJ'])
    .meta({
      description:
        "What a step costs: `cost`, the share of its ticks that the filters changed or an environment's own cost, or `tankDrainJ`, energy taken from the tank.",
    })
    .default('cost'),
  // E_ref, in the cost's own unit
  costUnit: num('cost', { above: 0, max: 1e6 }, 'Costs are divided by this before learning.').default(1),
  // d
  budget: num('costUnit', { min: 0, max: 1e6 }, 'What a step may cost on average.').default(0.05),
  // Their mean is J_c.
  window: whole('steps', { min: 1, max: 1e6 }, 'Newest steps whose mean cost is held against the budget.').default(500),
  // Pessimistic: unknown actions are assumed to be expensive.
  costCritics: whole('networks', { min: 1, max: 32 }, 'Critics of the cost; the largest value counts.').default(2),
  // Plain: ν ← [ν + rate·(J_c − d)]₊; PID: `nextMultiplier`. Both once a training call.
  multiplier: z
    .enum(['plain', 'pid'])
    .meta({ description: 'How the multiplier follows the cost: integrating, or as a PID controller.' })
    .default('pid'),
  rate: gain('Of `plain`: how far the multiplier moves per call and unit of cost over budget.').default(1e-3),
  proportionalGain: gain('Of `pid`: on the cost over budget.').default(0.2),
  integralGain: gain('Of `pid`: on its sum over calls.').default(1e-3),
  derivativeGain: gain("Of `pid`: on the cost's rise since the last call.").default(0.1),
  initialMultiplier: num('1', { min: 0, max: 1e3 }, 'The multiplier at the start.').default(0),
  // OmniSafe's `penalty_max`: https://github.com/PKU-Alignment/omnisafe, configs SACPID and CPPOPID.
  maxMultiplier: num('1', { above: 0, max: 1e3 }, 'The multiplier never exceeds this.').default(100),
});
