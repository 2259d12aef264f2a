/** `config/tasks/*.yaml` of the kind `plugin`: a task whose rules are a module of one's own. */
import { z } from 'zod';
import {
  actionSchema,
  type Configured,
  name,
  num,
  pluginGroup,
  pluginKeys,
  reference,
  whole,
} from '../../schema/index.ts';
import { basePolicySchema } from './base-policy.ts';
import {
  evaluationSchema,
  observationDelaySchema,
  policyPluginSchema,
  previousActionsSchema,
  targetSchema,
  trainingSchema,
  validationSchema,
  withDefaults,
} from './task-common.ts';

export const pluginTaskSchema = z
  .strictObject({
    name: name('Name of the task; run folders carry it.'),
    kind: z.literal('plugin').meta({ description: 'Rules of reward, reset and success are a module: `plugin`.' }),
    ...pluginKeys('task'),
    robot: reference('Name of a file in `config/robots/`, or a path that ends in `.yaml`.'),
    learner: reference('Name of a file in `config/learner/`, or a path that ends in `.yaml`.').default('rlpd'),
    policyHz: num(
      'Hz',
      { min: 1, max: 100 },
      "Policy steps per second; the robot's `controlHz` is a whole multiple of it.",
    ).default(10),
    maxSteps: whole('steps', { min: 1, max: 100_000 }, 'An episode is cut (not failed) after this many steps.').default(
      100,
    ),
    historyFrames: whole('frames', { min: 1, max: 16 }, 'Consecutive steps that one observation shows.').default(3),
    previousActions: previousActionsSchema,
    observationDelaySteps: observationDelaySchema,
    basePolicy: basePolicySchema.optional(),
    policyPlugin: policyPluginSchema.optional(),
    operatorPlugin: pluginGroup(
      'operator',
      'An operator of your own: shows how it is done (`demonstrations`), and takes over in training. Default: nobody.',
    ).optional(),
    action: actionSchema,
    demonstrations: whole(
      'episodes',
      { min: 0, max: 10_000 },
      'Episodes that `operatorPlugin` shows before training.',
    ).default(0),
    training: withDefaults(trainingSchema, { steps: 100_000, minimumSteps: 0, stopAtValidation: 1 }),
    validation: withDefaults(validationSchema, { everySteps: 1000, episodes: 10 }),
    evaluation: evaluationSchema.default({ episodes: 20 }),
    target: withDefaults(targetSchema, { successRate: 0.9 }),
  })
  .meta({ title: 'Task: a plugin', description: "A task whose rules are a module of one's own." });

/** A task whose rules are a module of one's own. */
export type PluginTaskConfig = Configured<typeof pluginTaskSchema>;
