/** What tasks of every kind have: names, timing, actions, and how long and how well to train. */
import { z } from 'zod';
import type { ActionSpec } from '../../core/index.ts';
import { name, num, whole } from '../../schema/index.ts';
import type { BasePolicyConfig } from './base-policy.ts';

export interface TrainingConfig {
  readonly steps: number;
  readonly minimumSteps: number;
  /** Absent: training ends by what was learned. */
  readonly timeLimitS?: number | undefined;
  readonly stopAtValidation: number;
}
export interface ValidationConfig {
  readonly everySteps: number;
  readonly episodes: number;
}
export interface EvaluationConfig {
  readonly episodes: number;
}
export interface TargetConfig {
  readonly successRate: number;
  readonly trainingWallS?: number | undefined;
}

export interface TaskCommon {
  readonly name: string;
  /** Name or path of the robot's file. */
  readonly robot: string;
  /** Name or path of the learner's file. */
  readonly learner: string;
  readonly policyHz: number;
  readonly maxSteps: number;
  readonly historyFrames: number;
  /** How many executed actions an observation ends with, besides those in its frames. */
  readonly previousActions: number;
  /** How many policy steps late observations are shown. */
  readonly observationDelaySteps: number;
  readonly basePolicy?: BasePolicyConfig | undefined;
  readonly action: ActionSpec;
  readonly demonstrations: number;
  readonly training: TrainingConfig;
  readonly validation: ValidationConfig;
  readonly evaluation: EvaluationConfig;
  readonly target: TargetConfig;
}

const dimension = z.strictObject({
  name: name(
    "`x`, `y`, `z` or `yaw` for cartesian actions; the name of a joint, or of a base's axis, for joint actions.",
  ),
  scale: num('unit', { above: 0, max: 1 }, 'Change per policy step at full action, in the unit beside it.'),
  unit: z.enum(['m', 'rad']).meta({ description: 'Unit of `scale`.' }),
});

const action = z.strictObject({
  kind: z
    .enum(['cartesian', 'joint'])
    .meta({ description: 'What an action moves: the tool in the base frame, or joints (of a base: its axes).' }),
  dimensions: z
    .array(dimension)
    .min(1)
    .max(16)
    .meta({ description: 'One entry for each number of an action, in order.' }),
});

const training = z.strictObject({
  steps: whole('steps', { min: 0, max: 1e8 }, 'Environment steps after the demonstrations, at most.'),
  minimumSteps: whole(
    'steps',
    { min: 0, max: 1e8 },
    'Training does not end before this many steps, however good.',
  ).default(0),
  timeLimitS: num(
    's',
    { above: 0, max: 1e7 },
    'No training episode begins after this time, whatever was reached; what was learned is still judged. Absent: none, and the same seed gives the same policy on any machine.',
  ).optional(),
  stopAtValidation: num(
    '1',
    { above: 0, max: 1 },
    'Training ends once a policy reaches this success rate over validation and confirmation.',
  ),
});

export const previousActionsSchema: z.ZodDefault<z.ZodNumber> = whole(
  'actions',
  { min: 0, max: 32 },
  'The last so many executed actions stand behind the frames of an observation: with late observations the policy knows what is under way.',
).default(0);

export const observationDelaySchema: z.ZodDefault<z.ZodNumber> = whole(
  'steps',
  { min: 0, max: 32 },
  'Observations are shown so many policy steps late, as slow cameras and networks do; actions are known at once. For simulation: a robot whose observations are late by themselves needs 0.',
).default(0);

export const actionSchema: z.ZodType<ActionSpec> = action.meta({ description: 'What the numbers of an action do.' });

export const trainingSchema: z.ZodType<TrainingConfig> = training.meta({ description: 'How long to train.' });

export const validationSchema: z.ZodType<ValidationConfig> = z
  .strictObject({
    everySteps: whole('steps', { min: 1, max: 1e8 }, 'Environment steps between validations.'),
    episodes: whole(
      'episodes',
      { min: 1, max: 10_000 },
      'Episodes of one validation; they choose the policy that is kept.',
    ),
  })
  .meta({ description: 'How the policy that is kept is chosen.' });

export const evaluationSchema: z.ZodType<EvaluationConfig> = z
  .strictObject({
    episodes: whole('episodes', { min: 1, max: 100_000 }, 'Fresh episodes that give the reported figure.'),
  })
  .meta({ description: 'How the result is measured.' });

export const targetSchema: z.ZodType<TargetConfig> = z
  .strictObject({
    successRate: num('1', { min: 0, max: 1 }, 'Success rate below which `rein sim` exits with code 1.'),
    trainingWallS: num(
      's',
      { above: 0, max: 1e7 },
      'Training time to compare with, on a quiet machine; it ends and fails nothing.',
    ).optional(),
  })
  .meta({ description: 'What has to be reached.' });

/** A group that may be left out, and keys of it too: what is not written is as in `defaults`. */
export function withDefaults<T extends object>(group: z.ZodType<T>, defaults: T): z.ZodDefault<z.ZodType<T>> {
  const given = new Map<string, unknown>(Object.entries(defaults));
  const fields = Object.entries((group as unknown as z.ZodObject<Record<string, z.ZodType>>).shape).map(
    ([key, field]) => [key, given.has(key) ? field.default(given.get(key)) : field] as const,
  );
  const loose = z.strictObject(Object.fromEntries(fields)).meta(group.meta() ?? {});
  return (loose as unknown as z.ZodType<T>).default(defaults as z.core.util.NoUndefined<T>);
}
