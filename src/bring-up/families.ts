/** Families of bus servos as seen by bring-up, by the kind of driver: their possible speeds, and the settings that they should store. */
import type { RobotConfig } from '../config/index.ts';
import {
  calibrationPath,
  DYNAMIXEL_BAUDS,
  dynamixelFamily,
  FEETECH_BAUDS,
  feetechFamily,
  type Motor,
  type ServoConfig,
  type ServoFamily,
  shadowsOf,
} from '../drivers/serial.ts';
import { ReinError } from '../model/index.ts';

/** Value that a stored register must have, if the model has the register. */
export interface StoredSetting {
  readonly register: string;
  readonly value: number;
  /** Purpose, as the end of a sentence. */
  readonly why: string;
}

export interface BusFamily {
  readonly family: ServoFamily;
  /** Possible speeds of its servos, bit/s, likeliest first. */
  readonly bauds: readonly number[];
  readonly stored: readonly StoredSetting[];
  /** Reading = encoder + this × the stored homing offset. */
  readonly homingSign: 1 | -1;
}

/** By `driver.kind` of a robot's file. A third family is an entry here. */
const FAMILIES: Readonly<Record<string, BusFamily>> = {
  feetech: {
    family: feetechFamily,
    bauds: FEETECH_BAUDS,
    stored: [{ register: 'returnDelay', value: 0, why: 'it answers at once' }],
    homingSign: -1,
  },
  dynamixel: {
    family: dynamixelFamily,
    // Those of configured arms and of new servos; then the others, in the order of the register.
    bauds: [...new Set([1_000_000, 57_600, 115_200, 2_000_000, ...DYNAMIXEL_BAUDS])],
    stored: [
      { register: 'returnDelay', value: 0, why: 'it answers at once' },
      { register: 'statusLevel', value: 2, why: 'it confirms what is written' },
    ],
    homingSign: 1,
  },
};

export const BUS_FAMILIES: readonly BusFamily[] = Object.values(FAMILIES);

/** Robot whose joints are bus servos. */
export interface ServoArm {
  readonly robot: RobotConfig;
  /** Name in commands: a path, or the name of a shipped file. */
  readonly named: string;
  readonly driver: ServoConfig;
  readonly bus: BusFamily;
  /** Path of its calibration, which may not exist yet. */
  readonly calibration: string;
  /** One per joint, in their order; none is calibrated. */
  readonly motors: readonly Motor[];
  /** The same and second servos of joints: all that have to answer. */
  readonly servos: readonly Motor[];
}

/** Returns `undefined` for a robot with another driver. Throws `ReinError('config')` for a model that its family does not have. */
export function servoArmOf(robot: RobotConfig): ServoArm | undefined {
  const bus = FAMILIES[robot.driver.kind];
  if (bus === undefined) return undefined;
  const driver = robot.driver as ServoConfig;
  const motors = robot.joints.map(({ name }): Motor => {
    const options = driver.motors[name];
    if (options === undefined) {
      throw new ReinError('config', `driver.motors of ${robot.name} has no ${name}.`, {
        remedy: 'Give each joint its servo: id and model.',
      });
    }
    const model = bus.family.models[options.model];
    if (model === undefined) {
      throw new ReinError('config', `There is no ${bus.family.name} servo ${options.model}.`, {
        remedy: `Models: ${Object.keys(bus.family.models).join(', ')}.`,
      });
    }
    return { name, id: options.id, model, options };
  });
  const { calibration = calibrationPath(robot.name), named = robot.name } = driver;
  return { robot, named, driver, bus, calibration, motors, servos: [...motors, ...shadowsOf(motors)] };
}

/** The same, but throws for all other robots. */
export function requireServoArm(robot: RobotConfig, what: string): ServoArm {
  const arm = servoArmOf(robot);
  if (arm !== undefined) return arm;
  if (robot.driver.kind === 'vesc') {
    throw new ReinError('config', `${robot.name} is a car with a VESC: it has no bus servos to ${what}.`, {
      remedy: `How it counts and steers stands in its file, under driver.motor and driver.steering; rein bring-up shows whether it is so.`,
    });
  }
  throw new ReinError('config', `${robot.name} is driven by ${robot.driver.kind}: it has no bus servos to ${what}.`, {
    remedy: `Name the file of a robot whose driver is one of: ${Object.keys(FAMILIES).join(', ')}.`,
  });
}
