/** Simulated robot: an arm in a task's scene, or a base, as given by the parameters and the files that they name. */
import { type ResolvedConfig, resolveConfig } from '../../../../src/config/index.ts';
import { createSetup, driverSpec } from '../../../../src/config/setup.ts';
import { isRos, modelOf, simulatedDriver } from '../../../../src/drivers/index.ts';
import { type BaseModel, ReinError, type RobotModel } from '../../../../src/model/index.ts';
import type { MujocoDriverOptions, PlantDriverOptions } from '../../../../src/plant/index.ts';
import { sceneOf, taskKind } from '../../../../src/tasks/index.ts';
import type { BaseKind, BaseOptions } from './base-model.ts';
import type { ArmControllerKind, SimSettings } from './parameters.ts';

export type Plant = ArmPlant | BasePlant;

export interface ArmPlant {
  readonly kind: 'arm';
  readonly model: RobotModel;
  /** Arm in a task's scene, or from its own file. */
  readonly options: MujocoDriverOptions | PlantDriverOptions;
  readonly rateHz: number;
  /** Name of the controller that is active at the start. */
  readonly active: string;
}

export interface BasePlant {
  readonly kind: 'base';
  readonly base: BaseOptions;
  readonly rateHz: number;
  readonly takesStampedTwist: boolean;
}

/** Controller selected by each value of the parameter. */
const ACTIVE: Readonly<Record<ArmControllerKind, string>> = {
  joint_trajectory: 'joint_trajectory_controller',
  position: 'forward_position_controller',
  velocity: 'forward_velocity_controller',
  effort: 'forward_effort_controller',
  pose: 'cartesian_impedance_controller',
};

/** Controllers of an arm by their name in a robot's file. */
const ARM_INTERFACES: Readonly<Record<string, ArmControllerKind>> = {
  position: 'position',
  jointTrajectory: 'joint_trajectory',
  velocity: 'velocity',
  effort: 'effort',
  pose: 'pose',
};

const BASE_KINDS: Readonly<Record<BaseModel['kind'], BaseKind>> = {
  differential: 'differential',
  holonomic: 'omni',
  ackermann: 'ackermann',
};

/** Ticks a second of a base without a file. */
const BASE_HZ = 50;
/** Task whose scene surrounds an arm if its own task is operator-judged and has none. */
const SCENE_TASK = 'insert';

const MAX_HZ = 500;
const RATE_ROOM = 1.25;

/** Reads the files that `settings` name. Throws `ReinError` if the robot cannot be simulated. */
export function resolvePlant(settings: SimSettings): Plant {
  const { baseKind, rateHz } = settings;
  // A base described by parameters alone needs no file.
  if (baseKind !== undefined && settings.robot === undefined) {
    return {
      kind: 'base',
      base: { ...settings.base, kind: baseKind },
      rateHz: rateHz || BASE_HZ,
      takesStampedTwist: settings.takesStampedTwist,
    };
  }
  const config = configOf(settings, settings.task);
  const { base } = config.robot;
  return base === undefined ? armPlant(config, settings) : basePlant(config, base, settings);
}

function configOf({ robot, config }: SimSettings, task: string): ResolvedConfig {
  return resolveConfig({
    task,
    seed: 0,
    overlay: config,
    overrides: robot === undefined ? [] : [{ option: 'robot', path: ['task', 'robot'], value: robot }],
  });
}

function armPlant(config: ResolvedConfig, settings: SimSettings): ArmPlant {
  const { robot: model } = config;
  const { driver } = config.robot;
  const rateHz = settings.rateHz || rateOf(model, driver);
  const named = isRos(driver) ? ARM_INTERFACES[driver.command.interface] : undefined;
  const active = ACTIVE[settings.armController ?? named ?? 'position'];
  const isOwn = modelOf(driver) !== undefined;
  const options = isOwn ? ownOptions(config.robot) : sceneOptions(config, settings, rateHz);
  return { kind: 'arm', model, options, rateHz, active };
}

/** Rate that the file expects of joint_states, with some margin, up to the simulator's limit. */
function rateOf({ controlHz }: RobotModel, driver: ResolvedConfig['robot']['driver']): number {
  return isRos(driver) ? Math.max(controlHz, Math.min(MAX_HZ, Math.ceil(RATE_ROOM * driver.minimumRateHz))) : controlHz;
}

/** Options for the robot from its own file, without surroundings. */
function ownOptions(robot: ResolvedConfig['robot']): PlantDriverOptions {
  const scene = (): never => {
    throw new TypeError('a robot from its own file is in no scene');
  };
  const simulated = { ...robot, driver: simulatedDriver(robot.driver) };
  const nothing = { name: 'none', signalNames: [] };
  return driverSpec(simulated, nothing, { scene, surroundings: undefined }).options as unknown as PlantDriverOptions;
}

/** Options for the arm of the task's scene, or of that of peg insertion if the task has none. */
function sceneOptions(config: ResolvedConfig, settings: SimSettings, rateHz: number): MujocoDriverOptions {
  const scene = taskKind(config.task).scene !== undefined ? config : sceneConfig(config.robot.name, settings);
  return {
    jointNames: scene.robot.joints.map(({ name }) => name),
    signalNames: createSetup(scene).task.signalNames,
    periodS: 1 / rateHz,
    scene: sceneOf(scene.task),
  };
}

/** Throws `ReinError` for an arm other than the scene's, which needs its own file. */
function sceneConfig(robot: string, settings: SimSettings): ResolvedConfig {
  try {
    return configOf(settings, SCENE_TASK);
  } catch (cause) {
    if (!(cause instanceof ReinError)) throw cause;
    throw new ReinError(
      'config',
      `${robot} cannot be simulated: its file names no model, and the scene has another arm.`,
      {
        remedy:
          "Write the path of its URDF or MJCF as `model` under `driver` of the robot's file, as rein robot import does.",
        cause,
      },
    );
  }
}

/** Base of the file, with motors at least as capable as the file permits. */
function basePlant(config: ResolvedConfig, base: BaseModel, settings: SimSettings): BasePlant {
  const { base: given, rateHz, baseKind } = settings;
  const { driver, controlHz } = config.robot;
  const isStamped = isRos(driver) && driver.command.interface === 'twistStamped';
  return {
    kind: 'base',
    base: {
      ...given,
      kind: baseKind ?? BASE_KINDS[base.kind],
      speedMaxMPerS: Math.max(given.speedMaxMPerS, base.speedMaxMPerS),
      accelMaxMPerS2: Math.max(given.accelMaxMPerS2, base.accelMaxMPerS2),
      turnMaxRadPerS: Math.max(given.turnMaxRadPerS, base.turnMaxRadPerS ?? 0),
      turnAccelMaxRadPerS2: Math.max(given.turnAccelMaxRadPerS2, base.turnAccelMaxRadPerS2 ?? 0),
      wheelBaseM: base.wheelbaseM ?? given.wheelBaseM,
      steerMaxRad: base.steeringMaxRad ?? given.steerMaxRad,
      steerRateMaxRadPerS: Math.max(given.steerRateMaxRadPerS, base.steeringRateMaxRadPerS ?? 0),
    },
    rateHz: rateHz || controlHz,
    takesStampedTwist: settings.takesStampedTwist || isStamped,
  };
}
