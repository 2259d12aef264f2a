/** Settings for learning from interventions, and from the steps right before them. */
import { z } from 'zod';
import { ReinError } from '../../model/index.ts';
import { type Configured, group, num, whole } from '../../schema/index.ts';

export const interventionSettings = group('What is learned from interventions, and from the steps before them.', {
  // HIL-SERL: all. RaC (Recovery and Correction): a policy that imitates recoveries learns to recover.
  demonstrate: z
    .enum(['all', 'recovery', 'correction', 'none'])
    .meta({
      description: 'Which steps of interventions count as demonstrations as well; all of them are learned from online.',
    })
    .default('all'),
  leaveOutBeforeSteps: whole(
    'steps',
    { min: 0, max: 1000 },
    "The policy's last steps before an intervention, which are not learned from: what led to it. 10 are a second at 10 Hz.",
  ).default(0),
  // In the unit of the task's reward, before rewardScale.
  onsetPenalty: num(
    'reward',
    { min: 0, max: 1e6 },
    'Deducted from the reward of the step before an intervention.',
  ).default(0),
});

/** See `interventionSettings`. */
export type InterventionRule = Configured<typeof interventionSettings>;

/** The rule with all defaults. */
export const DEFAULT_INTERVENTION_RULE: InterventionRule = interventionSettings.parse({});

/** Returns `base` with the keys of `changed`. Throws `ReinError('config')` for an unknown key, or a value out of range. */
export function interventionRule(
  changed: Readonly<Record<string, unknown>>,
  base: InterventionRule = DEFAULT_INTERVENTION_RULE,
): InterventionRule {
  const { data, error } = interventionSettings.safeParse({ ...base, ...changed });
  if (data !== undefined) return data;
  const { path, message } = error.issues[0]!;
  throw new ReinError('config', `The rule for interventions does not work: ${[...path, message].join(': ')}.`, {
    remedy: `Its keys are ${Object.keys(base).join(', ')}; see interventions in docs/config.md.`,
  });
}
