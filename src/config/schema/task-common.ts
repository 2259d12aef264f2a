/** What tasks of every kind have: names, timing, actions, and how long and how well to train. */
import { z } from 'zod';
import { num, pluginGroup, whole } from '../../schema/index.ts';

export const trainingSchema = z
  .strictObject({
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
  })
  .meta({ description: 'How long to train.' });

export const policyPluginSchema = pluginGroup(
  'policy',
  'A policy of your own, which decides in `rein run` in place of learned weights.',
);

export const previousActionsSchema = whole(
  'actions',
  { min: 0, max: 32 },
  'The last so many executed actions stand behind the frames of an observation: with late observations the policy knows what is under way.',
).default(0);

export const observationDelaySchema = whole(
  'steps',
  { min: 0, max: 32 },
  'Observations are shown so many policy steps late, as slow cameras and networks do; actions are known at once. For simulation: a robot whose observations are late by themselves needs 0.',
).default(0);

export const validationSchema = z
  .strictObject({
    everySteps: whole('steps', { min: 1, max: 1e8 }, 'Environment steps between validations.'),
    episodes: whole(
      'episodes',
      { min: 1, max: 10_000 },
      'Episodes of one validation; they choose the policy that is kept.',
    ),
  })
  .meta({ description: 'How the policy that is kept is chosen.' });

export const evaluationSchema = z
  .strictObject({
    episodes: whole('episodes', { min: 1, max: 100_000 }, 'Fresh episodes that give the reported figure.'),
  })
  .meta({ description: 'How the result is measured.' });

export const targetSchema = z
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
