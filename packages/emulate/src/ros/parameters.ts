/** Parameters of `ros2 run rein sim`, as shown by ROS tools, and the settings read from them. */
import { type ParameterDeclaration, type ParameterSet, parameter, taskOf } from '../../../../src/ros/program.ts';
import type { BaseKind, BaseOptions } from './base-model.ts';

/** Controllers of an arm, and kinds of bases. */
const ARM_CONTROLLERS = ['joint_trajectory', 'position', 'velocity', 'effort', 'pose'] as const;
const BASES: readonly BaseKind[] = ['differential', 'omni', 'ackermann'];
export type ArmControllerKind = (typeof ARM_CONTROLLERS)[number];

export interface SimSettings {
  /** `undefined`: the robot of the task. */
  readonly robot: string | undefined;
  readonly task: string;
  readonly config: string | undefined;
  /** At most one of the two is given; otherwise the robot's file decides. */
  readonly baseKind: BaseKind | undefined;
  readonly armController: ArmControllerKind | undefined;
  /** 0: the robot's own control rate. */
  readonly rateHz: number;
  readonly isShuffled: boolean;
  readonly isBestEffort: boolean;
  readonly interpolatesFromDesired: boolean;
  readonly allowsEndInMotion: boolean;
  /** < 0: never. */
  readonly silenceAfterS: number;
  readonly publishesClock: boolean;
  readonly clockFactor: number;
  readonly takesStampedTwist: boolean;
  readonly base: Omit<BaseOptions, 'kind'>;
}

const CONTROLLERS: readonly string[] = ['', ...ARM_CONTROLLERS, ...BASES];

/** Limits of a base, each with its parameter. */
const BASE_PARAMETERS: Readonly<Record<keyof SimSettings['base'], ParameterDeclaration>> = {
  speedMaxMPerS: parameter('base_speed_max', 'double', 1, {
    description: 'Base: highest speed, m/s.',
    range: { min: 0.01, max: 20 },
  }),
  accelMaxMPerS2: parameter('base_accel_max', 'double', 1, {
    description: 'Base: highest acceleration, m/s².',
    range: { min: 0.01, max: 50 },
  }),
  turnMaxRadPerS: parameter('base_turn_max', 'double', 2, {
    description: 'Base: highest turning speed, rad/s.',
    range: { min: 0.01, max: 20 },
  }),
  turnAccelMaxRadPerS2: parameter('base_turn_accel_max', 'double', 4, {
    description: 'Base: highest turning acceleration, rad/s².',
    range: { min: 0.01, max: 100 },
  }),
  wheelBaseM: parameter('wheel_base', 'double', 0.32, {
    description: 'Base, ackermann: distance between the axles, m.',
    range: { min: 0.05, max: 5 },
  }),
  steerMaxRad: parameter('steer_max', 'double', 0.5, {
    description: 'Base, ackermann: largest steering angle, rad.',
    range: { min: 0.01, max: 1.4 },
  }),
  steerRateMaxRadPerS: parameter('steer_rate_max', 'double', 3, {
    description: 'Base, ackermann: highest speed of the steering, rad/s.',
    range: { min: 0.01, max: 50 },
  }),
  commandTimeoutS: parameter('base_command_timeout', 'double', 0.5, {
    description: 'Base: comes to a stop when no command has come for so long, s.',
    range: { min: 0.02, max: 60 },
  }),
  slipRatio: parameter('base_slip', 'double', 0, {
    description: "Base: share of the wheels' way that is lost on the floor; odom does not see it, ground_truth does.",
    range: { min: 0, max: 0.9 },
  }),
};

export const SIM_PARAMETERS: readonly ParameterDeclaration[] = [
  parameter('robot', 'string', '', {
    description:
      "Name of a file in config/robots/, or a path ending in .yaml. An arm's names its own MJCF or URDF (driver.model), or has the " +
      "joints of the scene's arm. Empty: the robot of the task.",
  }),
  parameter('task', 'string', '', {
    description:
      "Task whose scene (hole, clearance) surrounds the arm: a name in config/tasks/, or a path ending in .yaml. Empty: the node's.",
  }),
  parameter('config', 'string', '', {
    description: 'YAML file laid over task and robot; see docs/config.md. Empty: none.',
  }),
  parameter('controller', 'string', '', {
    description:
      'Controller that is active at the start, and with it the kind of robot: joint_trajectory, position, velocity, ' +
      'effort or pose (an arm), or differential, omni or ackermann (a wheeled base). Empty: the one that the ' +
      "robot's file names, else position.",
    choices: CONTROLLERS,
  }),
  parameter('rate', 'double', 0, {
    description: "Periods a second of physics, controllers and readings, Hz; 0 stands for the robot's controlHz.",
    range: { min: 0, max: 500 },
  }),
  parameter('shuffle_names', 'bool', true, {
    description:
      "Publishes joint_states in alphabetical order of the names, as many robots do, not in the arm's order.",
  }),
  parameter('joint_states_reliability', 'string', 'reliable', {
    description: 'What joint_states and odom are published with: reliable or best_effort.',
    choices: ['reliable', 'best_effort'],
  }),
  parameter('interpolate_from_desired_state', 'bool', false, {
    description: 'joint_trajectory: begins a new trajectory at what was asked for instead of at what is measured.',
  }),
  parameter('allow_nonzero_velocity_at_trajectory_end', 'bool', true, {
    description: 'joint_trajectory: takes trajectories that end in motion, as Humble does; newer ones refuse them.',
  }),
  parameter('silence_after', 'double', -1, {
    description: 'Fault for tests: stops publishing joint_states or odom after so many seconds; below 0 never.',
    range: { min: -1, max: 1e6 },
  }),
  parameter('publish_clock', 'bool', false, {
    description: 'Publishes /clock for nodes with use_sim_time. The physics stays in real time.',
  }),
  parameter('clock_factor', 'double', 1, {
    description: 'Seconds of /clock in a second of real time.',
    range: { min: 0.01, max: 100 },
  }),
  parameter('stamped_twist', 'bool', false, {
    description: 'Base: takes cmd_vel as TwistStamped instead of Twist.',
  }),
  ...Object.values(BASE_PARAMETERS),
];

/** Reads the settings from declared parameters. */
export function readSettings(parameters: ParameterSet): SimSettings {
  const number = (name: string): number => parameters.get(name) as number;
  const text = (name: string): string => parameters.get(name) as string;
  const flag = (name: string): boolean => parameters.get(name) as boolean;
  const controller = text('controller');
  return {
    robot: text('robot') || undefined,
    task: taskOf(text('task'), text('robot')),
    config: text('config') || undefined,
    baseKind: BASES.find((base) => base === controller),
    armController: ARM_CONTROLLERS.find((arm) => arm === controller),
    rateHz: number('rate'),
    isShuffled: flag('shuffle_names'),
    isBestEffort: text('joint_states_reliability') === 'best_effort',
    interpolatesFromDesired: flag('interpolate_from_desired_state'),
    allowsEndInMotion: flag('allow_nonzero_velocity_at_trajectory_end'),
    silenceAfterS: number('silence_after'),
    publishesClock: flag('publish_clock'),
    clockFactor: number('clock_factor'),
    takesStampedTwist: flag('stamped_twist'),
    base: Object.fromEntries(
      Object.entries(BASE_PARAMETERS).map(([option, { name }]) => [option, number(name)]),
    ) as unknown as SimSettings['base'],
  };
}
