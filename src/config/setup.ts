/**
 * Builds the objects that a resolved configuration describes: task, driver options, operator, schema. A separate entry point: it reads no
 * YAML and repeats no checks.
 */
import { fileURLToPath } from 'node:url';
import { type DriverSpec, driverKind } from '../drivers/index.ts';
import {
  type ObservationParts,
  observationParts,
  observationProblem,
  observationSize,
  ReinError,
  schemaHash,
} from '../model/index.ts';
import type { TaskAction } from '../policy/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { agreedOf, armModel, baseModel } from '../schema/index.ts';
import {
  createTask,
  criticalTestOf,
  type ResetPlan,
  scenesOf,
  type Task,
  type TaskScenes,
  taskKind,
} from '../tasks/index.ts';
import type { ResolvedConfig } from './schema/resolved.ts';
import type { RobotConfig } from './schema/robot.ts';

/** Everything with a size or a hash, computed once per process. */
export interface RunSetup {
  readonly config: ResolvedConfig;
  readonly task: Task;
  readonly driver: DriverSpec;
  readonly schemaHash: string;
  readonly observationSize: number;
  /** Observation size by part. */
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly ticksPerStep: number;
  /** Motion back to where an episode may begin; `undefined`: software resets the robot, or people do without being prompted. */
  readonly reset: ResetPlan | undefined;
  /** True if the critical phase begins in a frame, by the task's rules; `undefined` if the learned policy acts from the first step. */
  readonly isCritical: ((frame: GuardFrame) => boolean) | undefined;
  /**
   * Semantics of observations, actions and rewards beyond their numbers, by dotted key of the configuration: robots and learner must agree
   * on each.
   */
  readonly meaning: Readonly<Record<string, unknown>>;
}

/** Builds the task and the driver's options that `config` describes. Loads the task's module if it is a third-party one. */
export function createSetup(config: ResolvedConfig): RunSetup {
  const task = createTask(config.task, config.robot);
  const problem = observationProblem(task.observation);
  if (problem !== undefined) throw new ReinError('task', `Task ${config.task.name}: ${problem}.`);
  return {
    config,
    task,
    driver: driverSpec(config.robot, task, scenesOf(config.task)),
    schemaHash: schemaHash(task.observation, task.action),
    observationSize: observationSize(task.observation),
    parts: observationParts(task.observation),
    actionSize: task.action.dimensions.length,
    reset: taskKind(config.task).reset?.(config.task, config.robot),
    isCritical: criticalTestOf(config.task, config.robot),
    ticksPerStep: Math.round(config.robot.controlHz / config.task.policyHz),
    meaning: meaningOf(config),
  };
}

/** Model schema of every robot: a base has axes in place of joints. */
const ROBOT = armModel.extend({ base: baseModel.shape.base });

function meaningOf({ robot, task }: ResolvedConfig): Record<string, unknown> {
  return { ...agreedOf(taskKind(task).schema, task, 'task'), ...agreedOf(ROBOT, robot, 'robot') };
}

/** The task's interpretation of a policy's action, for comparison with the one in a policy's file. */
export function taskActionOf({ config, task }: RunSetup): TaskAction {
  return { action: task.action, policyHz: config.task.policyHz };
}

/**
 * Returns the specification from which a guard creates the driver of `robot`. `rosArguments`: for a robot behind ROS 2, `--ros-args …`;
 * `scenes`: the task's simulated surroundings. Throws `ReinError('config')`.
 */
export function driverSpec(
  robot: RobotConfig,
  task: Pick<Task, 'name' | 'signalNames'>,
  scenes: TaskScenes,
  rosArguments: readonly string[] = [],
): DriverSpec {
  const { kind, needs, optionsOf } = driverKind(robot.driver.kind);
  const { name, signalNames } = task;
  const options = optionsOf(robot.driver, { robot, task: name, signalNames, ...scenes });
  return { name: kind, options, ...(needs === 'ros' ? { processes: { ...ROS_PROGRAMS, rosArguments } } : {}) };
}

/** Started by path: this file does not import them. */
const ROS_PROGRAMS = {
  bridgeModule: fileURLToPath(new URL('../ros/bridge/bridge-process.js', import.meta.url)),
  stopperModule: fileURLToPath(new URL('../ros/bridge/stopper-process.js', import.meta.url)),
};
