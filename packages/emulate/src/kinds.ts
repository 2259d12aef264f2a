/** Which families of devices can be emulated. */
import type { EMULATED_ROBOTS } from '../../../src/cli/index.ts';
import type { RobotConfig } from '../../../src/config/index.ts';
import { ReinError, type Rng } from '../../../src/core/index.ts';
import { DYNAMIXEL_MODELS, DYNAMIXEL_NEWEST_FIRMWARE, FEETECH_MODELS } from '../../../src/drivers/serial.ts';
import type { EmulatedBody } from './bodies/body.ts';
import type { EmulatedBus } from './device.ts';
import { DynamixelBus } from './dynamixel/dynamixel-bus.ts';
import { DynamixelServo } from './dynamixel/dynamixel-servo.ts';
import { mountedServos } from './emulated-arm.ts';
import { FeetechBus } from './feetech/feetech-bus.ts';
import { FeetechServo } from './feetech/feetech-servo.ts';
import { carBody } from './vesc/car.ts';
import { VescBus } from './vesc/vesc-bus.ts';

/** What a line of devices is made from. */
export interface BusRequest {
  readonly robot: RobotConfig;
  /** Its joints are those of the robot's file, in this order. */
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** What is measured beside the arm: an encoder for each hangs on the bus. Default: what the robot's file names. */
  readonly signalNames?: readonly string[] | undefined;
  /** Voltage of the supply; absent: what the devices are rated for. */
  readonly supplyV?: number | undefined;
  /** What the devices say that they have, as their family writes it: `3.43`, `53`, `6.02`; absent: one of those that are known. */
  readonly firmware?: string | undefined;
}

export interface EmulatorKind {
  /** Of a robot's driver. */
  readonly kind: string;
  /** Bits a second of a new device. */
  readonly baud: number;
  /** The body that they move. Absent: the robot's own model. Rejects with `ReinError('config')` for a robot that has none such. */
  body?(robot: RobotConfig): Promise<EmulatedBody>;
  /** Throws `ReinError('config')` where the robot's file cannot be built of such devices. */
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
          // These add their offset, where others take it away.
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
  return new ReinError('config', `No firmware ${firmware} is emulated of these devices.`, {
    remedy: `Write it as they do, up to the newest whose registers are known, e.g. --firmware ${like}.`,
  });
}

const EMULATOR_KINDS: Readonly<Record<keyof typeof EMULATED_ROBOTS, EmulatorKind>> = {
  feetech: FEETECH,
  dynamixel: DYNAMIXEL,
  vesc: VESC,
};

/** The kind called `name`. Throws `ReinError('config')` where there is none. */
export function emulatorKind(name: string): EmulatorKind {
  const found = Object.values(EMULATOR_KINDS).find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  throw new ReinError('config', `Nothing emulates ${name}.`, {
    remedy: `Emulated: ${Object.keys(EMULATOR_KINDS).join(', ')}.`,
  });
}
