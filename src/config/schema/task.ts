/** `config/tasks/*.yaml` of the kind `pegInsertion`, and all kinds together. */
import { z } from 'zod';
import { actionSchema, type Configured, name, num, reference, triple, whole } from '../../schema/index.ts';
import { basePolicySchema } from './base-policy.ts';
import type { JudgedTaskConfig } from './judged-task.ts';
import type { PluginTaskConfig } from './plugin-task.ts';
import {
  evaluationSchema,
  observationDelaySchema,
  policyPluginSchema,
  previousActionsSchema,
  targetSchema,
  trainingSchema,
  validationSchema,
} from './task-common.ts';

const peg = z.strictObject({
  widthM: num('m', { above: 0, max: 0.2 }, 'Side of the square cross-section.'),
  lengthM: num('m', { above: 0, max: 0.5 }, 'Length below the gripper.'),
});

const hole = z.strictObject({
  originM: triple('m', "Middle of where the hole's mouth may be, base frame."),
  clearanceM: num('m', { above: 0, max: 0.02 }, 'Gap between peg and wall on each side.'),
  chamferM: num('m', { min: 0, max: 0.02 }, 'Width of the chamfer on each side.'),
  depthM: num('m', { above: 0, max: 0.5 }, 'Depth of the hole.'),
  spreadM: num('m', { min: 0, max: 0.2 }, 'The mouth is drawn within ± this in x and y, once an episode.'),
  yawSpreadRad: num('rad', { min: 0, max: 0.8 }, 'The hole is turned within ± this, once an episode.'),
});

const estimate = z.strictObject({
  errorM: num(
    'm',
    { min: 0, max: 0.05 },
    'Error of the hole estimate in x and y, uniform within ±, fixed in an episode.',
  ),
  heightErrorM: num('m', { min: 0, max: 0.02 }, 'The same for the height of the mouth.'),
  yawErrorRad: num('rad', { min: 0, max: 0.8 }, 'The same for yaw.'),
});

const start = z.strictObject({
  spreadM: num('m', { min: 0, max: 0.3 }, 'The peg starts within ± this of `hole.originM` in x and y.'),
  heightM: num('m', { above: 0, max: 0.5 }, "Height of the peg's lower end above the mouth, in the middle."),
  heightSpreadM: num('m', { min: 0, max: 0.3 }, 'The height is drawn within ± this.'),
  yawSpreadRad: num('rad', { min: 0, max: 0.8 }, 'The peg is turned within ± this against the hole.'),
});

const success = z.strictObject({
  depthM: num('m', { above: 0, max: 0.5 }, 'How deep the peg must be.'),
  lateralM: num('m', { above: 0, max: 0.05 }, "Greatest distance from the hole's axis that still counts."),
});

const operator = z.strictObject({
  initialRate: num(
    '1',
    { min: 0, max: 1 },
    'Probability that the operator may take over in an episode, at first.',
  ).default(1),
  finalRate: num('1', { min: 0, max: 1 }, 'The same in the end.').default(0),
  halvingSteps: whole(
    'steps',
    { min: 1, max: 1e7 },
    'Steps in which the distance between the two rates halves.',
  ).default(500),
  stuckSteps: whole(
    'steps',
    { min: 1, max: 10_000 },
    'Steps without progress after which the policy counts as stuck.',
  ).default(15),
  handBackSteps: whole('steps', { min: 1, max: 10_000 }, 'Steps that an intervention lasts at most.').default(20),
});

export const pegTaskSchema = z
  .strictObject({
    name: name('Name of the task; run folders carry it.'),
    kind: z.literal('pegInsertion').meta({ description: 'Rules of reward, reset and success: `pegInsertion`.' }),
    robot: reference('Name of a file in `config/robots/`, or a path that ends in `.yaml`.'),
    learner: reference('Name of a file in `config/learner/`, or a path that ends in `.yaml`.'),
    policyHz: num(
      'Hz',
      { min: 1, max: 100 },
      "Policy steps per second; the robot's `controlHz` is a whole multiple of it.",
    ).default(10),
    maxSteps: whole('steps', { min: 1, max: 100_000 }, 'An episode is cut (not failed) after this many steps.').default(
      80,
    ),
    historyFrames: whole('frames', { min: 1, max: 16 }, 'Consecutive steps that one observation shows.').default(3),
    previousActions: previousActionsSchema,
    observationDelaySteps: observationDelaySchema,
    basePolicy: basePolicySchema.optional(),
    policyPlugin: policyPluginSchema.optional(),
    action: actionSchema,
    peg: peg.meta({ description: "Square peg; the robot's tool point is the centre of its lower end." }),
    hole: hole.meta({ description: 'Square, chamfered hole with a vertical axis.' }),
    estimate: estimate.meta({ description: 'What policy and operator believe about the hole, and how wrong it is.' }),
    start: start.meta({ description: 'Where an episode starts.' }),
    success: success.meta({ description: 'When the task is done.' }),
    demonstrations: whole(
      'episodes',
      { min: 0, max: 10_000 },
      'Episodes that the operator shows before training.',
    ).default(20),
    operator: operator.meta({ description: 'When the scripted operator takes over from the policy, and hands back.' }),
    training: trainingSchema,
    validation: validationSchema,
    evaluation: evaluationSchema,
    target: targetSchema,
  })
  .meta({
    title: 'Task: peg insertion',
    description: 'A task: geometry, episode rules, operator, training and target.',
  });

/** Insert a square peg into a hole. */
export type PegTaskConfig = Configured<typeof pegTaskSchema>;

/** A task's file, of any kind. */
export type TaskConfig = PegTaskConfig | JudgedTaskConfig | PluginTaskConfig;
