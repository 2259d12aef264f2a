/** Families of devices that can be emulated. */
import type { EMULATED_ROBOTS } from '../../../src/cli/index.ts';
import type { RobotConfig } from '../../../src/config/index.ts';
import { DYNAMIXEL_MODELS, DYNAMIXEL_NEWEST_FIRMWARE, FEETECH_MODELS } from '../../../src/drivers/serial.ts';
import { ReinError, type Rng } from '../../../src/model/index.ts';
import type { EmulatedBody } from './bodies/body.ts';
import type { EmulatedBus } from './device.ts';
import { DynamixelBus } from './dynamixel/dynamixel-bus.ts';
import { DynamixelServo } from './dynamixel/dynamixel-servo.ts';
import { mountedServos } from './emulated-arm.ts';
import { FeetechBus } from './feetech/feetech-bus.ts';
import { FeetechServo } from './feetech/feetech-servo.ts';
import { carBody } from './vesc/car.ts';
import { VescBus } from './vesc/vesc-bus.ts';

/** Parameters of a line of devices. */
export interface BusRequest {
  readonly robot: RobotConfig;
  /** Its joints are those of the robot's file, in the same order. */
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** Signals measured beside the arm, each by an encoder on the bus. Default: those named by the robot's file. */
  readonly signalNames?: readonly string[] | undefined;
  /** Supply voltage, V; absent: rated voltage of the devices. */
  readonly supplyV?: number | undefined;
  /** Firmware reported by the devices, in their family's notation: `3.43`, `53`, `6.02`; absent: one of the known ones. */
  readonly firmware?: string | undefined;
}

export interface EmulatorKind {
  /** Kind of a robot's driver. */
  readonly kind: string;
  /** Baud rate of a new device. */
  readonly baud: number;
  /** Opens the body that they move. Absent: the robot's own model. Rejects with `ReinError('config')` for an unsuitable robot. */
  body?(robot: RobotConfig): Promise<EmulatedBody>;
  /** Throws `ReinError('config')` if the robot of the file cannot be built from such devices. */
  create(request: BusRequest): EmulatedBus;
}

const FEETECH: EmulatorKind = {
  kind: 'feetech',
  baud: 1_000_000,
  create: ({ robot, signalNames, firmware, ...rest }) => {
    const version = firmware === undefined ? {} : feetechVersion(firmware);
    const mounted = mountedServos(robot, { family: 'feetech', model: 'sts3215', models: FEETECH_MODELS, signalNames });
    const servos = mounted.map(
      ({ homingOffsetCounts, ...spec }) =>
        new FeetechServo({
          ...spec,
          registers: { ...version, ...(homingOffsetCounts === 0 ? {} : { homingOffset: homingOffsetCounts }) },
        }),
    );
    return new FeetechBus({ ...rest, servos });
  },
};

const VESC: EmulatorKind = {
  kind: 'vesc',
  baud: 115_200,
  body: carBody,
  create: (request) => new VescBus(request),
};

const DYNAMIXEL: EmulatorKind = {
  kind: 'dynamixel',
  baud: 1_000_000,
  create: ({ robot, signalNames, firmware, ...rest }) => {
    const version = firmware === undefined ? {} : dynamixelVersion(firmware);
    const mounted = mountedServos(robot, {
      family: 'dynamixel',
      model: 'xl430-w250',
      models: DYNAMIXEL_MODELS,
      signalNames,
    });
    const servos = mounted.map(
      ({ homingOffsetCounts, model, zeroCounts, ...spec }) =>
        new DynamixelServo({
          ...spec,
          model: DYNAMIXEL_MODELS[model.name]!,
          // Dynamixels add their offset; other servos subtract it.
          zeroCounts: zeroCounts - 2 * homingOffsetCounts,
          registers: {
            ...version,
            homingOffset: homingOffsetCounts,
            ...(spec.shadowOf === undefined ? {} : { shadowId: spec.shadowOf }),
          },
        }),
    );
    return new DynamixelBus({ ...rest, servos });
  },
};

function feetechVersion(firmware: string): Readonly<Record<string, number>> {
  const [, major, minor] = /^(\d{1,3})\.(\d{1,3})$/.exec(firmware) ?? [];
  if (major === undefined || Number(major) > 255 || Number(minor) > 255) throw noFirmware(firmware, '3.10');
  return { firmwareMajor: Number(major), firmwareMinor: Number(minor) };
}

function dynamixelVersion(firmware: string): Readonly<Record<string, number>> {
  if (!/^[1-9]\d?$/.test(firmware) || Number(firmware) > DYNAMIXEL_NEWEST_FIRMWARE) throw noFirmware(firmware, '53');
  return { firmware: Number(firmware) };
}

function noFirmware(firmware: string, like: string): ReinError {
  return new ReinError('config', `Firmware ${firmware} of these devices is not emulated.`, {
    remedy: `Write it as the devices report it, up to the newest with known registers, e.g. --firmware ${like}.`,
  });
}

const EMULATOR_KINDS: Readonly<Record<keyof typeof EMULATED_ROBOTS, EmulatorKind>> = {
  feetech: FEETECH,
  dynamixel: DYNAMIXEL,
  vesc: VESC,
};

/** Returns the kind called `name`. Throws `ReinError('config')` if there is none. */
export function emulatorKind(name: string): EmulatorKind {
  const found = Object.values(EMULATOR_KINDS).find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  throw new ReinError('config', `There is no emulator for ${name}.`, {
    remedy: `Emulated: ${Object.keys(EMULATOR_KINDS).join(', ')}.`,
  });
}
