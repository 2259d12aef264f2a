/**
 * Custom task judged by the operator, who arranges the surroundings and marks each episode as a success or a failure. An episode
 * without a mark is truncated at its time limit. The observation consists of robot measurements, driver signals and topics.
 */
import { z } from 'zod';
import { worldOf } from '../drivers/index.ts';
import { type ActionSpec, type ObservationSpec, ReinError, type RobotModel } from '../model/index.ts';
import type { GuardFrame, SceneLayout } from '../rows/index.ts';
import { actionSchema, agreed, type Configured, group, name, num, whole } from '../schema/index.ts';
import { type ObservationSource, type ObservationTopic, topicSchema, topicSize } from './observation-source.ts';
import {
  type ObservedPart,
  previousExecutedPart,
  robotObservationKeys,
  robotParts,
  writeParts,
} from './robot-observation.ts';
import { JUDGED_BY_PERSON, type Task, type Verdict } from './task.ts';
import type { TaskKind, TaskProblem, TaskRobot } from './task-kind.ts';
import { maxStepsOf, onceFields, openGoalKeys, taskIdentity, taskKeys } from './task-options.ts';

const observation = z.strictObject({
  ...robotObservationKeys,
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
  topics: z.array(topicSchema).max(16).meta({ description: 'Topics of ROS 2 that are seen too.' }).default([]),
});

export const judgedTaskSchema = z
  .strictObject({
    ...taskIdentity(
      'operatorJudged',
      'People arrange the surroundings and mark episodes as success or failure: `operatorJudged`.',
    ),
    ...taskKeys,
    maxSteps: maxStepsOf('An episode without a mark is cut after this many steps.', 300),
    action: actionSchema,
    observation: agreed(observation.meta({ description: 'What the policy sees, besides its own last action.' })),
    reset: group('Between episodes, which people arrange.', {
      asks: z
        .boolean()
        .meta({ description: 'After each episode the robot holds and asks, until a person says that all is in place.' })
        .default(false),
    }),
    isJudged: z
      .boolean()
      .meta({
        description:
          'People mark successes and failures; `false`: nothing is judged, as in `rein teleop`, and a learner or `rein record` refuses it.',
      })
      .default(true),
    demonstrations: whole(
      'episodes',
      { min: 0, max: 0 },
      'Always 0: people demonstrate by taking over, and no demonstrations are awaited.',
    ).default(0),
    ...openGoalKeys({ everySteps: 100_000, episodes: 1 }),
  })
  .meta({ title: 'Task: judged by people', description: 'A task of your own, on your own robot, judged by people.' });

/** Configuration of a custom task that the operator arranges and judges. */
export type JudgedTaskConfig = Configured<typeof judgedTaskSchema>;

/** The operator arranges, judges and demonstrates the task: there is no script. */
export const judgedKind: TaskKind<JudgedTaskConfig> = {
  kind: 'operatorJudged',
  schema: judgedTaskSchema,
  create: (config, robot) => new OperatorJudged(config, robot),
  problems: checkJudged,
  reset: ({ reset }) => (reset.asks ? { by: 'people' } : undefined),
};

export class OperatorJudged implements Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly signalNames: readonly string[];
  readonly maxSteps: number;
  readonly observationDelaySteps: number;
  readonly takesMarks: boolean;
  readonly hasRules = false;
  readonly isJudged: boolean;
  readonly isArrangedByPeople = true;
  readonly goal: string;
  readonly topics: readonly ObservationTopic[];
  readonly #parts: readonly ObservedPart[];
  #sources: readonly ObservationSource[] = [];

  /** Throws `RangeError` if nothing but the action is observed, and for a topic without values. */
  constructor(config: JudgedTaskConfig, model: RobotModel) {
    const { observation, action, isJudged } = config;
    this.name = config.name;
    this.takesMarks = isJudged;
    this.isJudged = isJudged;
    this.goal = isJudged ? JUDGED_BY_PERSON : 'people drive, and nothing is judged';
    this.maxSteps = config.maxSteps;
    this.observationDelaySteps = config.observationDelaySteps;
    this.action = action;
    this.signalNames = observation.signals.map(({ name }) => name);
    this.topics = observation.topics;
    this.#parts = [
      ...robotParts(observation, model),
      ...observation.signals.map((signal, i) => signalPart(signal, i)),
      ...observation.topics.map((topic, i) => this.#topicPart(topic, i)),
      previousExecutedPart(action.dimensions.length),
    ];
    if (this.#parts.length === 1) throw new RangeError('the observation holds nothing that is measured');
    const fields = this.#parts.map(({ field }) => field);
    this.observation = { frames: config.historyFrames, fields, ...onceFields(config, action) };
  }

  /** Sets the sources of `topics`, in the same order. Throws `RangeError` if names or sizes do not match. */
  attach(sources: readonly ObservationSource[]): void {
    const wanted = this.topics.map((topic) => `${topic.name} (${topicSize(topic)})`).join(', ');
    const given = sources.map(({ name, size }) => `${name} (${size})`).join(', ');
    if (wanted !== given) throw new RangeError(`the task reads ${wanted}; there are ${given}`);
    this.#sources = sources;
  }

  /** Throws: the operator arranges the surroundings, so there is nothing to draw. */
  drawLayout(): SceneLayout {
    throw new ReinError('task', `People arrange the scene of task ${this.name}; no layout can be drawn.`);
  }

  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void {
    writeParts(this.#parts, out, offset, frame, previousExecuted);
  }

  /** Leaves the step undecided: only a mark decides. */
  judge(_frame: GuardFrame, out: Verdict): void {
    out.reward = 0;
    out.terminated = false;
    out.success = false;
  }

  #topicPart(topic: ObservationTopic, i: number): ObservedPart {
    const size = topicSize(topic);
    if (typeof size === 'string') throw new RangeError(size);
    return {
      field: { name: topic.name, size, unit: `${topic.type} / ${topic.scale}`, frame: 'none' },
      write: (out, at) => {
        const source = this.#sources[i];
        if (source === undefined) {
          throw new ReinError(
            'task',
            `Task ${this.name} reads the ROS topic ${topic.topic}, but this process is not the ROS 2 node.`,
            {
              remedy: 'Run it as the ROS 2 node: ros2 launch rein robot.launch.py.',
            },
          );
        }
        source.fill(out, at);
      },
    };
  }
}

function signalPart({ name, scale }: { readonly name: string; readonly scale: number }, i: number): ObservedPart {
  return {
    field: { name: `signal_${name}`, size: 1, unit: `1 / ${scale}`, frame: 'none' },
    write: (out, at, { robot }) => {
      out[at] = robot.signals[i]! / scale;
    },
  };
}

/** Checks that the observation is valid, and that the robot is not simulated in the scene of peg insertion. */
function checkJudged(task: JudgedTaskConfig, robot: TaskRobot): TaskProblem[] {
  const findings: TaskProblem[] = [];
  const names = new Set<string>();
  const { signals, topics } = task.observation;
  const taken = (name: string, path: TaskProblem['path']): void => {
    if (names.has(name)) findings.push({ path, message: `"${name}" stands twice in the observation` });
    names.add(name);
  };
  for (const [i, { name }] of signals.entries()) taken(`signal_${name}`, ['observation', 'signals', i, 'name']);
  for (const [i, topic] of topics.entries()) {
    taken(topic.name, ['observation', 'topics', i, 'name']);
    const size = topicSize(topic);
    if (typeof size === 'string') findings.push({ path: ['observation', 'topics', i], message: size });
  }
  if (robotParts(task.observation, robot).length + signals.length + topics.length === 0) {
    findings.push({
      path: ['observation'],
      message: 'observation holds nothing of the robot, no signals and no topics',
    });
  }
  if (worldOf(robot.driver) === 'scene') {
    const message = `robot "${robot.name}" is simulated in the scene of peg insertion, which people cannot judge: name a robot with a driver of another kind`;
    findings.push({ path: ['robot'], message });
  }
  return findings;
}
