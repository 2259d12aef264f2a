/** From a resolved configuration to the objects that it describes: task, driver options, operator, schema. */
import { type ObservationParts, observationParts, observationSize, ReinError, schemaHash } from '../core/index.ts';
import type { MujocoDriverOptions } from '../drivers/mujoco.ts';
import type { DriverConfig } from '../guard/index.ts';
import type { TaskAction } from '../policy/index.ts';
import { OperatorJudged, PegInsertion, type Task } from '../tasks/index.ts';
import { rosDriverConfig } from './ros-robot.ts';
import type { ResolvedConfig } from './schema/resolved.ts';
import type { RobotConfig } from './schema/robot.ts';
import type { PegTaskConfig } from './schema/task.ts';

/** Everything that has a size or a hash, worked out once per process. */
export interface RunSetup {
  readonly config: ResolvedConfig;
  readonly task: Task;
  readonly driver: DriverConfig;
  readonly schemaHash: string;
  readonly observationSize: number;
  /** The same by its parts. */
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly ticksPerStep: number;
  /**
   * What observations, actions and rewards mean beyond their numbers, by dotted key of the configuration: robots and learner
   * must agree on each.
   */
  readonly meaning: Readonly<Record<string, unknown>>;
}

/** Builds the task and the driver's options that `config` describes. `rosArguments`: for a robot behind ROS 2, `--ros-args …`. */
export function createSetup(config: ResolvedConfig, rosArguments: readonly string[] = []): RunSetup {
  const task = createTask(config);
  return {
    config,
    task,
    driver: driverConfig(config, task, rosArguments),
    schemaHash: schemaHash(task.observation, task.action),
    observationSize: observationSize(task.observation),
    parts: observationParts(task.observation),
    actionSize: task.action.dimensions.length,
    ticksPerStep: Math.round(config.robot.controlHz / config.task.policyHz),
    meaning: meaningOf(config),
  };
}

/**
 * `RunSetup.meaning`. What only says how things are drawn, demonstrated, trained, judged or reached is left out and may
 * differ: a task's start, estimate, operator, training and the like, a robot's driver, and how its guard watches.
 */
function meaningOf({ robot, task }: ResolvedConfig): Record<string, unknown> {
  const meaning: Record<string, unknown> = {};
  for (const key of TASK_MEANING) flatten(`task.${key}`, (task as unknown as Record<string, unknown>)[key], meaning);
  for (const key of ROBOT_MEANING) flatten(`robot.${key}`, (robot as unknown as Record<string, unknown>)[key], meaning);
  for (const key of Object.keys(meaning)) if (MAY_DIFFER.test(key)) delete meaning[key];
  return meaning;
}

const TASK_MEANING = [
  ...['policyHz', 'name', 'kind', 'action', 'observation', 'historyFrames', 'previousActions', 'observationDelaySteps'],
  ...['maxSteps', 'basePolicy', 'peg', 'hole', 'success'],
];
const ROBOT_MEANING = [
  ...['name', 'controlHz', 'leashM', 'leashRad', 'joints', 'tool', 'workspace', 'points', 'homeRad', 'limitMarginRad'],
  ...['contact', 'base'],
];
/** Parts of the above that say how surroundings are drawn, how well is measured, and where files and topics are. */
const MAY_DIFFER = /\.(spreadM|yawSpreadRad|encoderNoiseRad|topic|freshnessMs|file)$/;

/** Objects by their keys, lists of named things by their names, anything else whole. */
function flatten(key: string, value: unknown, out: Record<string, unknown>): void {
  if (value === undefined) return;
  if (isNamedList(value)) for (const part of value) flatten(`${key}.${part.name}`, part, out);
  else if (typeof value !== 'object' || value === null || Array.isArray(value)) out[key] = value;
  else for (const [name, part] of Object.entries(value)) flatten(`${key}.${name}`, part, out);
}

function isNamedList(value: unknown): value is readonly { readonly name: string }[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part?.name === 'string');
}

/** What the task makes of a policy's action, for comparing with what a policy's file says of it. */
export function taskActionOf({ config, task }: RunSetup): TaskAction {
  return { action: task.action, policyHz: config.task.policyHz };
}

function driverConfig(config: ResolvedConfig, task: Task, rosArguments: readonly string[]): DriverConfig {
  const { robot } = config;
  if (robot.driver.kind !== 'mujoco') return realDriver(robot, robot.driver, task.signalNames, rosArguments);
  const { model } = robot.driver;
  if (model === undefined) return { name: 'mujoco', options: simulatedArm(config, task, config.robot.controlHz) };
  if (task.signalNames.length > 0) {
    throw new ReinError(
      'config',
      `Robot ${robot.name} is simulated from its own file and gives no signals; task ${config.task.name} needs ${task.signalNames.join(', ')}.`,
    );
  }
  return { name: 'mujocoModel', options: { file: model, signalNames: [] } };
}

/** What a guard opens `robot` with, where that is real or stands for what is. `rosArguments`: as of `createSetup`. */
export function realDriver(
  robot: RobotConfig,
  driver: RealDriver,
  signalNames: readonly string[],
  rosArguments: readonly string[] = [],
): DriverConfig {
  if (driver.kind === 'ros') return rosDriverConfig(robot, driver, signalNames, rosArguments);
  const { busPath, torqueNm } = driver;
  return {
    name: 'mock',
    options: {
      signalNames,
      ...(busPath === undefined ? {} : { busPath }),
      ...(torqueNm === undefined ? {} : { torqueNm }),
    },
  };
}

type RealDriver = Exclude<RobotConfig['driver'], { readonly kind: 'mujoco' }>;

/** The robot of `config` in MuJoCo, in the task's scene, one `read` every 1 / `rateHz` s: plain data for its driver. */
export function simulatedArm(config: ResolvedConfig, task: Task, rateHz: number): MujocoDriverOptions {
  const { robot } = config;
  const measures = pegTaskOf(config);
  return {
    jointNames: robot.joints.map((joint) => joint.name),
    signalNames: task.signalNames,
    periodS: 1 / rateHz,
    scene: {
      pegWidthM: measures.peg.widthM,
      pegLengthM: measures.peg.lengthM,
      clearanceM: measures.hole.clearanceM,
      chamferM: measures.hole.chamferM,
      depthM: measures.hole.depthM,
      mouthRadiusM: measures.success.lateralM,
    },
  };
}

function createTask({ task, robot }: ResolvedConfig): Task {
  return task.kind === 'pegInsertion' ? new PegInsertion(task, robot) : new OperatorJudged(task, robot);
}

/** The task's measures, where it is the kind that scripts and simulators know. Throws `ReinError` for others. */
export function pegTaskOf({ task }: ResolvedConfig): PegTaskConfig {
  if (task.kind === 'pegInsertion') return task;
  throw new ReinError('task', `Task ${task.name} is judged by people: no script and no simulator knows it.`, {
    remedy: `Run it on its robot: rein learn --task T and rein run --task T --operator keyboard, or ros2 launch rein robot.launch.py. rein sim and rein eval know insert and insert-tight.`,
  });
}
