/** Common part of the driver kinds for bus servos: converts the robot file to driver options. */
import { ReinError } from '../../model/index.ts';
import { modelSource, placedModel } from '../../plant/index.ts';
import type { DriverConfig, DriverKind, DriverRequest } from '../driver-kind.ts';
import { calibrationPath } from './calibration.ts';
import type { ServoFamily } from './family.ts';
import { isEncoder, type MotorOptions, type ServoDriverOptions, servoOptions } from './options.ts';

/** Keys of a servo arm's `driver`, common to all families. */
export interface ServoConfig
  extends DriverConfig,
    Omit<ServoDriverOptions, 'jointNames' | 'signalNames' | 'motors' | 'calibration' | 'named'> {
  readonly named?: string | undefined;
  readonly calibration?: string | undefined;
  readonly motors: Readonly<Record<string, MotorOptions>>;
  readonly model?: string | undefined;
  /** Folders of ROS packages by name, for `package://` in `model`. */
  readonly packages?: Readonly<Record<string, string>> | undefined;
}

/** Returns a driver kind for the servos of the family that `load` returns. */
export function servoKind<Config extends ServoConfig>(
  kind: string,
  schema: DriverKind<Config>['schema'],
  load: () => Promise<ServoFamily>,
): DriverKind<Config, ServoDriverOptions> {
  return {
    kind,
    schema,
    options: servoOptions,
    needs: 'serial',
    world: () => 'real',
    arrangesScene: () => false,
    model: modelSource,
    signals: ({ signals }) => signals.map(({ name }) => name),
    problems: ({ motors, signals }) =>
      twice([
        ...Object.values(motors).flatMap(({ id, shadowId }) => (shadowId === undefined ? [id] : [id, shadowId])),
        ...signals.filter(isEncoder).map(({ id }) => id),
      ]),
    withPaths: (config, from, named) => ({
      ...config,
      named,
      ...(config.calibration === undefined ? {} : { calibration: from(config.calibration) }),
      ...placedModel(config, from),
    }),
    optionsOf: (config, request) => optionsOf(config, request),
    create: async (options, { model, openLine, torqueFound }) => {
      if (openLine === undefined) throw new ReinError('driver', 'A robot on a serial port is driven by a guard only.');
      const { ServoDriver } = await import('./servo-driver.ts');
      return new ServoDriver({ model, family: await load(), options, openLine, torqueFound });
    },
  };
}

function twice(ids: readonly number[]): readonly string[] {
  const found = ids.find((id, i) => ids.indexOf(id) !== i);
  return found === undefined ? [] : [`driver has two servos with the id ${found}: each on a bus has its own`];
}

function optionsOf(config: ServoConfig, { robot, task, signalNames }: DriverRequest): ServoDriverOptions {
  const { kind: _, model: __, packages: ___, motors, ...rest } = config;
  const jointNames = robot.joints.map(({ name }) => name);
  const missing = jointNames.find((name) => motors[name] === undefined);
  const unknown = Object.keys(motors).find((name) => !jointNames.includes(name));
  const wrong =
    missing === undefined
      ? unknown && `${robot.name} has no joint ${unknown}, but driver.motors has`
      : `driver.motors has no ${missing}`;
  if (wrong !== undefined) {
    throw new ReinError('config', `${wrong}.`, { remedy: `Joints: ${jointNames.join(', ')}.` });
  }
  const silent = signalNames.find((name) => !rest.signals.some((signal) => signal.name === name));
  if (silent !== undefined) {
    throw new ReinError('config', `Robot ${robot.name} has no signal ${silent}, which task ${task} needs.`, {
      remedy: 'Name the servo that measures it under driver.signals.',
    });
  }
  const calibration = rest.calibration ?? calibrationPath(robot.name);
  return {
    ...rest,
    named: rest.named ?? robot.name,
    calibration,
    jointNames,
    signalNames: [...signalNames],
    motors: jointNames.map((name) => motors[name]!),
  };
}
