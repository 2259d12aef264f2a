/** From a resolved configuration to the objects that it describes: task, driver options, operator, schema. */
import { type ObservationParts, observationParts, observationSize, ReinError, schemaHash } from '../core/index.ts';
import type { MujocoDriverOptions } from '../drivers/mujoco/index.ts';
import type { TaskAction } from '../policy/index.ts';
import { OperatorJudged, PegInsertion, type Task } from '../tasks/index.ts';
import { PegInserter, ScriptedOperator, type TeleopCommand, type TeleopSource } from '../teleop/index.ts';
import type { PegTaskConfig, ResolvedConfig } from './config/index.ts';
import type { DriverConfig } from './guard/index.ts';
import { rosDriverConfig } from './ros-robot.ts';

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
  };
}

/** What observations and actions of `setup` mean beyond their numbers: robots and learner must agree on every key. */
export function meaningOf({ config }: RunSetup): Record<string, unknown> {
  const { robot, task } = config;
  const { controlHz, joints } = robot;
  const leash = 'leashM' in robot ? { leashM: robot.leashM, leashRad: robot.leashRad } : {};
  return { policyHz: task.policyHz, controlHz, ...leash, task: task.name, taskKind: task.kind, joints };
}

/** What the task makes of a policy's action, for comparing with what a policy's file says of it. */
export function taskActionOf({ config, task }: RunSetup): TaskAction {
  return { action: task.action, policyHz: config.task.policyHz };
}

function driverConfig(config: ResolvedConfig, task: Task, rosArguments: readonly string[]): DriverConfig {
  const { robot } = config;
  if (robot.driver.kind === 'ros') return rosDriverConfig(robot, robot.driver, task.signalNames, rosArguments);
  if (robot.driver.kind === 'mock') {
    const { busPath } = robot.driver;
    return { name: 'mock', options: { signalNames: task.signalNames, ...(busPath === undefined ? {} : { busPath }) } };
  }
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
    remedy: 'Run it on a robot: ros2 launch rein robot.launch.py. For a simulated run take --task insert.',
  });
}

/** The hand of the scripted operator, fitted to the task's measures. */
export function createInserter(setup: RunSetup, seed: number): PegInserter {
  const { task } = setup;
  const measures = pegTaskOf(setup.config);
  const { clearanceM } = measures.hole;
  return new PegInserter({
    observation: task.observation,
    action: task.action,
    spiralPitchM: 0.0015,
    searchStepM: clearanceM < 0.0004 ? 0.002 : 0.003,
    searchRadiusM: 1.5 * measures.estimate.errorM,
    tremor: 0.05,
    seed,
  });
}

/** The operator that lets the policy try and takes over when it is stuck. */
export function createScriptedOperator(setup: RunSetup, seed: number): ScriptedOperator {
  return new ScriptedOperator(
    createInserter(setup, seed),
    pegTaskOf(setup.config).operator,
    setup.task.observation,
    seed + 1,
  );
}

/** The inserter as an operator who never lets go: demonstrations. */
export function createDemonstrator(setup: RunSetup, seed: number): TeleopSource {
  const hand = createInserter(setup, seed);
  return {
    name: 'demonstrator',
    decidedBy: 'scripted',
    reset: () => hand.begin('above'),
    close: () => undefined,
    poll: (observation: Float32Array, _nowS: number, out: TeleopCommand) => {
      out.active = true;
      out.phase = 'correct';
      hand.act(observation, out.action);
    },
  };
}
