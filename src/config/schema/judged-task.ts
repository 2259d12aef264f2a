/** `config/tasks/*.yaml` of the kind `operatorJudged`: a task of one's own, which people arrange and judge. */
import { z } from 'zod';
import { actionSchema, type Configured, name, num, reference, whole } from '../../schema/index.ts';
import { OBSERVATION_TYPES, type ObservationTopic } from '../../tasks/index.ts';
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

const topic = z.strictObject({
  name: name('Name of this part of the observation.'),
  topic: z.string().min(1).max(255).meta({ description: 'Topic; relative names follow the namespace.' }),
  type: z.enum(OBSERVATION_TYPES as [ObservationTopic['type']]).meta({ description: 'Type of the messages.' }),
  fields: z.array(z.string()).min(1).max(8).meta({
    unit: '1',
    description:
      'What is taken, in order. JointState: position, velocity, effort; Imu: orientation, angularVelocity, linearAcceleration; LaserScan: ranges; Odometry: position, orientation, linear, angular; WrenchStamped: force, torque; images: gray or rgb; numbers: data.',
  }),
  joints: z
    .array(z.string())
    .min(1)
    .max(64)
    .optional()
    .meta({ unit: '1', description: 'JointState: which joints, in this order.' }),
  size: whole(
    'numbers',
    { min: 1, max: 4096 },
    'LaserScan: so many sectors, the nearest of each. Float64MultiArray: so many numbers.',
  ).optional(),
  widthPx: whole('px', { min: 1, max: 256 }, 'Images: averaged to so many pixels across.').optional(),
  heightPx: whole('px', { min: 1, max: 256 }, 'Images: averaged to so many pixels down.').optional(),
  scale: num(
    'unit',
    { above: 0, max: 1e9 },
    'What is measured is divided by this, so that it comes to about ±1; images are 0 to 1 before.',
  ).default(1),
  freshnessMs: num('ms', { above: 0, max: 10_000 }, 'Older values are not acted on: the robot holds.').default(200),
});

const observation = z.strictObject({
  jointPositions: z
    .boolean()
    .meta({ description: 'Positions of joints, from home; not of axes that odometry counts.' })
    .default(true),
  jointVelocities: z.boolean().meta({ description: 'Speeds of joints, as shares of their highest.' }).default(true),
  toolPose: z.boolean().meta({ description: 'Place and orientation of the tool; arms only.' }).default(true),
  wrench: z.boolean().meta({ description: 'Force and torque on the tool; arms only.' }).default(true),
  signals: z
    .array(
      z.strictObject({
        name: name('A number that the driver gives.'),
        scale: num('unit', { above: 0, max: 1e9 }, 'It is divided by this.').default(1),
      }),
    )
    .max(64)
    .meta({ description: "Numbers of the driver by name, as in the robot's file." })
    .default([]),
  topics: z.array(topic).max(16).meta({ description: 'Topics of ROS 2 that are seen too.' }).default([]),
});

export const judgedTaskSchema = z
  .strictObject({
    name: name('Name of the task; run folders carry it.'),
    kind: z.literal('operatorJudged').meta({
      description: 'People arrange the surroundings and mark episodes as success or failure: `operatorJudged`.',
    }),
    robot: reference('Name of a file in `config/robots/`, or a path that ends in `.yaml`.'),
    learner: reference('Name of a file in `config/learner/`, or a path that ends in `.yaml`.').default('rlpd'),
    policyHz: num(
      'Hz',
      { min: 1, max: 100 },
      "Policy steps per second; the robot's `controlHz` is a whole multiple of it.",
    ).default(10),
    maxSteps: whole(
      'steps',
      { min: 1, max: 100_000 },
      'An episode without a mark is cut after this many steps.',
    ).default(300),
    historyFrames: whole('frames', { min: 1, max: 16 }, 'Consecutive steps that one observation shows.').default(3),
    previousActions: previousActionsSchema,
    observationDelaySteps: observationDelaySchema,
    basePolicy: basePolicySchema.optional(),
    policyPlugin: policyPluginSchema.optional(),
    action: actionSchema,
    observation: observation.meta({ description: 'What the policy sees, besides its own last action.' }),
    demonstrations: whole(
      'episodes',
      { min: 0, max: 0 },
      'People demonstrate by taking over; nothing is waited for: 0.',
    ).default(0),
    training: withDefaults(trainingSchema, { steps: 100_000, minimumSteps: 0, stopAtValidation: 1 }),
    validation: withDefaults(validationSchema, { everySteps: 100_000, episodes: 1 }),
    evaluation: evaluationSchema.default({ episodes: 20 }),
    target: withDefaults(targetSchema, { successRate: 0.9 }),
  })
  .meta({ title: 'Task: judged by people', description: "A task of one's own on one's own robot." });

/** A task of one's own, which people arrange and judge. */
export type JudgedTaskConfig = Configured<typeof judgedTaskSchema>;
