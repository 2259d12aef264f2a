/** From a resolved configuration to the objects that it describes: task, driver options, operator, schema. */
import { observationSize, schemaHash } from '../core/index.ts';
import type { MujocoDriverOptions } from '../drivers/mujoco/index.ts';
import { PegInsertion, type Task } from '../tasks/index.ts';
import { PegInserter, ScriptedOperator, type TeleopCommand, type TeleopSource } from '../teleop/index.ts';
import type { ResolvedConfig } from './config/index.ts';
import type { DriverConfig } from './guard/index.ts';

/** Everything that has a size or a hash, worked out once per process. */
export interface RunSetup {
  readonly config: ResolvedConfig;
  readonly task: Task;
  readonly driver: DriverConfig;
  readonly schemaHash: string;
  readonly observationSize: number;
  readonly actionSize: number;
  readonly ticksPerStep: number;
}

/** Builds the task and the driver's options that `config` describes. */
export function createSetup(config: ResolvedConfig): RunSetup {
  const task = new PegInsertion(config.task, config.robot);
  return {
    config,
    task,
    driver: driverConfig(config, task),
    schemaHash: schemaHash(task.observation, task.action),
    observationSize: observationSize(task.observation),
    actionSize: task.action.dimensions.length,
    ticksPerStep: Math.round(config.robot.controlHz / config.task.policyHz),
  };
}

function driverConfig(config: ResolvedConfig, task: Task): DriverConfig {
  return { name: 'mujoco', options: simulatedArm(config, task, config.robot.controlHz) };
}

/** The robot of `config` in MuJoCo, in the task's scene, one `read` every 1 / `rateHz` s: plain data for its driver. */
export function simulatedArm(config: ResolvedConfig, task: Task, rateHz: number): MujocoDriverOptions {
  const { robot, task: measures } = config;
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

/** The hand of the scripted operator, fitted to the task's measures. */
export function createInserter(setup: RunSetup, seed: number): PegInserter {
  const { config, task } = setup;
  const { clearanceM } = config.task.hole;
  return new PegInserter({
    observation: task.observation,
    action: task.action,
    spiralPitchM: 0.0015,
    searchStepM: clearanceM < 0.0004 ? 0.002 : 0.003,
    searchRadiusM: 1.5 * config.task.estimate.errorM,
    tremor: 0.05,
    seed,
  });
}

/** The operator that lets the policy try and takes over when it is stuck. */
export function createScriptedOperator(setup: RunSetup, seed: number): ScriptedOperator {
  return new ScriptedOperator(
    createInserter(setup, seed),
    setup.config.task.operator,
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
