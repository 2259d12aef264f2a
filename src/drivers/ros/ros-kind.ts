/** Driver kind of robots behind ROS 2. Runs in guard processes only, which start the ROS processes. */
import { ReinError, type RobotModel } from '../../model/index.ts';
import { modelSource, placedModel } from '../../plant/index.ts';
import type { DriverKind } from '../driver-kind.ts';
import { DISTANCE_SIGNAL, type RosConfig, type RosDriverOptions, rosOptions, rosSchema } from './options.ts';

/** Command interfaces that only bases take. */
const BASE_INTERFACES: readonly string[] = ['twist', 'twistStamped', 'ackermann'];

export const rosKind: DriverKind<RosConfig, RosDriverOptions> = {
  kind: 'ros',
  schema: rosSchema,
  options: rosOptions,
  needs: 'ros',
  world: () => 'real',
  signals: ({ signals }) => signals.map(({ name }) => name),
  problems: ({ controllerManager: manager }) =>
    manager === undefined || manager.activateOnEnable || manager.deactivate.length === 0
      ? []
      : ['controllerManager.deactivate is for activateOnEnable: true, where the controllers are switched'],
  model: modelSource,
  withPaths: (config, from) => ({ ...config, ...placedModel(config, from) }),
  optionsOf: (config, { robot, signalNames }) => {
    checkInterface(config, robot);
    return optionsOf(config, robot, signalNames);
  },
  arrangesScene: ({ scene }) => scene !== undefined,
  create: async (options, { model, rosLink }) => {
    if (rosLink === undefined) throw new ReinError('driver', 'A robot behind ROS 2 is driven by a guard process only.');
    return new (await import('./ros-driver.ts')).RosDriver(model, options, await rosLink(options));
  },
};

function checkInterface({ command }: RosConfig, robot: RobotModel): void {
  const isBase = robot.base !== undefined;
  if (isBase === BASE_INTERFACES.includes(command.interface)) return;
  throw new ReinError('config', `${robot.name} cannot be driven through "${command.interface}".`, {
    remedy: isBase ? `A base takes ${BASE_INTERFACES.join(', ')}.` : 'That is for mobile bases.',
  });
}

/** Returns the distance of people as an additional signal, outside the task's signals. */
function distanceOf({ distance }: RosConfig, { separation }: RobotModel): RosDriverOptions['signals'] {
  if (distance === undefined || separation === undefined) return [];
  return [{ name: DISTANCE_SIGNAL, freshnessMs: separation.freshnessMs, ...distance }];
}

function optionsOf(driver: RosConfig, robot: RobotModel, signalNames: readonly string[]): RosDriverOptions {
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
    signals: [...driver.signals.filter(({ name }) => signalNames.includes(name)), ...distanceOf(driver, robot)],
    freshnessMs: driver.freshnessMs,
    minimumRateHz: driver.minimumRateHz,
    ...(wrench === undefined ? {} : { wrench }),
    ...(controllerManager === undefined ? {} : { controllerManager }),
    ...(scene === undefined ? {} : { scene }),
  };
}
