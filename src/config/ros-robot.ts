/** From the `driver` of a robot's file to the options of the driver behind ROS 2, and the programs that speak ROS for it. */
import { fileURLToPath } from 'node:url';
import { ReinError } from '../core/index.ts';
import type { RosDriverOptions } from '../drivers/index.ts';
import type { DriverConfig, RosProcesses } from '../guard/index.ts';
import type { RosDriverConfig } from './schema/driver.ts';
import type { RobotConfig } from './schema/robot.ts';

/** Kinds of commands that only bases take. */
const BASE_INTERFACES: readonly string[] = ['twist', 'twistStamped', 'ackermann'];

/** What a guard opens `robot` with. `rosArguments`: `--ros-args …`, for namespace and remaps. Throws `ReinError('config', …)`. */
export function rosDriverConfig(
  robot: RobotConfig,
  driver: RosDriverConfig,
  signalNames: readonly string[],
  rosArguments: readonly string[] = [],
): Extract<DriverConfig, { name: 'ros' }> {
  const isBase = robot.base !== undefined;
  const { command } = driver;
  if (isBase !== BASE_INTERFACES.includes(command.interface)) {
    throw new ReinError('config', `${robot.name} cannot be driven through "${command.interface}".`, {
      remedy: isBase ? `A base takes ${BASE_INTERFACES.join(', ')}.` : 'That is for mobile bases.',
    });
  }
  return { name: 'ros', options: options(robot, driver, signalNames), processes: { ...PROGRAMS, rosArguments } };
}

const PROGRAMS: Omit<RosProcesses, 'rosArguments'> = {
  bridgeModule: fileURLToPath(new URL('../ros/bridge/bridge-process.js', import.meta.url)),
  stopperModule: fileURLToPath(new URL('../ros/bridge/stopper-process.js', import.meta.url)),
};

function options(robot: RobotConfig, driver: RosDriverConfig, signalNames: readonly string[]): RosDriverOptions {
  const jointNames = robot.joints.map((joint) => joint.name);
  const { jointStates, odometry, wrench, controllerManager, scene } = driver;
  const names = jointStates?.names ?? [];
  if (names.length !== 0 && names.length !== jointNames.length) {
    throw new ReinError(
      'config',
      `jointStates.names has ${names.length} names, ${robot.name} has ${jointNames.length} joints.`,
    );
  }
  return {
    jointNames,
    rosJointNames: names.length === 0 ? jointNames : names,
    signalNames,
    command: {
      ...driver.command,
      wheelbaseM: robot.base?.wheelbaseM ?? 0,
      steeringMaxRad: robot.base?.steeringMaxRad ?? 0,
    },
    state:
      robot.base === undefined
        ? { kind: 'jointStates', topic: jointStates?.topic ?? 'joint_states' }
        : { kind: 'odometry', topic: odometry?.topic ?? 'odom' },
    signals: driver.signals.filter(({ name }) => signalNames.includes(name)),
    freshnessMs: driver.freshnessMs,
    minimumRateHz: driver.minimumRateHz,
    ...(wrench === undefined ? {} : { wrench }),
    ...(controllerManager === undefined ? {} : { controllerManager }),
    ...(scene === undefined ? {} : { scene }),
  };
}
