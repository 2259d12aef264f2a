/** Keys of a task's file that are common to all kinds: robot, learner, rates, common observations, training and target. */
import { z } from 'zod';
import { type ActionSpec, BASE_ACTION, type ObservationField, PREVIOUS_ACTIONS } from '../model/index.ts';
import { basePolicySchema } from '../policy/options.ts';
import { agreed, group, name, num, pluginGroup, reference, whole } from '../schema/index.ts';
import { phaseSwitchSchema } from './phase-switch.ts';
import { rewardClassifierSchema } from './reward/judged-by-classifier.ts';

/** Schema of a task's name and kind. */
export function taskIdentity<K extends string>(
  kind: K,
  description: string,
): { readonly name: z.ZodString; readonly kind: z.ZodLiteral<K> } {
  return {
    name: agreed(name('Name of the task; run folders carry it.')),
    kind: agreed(z.literal(kind).meta({ description })),
  };
}

/** Step limit of an episode. `what`: its description. */
export function maxStepsOf(what: string, steps: number): z.ZodDefault<z.ZodNumber> {
  return agreed(whole('steps', { min: 1, max: 100_000 }, what).default(steps));
}

/** Robot, learner, rates, and observations common to all tasks. */
export const taskKeys = {
  robot: reference('Name of a file in `config/robots/`, or a path that ends in `.yaml`.'),
  learner: reference('Name of a file in `config/learner/`, or a path that ends in `.yaml`.').default('rlpd'),
  policyHz: agreed(
    num(
      'Hz',
      { min: 1, max: 100 },
      "Policy steps per second; the robot's `controlHz` is a whole multiple of it.",
    ).default(10),
  ),
  maxSteps: maxStepsOf('An episode is cut (not failed) after this many steps.', 100),
  historyFrames: agreed(
    whole('frames', { min: 1, max: 16 }, 'Consecutive steps that one observation shows.').default(3),
  ),
  previousActions: agreed(
    whole(
      'actions',
      { min: 0, max: 32 },
      'The last so many executed actions stand behind the frames of an observation: with late observations the policy knows what is under way.',
    ).default(0),
  ),
  observationDelaySteps: agreed(
    whole(
      'steps',
      { min: 0, max: 32 },
      'Observations are shown so many policy steps late, as slow cameras and networks do; actions are known at once. For simulation: a robot whose observations are late by themselves needs 0.',
    ).default(0),
  ),
  toolSpeedMaxMPerS: num(
    'm/s',
    { above: 0, max: 20 },
    "Highest speed of the tool and of the arm's other monitored points in this task; no more than the robot's own.",
  ).optional(),
  basePolicy: agreed(basePolicySchema.optional()),
  phaseSwitch: agreed(phaseSwitchSchema.optional()),
  rewardClassifier: agreed(rewardClassifierSchema.optional()),
  help: group('When the robot pauses and asks a person for help.', {
    by: z
      .enum(['progress', 'value'])
      .meta({
        description:
          "What has to get better. `progress`: the distance to where the task wants the tool, or the sum of rewards where it names no place. `value`: what the learner's critics expect of the executed steps; progress where none comes.",
      })
      .default('progress'),
    afterSteps: whole(
      'steps',
      { min: 0, max: 100_000 },
      'Policy steps without a gain; more where successes without help have needed more. 0: it never asks.',
    ).default(0),
    // m to the tool's target; reward if the task names no target
    leastProgress: num('m or reward', { min: 0, max: 1e6 }, 'A gain of this much is progress.').default(0.002),
    // At a discount of 0.97 and a value of 0.3, a policy on its way to a reward of 1 gains this in three steps
    leastValueGain: num('reward', { min: 0, max: 1e6 }, 'By value, a gain of this much is one.').default(0.02),
  }),
  rewind: group('Going back the way the robot came (`b` at the keyboard, Rewind in the monitor).', {
    seconds: num('s', { above: 0, max: 60 }, 'So much of its motion is remembered.').default(3),
    pace: num('1', { above: 0, max: 0.5 }, 'Share of the pace at which it came, and of the full action.').default(0.5),
    contactForceN: num('N', { above: 0, max: 1000 }, 'A force at the tool that grows by so much ends it.').default(5),
    afterCut: z
      .boolean()
      .meta({ description: 'The robot goes back before the next episode where one of training was cut.' })
      .default(false),
  }),
  policyPlugin: pluginGroup(
    'policy',
    'A policy of your own, which decides in `rein run` in place of learned weights.',
  ).optional(),
};

const training = z
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
      'Training ends by a policy of this success rate: a sequential test on fresh episodes (8 % error, either way) tells it from one that fails six times as often, or that just misses `target.successRate` where that is higher.',
    ),
  })
  .meta({ description: 'How long to train.' });

const validation = z
  .strictObject({
    everySteps: whole('steps', { min: 1, max: 1e8 }, 'Environment steps between validations.'),
    episodes: whole(
      'episodes',
      { min: 1, max: 10_000 },
      'Episodes of one validation; they choose the policy that is kept.',
    ),
  })
  .meta({ description: 'How the policy that is kept is chosen.' });

const evaluation = z
  .strictObject({
    episodes: whole('episodes', { min: 1, max: 100_000 }, 'Fresh episodes that give the reported figure.'),
  })
  .meta({ description: 'How the result is measured.' });

const target = z
  .strictObject({
    successRate: num('1', { min: 0, max: 1 }, 'Success rate below which `rein sim` exits with code 1.'),
    trainingWallS: num(
      's',
      { above: 0, max: 1e7 },
      'Training time to compare with, on a quiet machine; for information only.',
    ).optional(),
  })
  .meta({ description: 'What has to be reached.' });

/** Training and evaluation keys of a file that must give all of them. */
export const goalKeys = { training, validation, evaluation, target };

/** The same with defaults: a custom task may never be validated by a script. */
export function openGoalKeys(validated: z.output<typeof validation>) {
  return {
    training: withDefaults(training, { steps: 100_000, minimumSteps: 0, stopAtValidation: 1 }),
    validation: withDefaults(validation, validated),
    evaluation: evaluation.default({ episodes: 20 }),
    target: withDefaults(target, { successRate: 0.9 }),
  };
}

/** Makes a group optional, and its keys too: missing ones are taken from `defaults`. */
function withDefaults<T extends object>(group: z.ZodType<T>, defaults: T): z.ZodDefault<z.ZodType<T>> {
  const given = new Map<string, unknown>(Object.entries(defaults));
  const fields = Object.entries((group as unknown as z.ZodObject<Record<string, z.ZodType>>).shape).map(
    ([key, field]) => [key, given.has(key) ? field.default(given.get(key)) : field] as const,
  );
  const loose = z.strictObject(Object.fromEntries(fields)).meta(group.meta() ?? {});
  return (loose as unknown as z.ZodType<T>).default(defaults as z.core.util.NoUndefined<T>);
}

/** Settings of observation fields that are common to all tasks. */
export interface OnceConfig {
  /** Number of executed actions; absent: 0. */
  readonly previousActions?: number;
  /** Absent: no base policy. Its digest, if known, becomes part of the field's unit. */
  readonly basePolicy?: { readonly sha256?: string | undefined } | undefined;
}

/** Fields that stand once behind the frames of an observation, `ObservationSpec.once`; nothing if there are none. */
export function onceFields(
  { previousActions = 0, basePolicy }: OnceConfig,
  action: ActionSpec,
): { readonly once?: readonly ObservationField[] } {
  const size = action.dimensions.length;
  const fields: ObservationField[] = [];
  if (previousActions > 0) {
    fields.push({ name: PREVIOUS_ACTIONS, size: previousActions * size, unit: '1', frame: 'none' });
  }
  if (basePolicy !== undefined) {
    const { sha256 } = basePolicy;
    fields.push({ name: BASE_ACTION, size, unit: sha256 === undefined ? '1' : `1 of ${sha256}`, frame: 'none' });
  }
  return fields.length === 0 ? {} : { once: fields };
}
