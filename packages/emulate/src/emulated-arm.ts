/** Servos that a robot's file has on its bus, and their mounting: one or two for each joint, and one for each further encoder. */
import { existsSync } from 'node:fs';
import type { RobotConfig } from '../../../src/config/index.ts';
import {
  type Calibration,
  calibrationPath,
  countsPerUnit,
  isEncoder,
  loadCalibration,
  type ServoConfig,
  type ServoModel,
} from '../../../src/drivers/serial.ts';
import { ReinError } from '../../../src/model/index.ts';
import type { ServoSpec } from './servo-chain.ts';

/** One servo of a robot's file. */
export interface MountedServo extends Omit<ServoSpec, 'registers'> {
  /** Content of its offset register; 0 without a calibration. */
  readonly homingOffsetCounts: number;
}

/** Counts per unit of an encoder that the robot's file does not name: 0.01 mm, or 0.1 mrad, a count. */
const COUNTS_PER = { m: 100_000, rad: 10_000 };

/** Servos of a family to use if the robot's file has no bus. */
interface DefaultServos {
  readonly family: string;
  readonly model: string;
  readonly models: Readonly<Record<string, ServoModel>>;
  /** Signals of the scene: one that `driver.signals` does not name gets an encoder, with an id behind all others. */
  readonly signalNames?: readonly string[] | undefined;
}

/**
 * Returns the servos of `robot`: those of its `driver`, else one of the default model for each joint, with the ids 1, 2, …. They are
 * mounted as calibrated, or without a calibration in the middle of their turn at the joint's zero. Throws `ReinError('config')`.
 */
export function mountedServos(robot: RobotConfig, defaults: DefaultServos): readonly MountedServo[] {
  const { driver, joints } = robot;
  const { family } = defaults;
  const config = driver.kind === family ? (driver as ServoConfig) : undefined;
  const calibration = config === undefined ? undefined : calibrationOf(robot, config, family);
  const modelOf = (name: string): ServoModel => {
    const model = defaults.models[name];
    if (model !== undefined) return model;
    throw new ReinError('config', `There is no ${family} servo ${name}.`, {
      remedy: `Models: ${Object.keys(defaults.models).join(', ')}.`,
    });
  };
  const ofJoints = joints.map(({ name }, joint): MountedServo => {
    const options = config?.motors[name];
    const model = modelOf(options?.model ?? defaults.model);
    const found = calibration?.joints[name];
    const perUnit = options === undefined ? model.countsPerTurn / (2 * Math.PI) : countsPerUnit({ model, options });
    const homingOffsetCounts = found?.homingOffsetCounts ?? 0;
    return {
      id: options?.id ?? joint + 1,
      model,
      joint,
      zeroCounts: found === undefined ? model.countsPerTurn / 2 : found.zeroCounts + homingOffsetCounts,
      countsPerUnit: perUnit * (found?.direction ?? 1),
      homingOffsetCounts,
    };
  });
  const ofShadows = joints.flatMap(({ name }, joint): readonly MountedServo[] => {
    const shadowId = config?.motors[name]?.shadowId;
    const first = ofJoints[joint]!;
    return shadowId === undefined ? [] : [{ ...first, id: shadowId, shadowOf: first.id }];
  });
  const ofSignals = (config?.signals ?? []).filter(isEncoder).map(
    ({ name, id, model, zeroCounts, perCount }): MountedServo => ({
      id,
      model: modelOf(model),
      signal: name,
      zeroCounts,
      countsPerUnit: perCount === 0 ? 0 : 1 / perCount,
      homingOffsetCounts: 0,
    }),
  );
  const named = [...ofJoints, ...ofSignals, ...ofShadows];
  const firstId = 1 + Math.max(...named.map(({ id }) => id));
  const unnamed = (defaults.signalNames ?? []).filter((name) => !ofSignals.some(({ signal }) => signal === name));
  const ofScene = unnamed.map(
    (signal, i): MountedServo => ({
      id: firstId + i,
      model: modelOf(defaults.model),
      signal,
      zeroCounts: 0,
      countsPerUnit: COUNTS_PER[signal.endsWith('Rad') ? 'rad' : 'm'],
      homingOffsetCounts: 0,
    }),
  );
  return [...named, ...ofScene];
}

/** Returns `undefined` without a calibration, or if it cannot be this robot's: emulators serve to bring one up. */
function calibrationOf(robot: RobotConfig, config: ServoConfig, family: string): Calibration | undefined {
  const path = config.calibration ?? calibrationPath(robot.name);
  if (!existsSync(path)) return undefined;
  const subject = { named: robot.name, robot: robot.name, family, jointNames: robot.joints.map(({ name }) => name) };
  try {
    return loadCalibration(path, subject);
  } catch (error) {
    if (error instanceof ReinError) return undefined;
    throw error;
  }
}
