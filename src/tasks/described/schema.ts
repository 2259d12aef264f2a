/** File schema of a described task: what a custom task writes in TypeScript, as keys with units and ranges. */
import { z } from 'zod';
import {
  actionSchema,
  agreed,
  box,
  type Configured,
  group,
  mayDiffer,
  num,
  triple,
  whole,
} from '../../schema/index.ts';
import { robotObservationKeys } from '../robot-observation.ts';
import { maxStepsOf, openGoalKeys, taskIdentity, taskKeys } from '../task-options.ts';
import { resetSettings } from './reset.ts';
import { placeName, ruleList } from './rules.ts';

const spread = (description: string) =>
  z
    .tuple([z.number().min(0), z.number().min(0), z.number().min(0)])
    .meta({ unit: 'm', description })
    .default([0, 0, 0]);

const body = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(255)
    .meta({ description: 'Name of a body of the scene file that stands in the world itself.' }),
  atM: triple('m', 'Where it is put at each reset, in the middle, base frame.'),
  spreadM: spread('It is drawn within ± this in x, y and z.'),
  yawRad: num('rad', { min: -7, max: 7 }, 'How it is turned about z, in the middle.').default(0),
  yawSpreadRad: num('rad', { min: 0, max: 3.2 }, 'The turn is drawn within ± this.').default(0),
});

const scene = z
  .strictObject({
    file: z.string().min(1).max(4096).meta({
      description:
        'MJCF with what is beside the robot, in its base frame; relative to this file. Bodies with a free joint or slides can be pushed. It is added to the own model of a simulated robot.',
    }),
    bodies: z
      .array(body)
      .max(64)
      .meta({ description: 'Bodies that are put in place at each reset; others stand where the scene file has them.' })
      .default([]),
  })
  .meta({ description: 'What is simulated beside the robot. Absent: nothing.' });

const goal = z
  .strictObject({
    atM: triple('m', 'Where the place `goal` is, in the middle, base frame.'),
    spreadM: mayDiffer(spread('It is drawn within ± this in x, y and z, once an episode.')),
    marker: z
      .string()
      .min(1)
      .max(255)
      .meta({ description: 'A body of the scene that is put there, for people to see.' })
      .optional(),
  })
  .meta({ description: 'A place that is drawn and not measured: where something is to go.' });

const start = {
  toolM: triple(
    'm',
    'Where the tool starts, in the middle, with the orientation of home. Either this or `jointsRad`; neither: home.',
  ).optional(),
  spreadM: spread('With `toolM`: drawn within ± this in x, y and z.'),
  yawSpreadRad: num('rad', { min: 0, max: 3.2 }, 'With `toolM`: the tool is turned about z within ± this.').default(0),
  jointsRad: z
    .array(z.number())
    .min(1)
    .max(32)
    .meta({ unit: 'rad', description: 'Where the joints start, one number a joint.' })
    .optional(),
  spreadRad: num('rad', { min: 0, max: 3.2 }, 'Without `toolM`: each joint is drawn within ± this.').default(0),
};

const observedPlace = z.strictObject({
  place: placeName('What is seen: `tool`, `goal`, or a body or site of the scene.'),
  from: placeName('Seen from here: `tool`, `base`, `goal`, or a body or site.').default('tool'),
  scaleM: num('m', { above: 0, max: 100 }, 'The way is divided by this, so that it comes to about ±1.').default(0.1),
  seesYaw: z.boolean().meta({ description: 'How it is turned about z too, as cosine and sine.' }).default(false),
});

const observation = z
  .strictObject({
    ...robotObservationKeys,
    wrench: robotObservationKeys.wrench.unwrap().default(false),
    places: z
      .array(observedPlace)
      .max(32)
      .meta({ description: 'Ways between places, three numbers each, along the axes of the base frame.' })
      .default([]),
    previousAction: z.boolean().meta({ description: 'The action executed in the step before.' }).default(true),
  })
  .meta({ description: 'What the policy sees.' });

const success = {
  all: ruleList('Every one of these holds.'),
  any: ruleList('At least one of these holds too, where there are any.'),
  forSteps: whole('steps', { min: 1, max: 1000 }, 'Consecutive steps for which the rules must hold.').default(1),
  byMarks: z
    .boolean()
    .meta({ description: 'People mark success and failure too; without rules, only people do.' })
    .default(false),
};

const failure = {
  any: ruleList('The episode is lost as soon as one of these holds.'),
  penalty: num('1', { min: 0, max: 100 }, 'Deducted from the reward at a failure.').default(0),
};

const reward = {
  progress: z
    .strictObject({
      place: placeName('Place that is to approach `to`.'),
      to: placeName('Place that is to be approached.').default('goal'),
      perM: num('1/m', { above: 0, max: 1000 }, 'Reward per metre of approach; deducted per metre of retreat.'),
    })
    .meta({
      description: 'Rewards progress too, where success alone (1) is too rare at first. Off by default.',
    })
    .optional(),
};

const demonstrator = z
  .strictObject({
    kind: z.enum(['toPlace', 'pushTo', 'pickUp']).meta({
      description:
        'What the script does: it moves the tool to a place, pushes a thing there, or grips it and carries it there.',
    }),
    place: placeName('`pushTo`, `pickUp`: what is pushed or gripped.').default('tool'),
    to: placeName('Place to which it is brought.').default('goal'),
    standoffM: num(
      'm',
      { above: 0, max: 1 },
      '`pushTo`: middle of the thing to the tool point when they touch.',
    ).default(0.05),
    faceM: num(
      'm',
      { min: 0, max: 1 },
      '`pushTo`: half the width of the side that the tool pushes with; 0 for a point, which has to be right behind the thing.',
    ).default(0),
    clearM: num(
      'm',
      { min: 0, max: 1 },
      '`pushTo`: how far above the thing the tool goes round it; with z in the action. `pickUp`: from how far above it comes down.',
    ).default(0.08),
    gripM: triple('m', '`pickUp`: from the tool point to the middle of the thing between the jaws.').default([0, 0, 0]),
    closeSteps: whole(
      'steps',
      { min: 1, max: 100 },
      '`pickUp`: steps for closing the gripper before it lifts.',
    ).default(4),
    tremor: num('1', { min: 0, max: 1 }, "Standard deviation of the script's hand, in units of action.").default(0.05),
  })
  .meta({ description: 'A script that shows the task. It sees what the policy sees. Absent: people show it.' });

export const describedTaskSchema = z
  .strictObject({
    ...taskIdentity('described', 'All of it stands in this file, no code is needed: `described`.'),
    ...taskKeys,
    maxSteps: maxStepsOf('An episode is cut (not failed) after this many steps.', 100),
    action: actionSchema,
    workspace: box(
      "Where the tool may be in this task, within the robot's workspace. Default: all of that.",
    ).optional(),
    scene: scene.optional(),
    goal: agreed(goal.optional()),
    start: group('Where the robot starts.', start),
    observation: agreed(observation.prefault({})),
    success: agreed(group('When it is done. The reward is 1 then.', success)),
    failure: agreed(group('When it is lost.', failure)),
    reward: agreed(group('What is paid beside success.', reward)),
    reset: resetSettings,
    demonstrations: whole('episodes', { min: 0, max: 10_000 }, 'Episodes that are shown before training.').default(0),
    demonstrator: demonstrator.optional(),
    ...openGoalKeys({ everySteps: 500, episodes: 20 }),
  })
  .meta({ title: 'Task: described', description: 'A task of your own over any arm, without code.' });

/** Configuration of a task that is defined entirely by its file. */
export type DescribedTaskConfig = Configured<typeof describedTaskSchema>;
