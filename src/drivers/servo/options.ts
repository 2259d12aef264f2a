/** Robot file section of an arm of bus servos, shared by the families. */
import { z } from 'zod';
import { packagesField } from '../../plant/index.ts';
import { type Configured, num, whole } from '../../schema/index.ts';
import { namedField } from '../named.ts';

/** `perTurn` of a joint that turns with the horn of its servo, rad. */
export const WHOLE_TURN_RAD: number = 2 * Math.PI;

const motor = z.strictObject({
  id: whole('1', { min: 0, max: 252 }, 'Id of the servo on the bus.'),
  model: z.string().min(1).max(64).meta({ description: 'Model, as its family has it, e.g. `sts3215`, `xl430-w250`.' }),
  shadowId: whole(
    '1',
    { min: 0, max: 252 },
    "Id of a second servo of the same model at the same joint, which obeys the first one (Dynamixel's Secondary ID), and is watched by its own.",
  ).optional(),
  torqueRatio: num(
    '1',
    { above: 0, max: 1 },
    'Cap of the torque (or current), as a share of what the servo can: written at the start and read back (row 37).',
  ).default(0.6),
  perTurn: num(
    'rad or m',
    { above: 0, max: 100 },
    'How far the joint goes for a turn of the horn; a whole turn where absent.',
  ).default(WHOLE_TURN_RAD),
  mode: z
    .enum(['position', 'currentPosition'])
    .meta({
      description:
        '`currentPosition`: position with the current as a force limit, for grippers of families that have it (Dynamixel).',
    })
    .default('position'),
  grips: z
    .boolean()
    .meta({ description: 'A gripper: pressing on an object within its cap is normal operation, no stall (row 37).' })
    .default(false),
  gainP: whole(
    '1',
    { min: 0, max: 16_383 },
    "Proportional gain of the servo's position loop; absent: as it is.",
  ).optional(),
  gainI: whole('1', { min: 0, max: 16_383 }, 'Its integral gain.').optional(),
  gainD: whole('1', { min: 0, max: 16_383 }, 'Its differential gain.').optional(),
});

const signalName = z.string().min(1).max(64).meta({ description: 'Name of the number in the task.' });

const fixedSignal = z.strictObject({
  name: signalName,
  value: num('1', { min: -1e6, max: 1e6 }, 'Constant value, e.g. the position of an object that does not move.'),
});

const signal = z.strictObject({
  name: signalName,
  id: whole('1', { min: 0, max: 252 }, 'Id of a servo whose torque stays off: its encoder is the sensor.'),
  model: z.string().min(1).max(64).meta({ description: 'Its model.' }),
  zeroCounts: whole('counts', { min: -1_048_575, max: 1_048_575 }, 'Reading that counts as 0.').default(0),
  perCount: num('1', { min: -1e6, max: 1e6 }, 'Value of one count in the signal.').default(1),
});

/** Returns the keys that both families share. `defaultBaud`: bit/s. */
export const servoShape = (defaultBaud: number) =>
  ({
    port: z
      .string()
      .min(1)
      .max(4096)
      .meta({
        description:
          'Path of the serial port, best one that stays: `/dev/serial/by-id/...`. Absent: the port of the adapter that the calibration is bound to.',
      })
      .optional(),
    baud: whole('bit/s', { min: 9600, max: 4_500_000 }, 'Speed of the bus.').default(defaultBaud),
    calibration: z
      .string()
      .min(1)
      .max(4096)
      .meta({
        description:
          'File that `rein calibrate` writes, relative to this file (row 34). Absent: `calibration/NAME.json` in the folder of settings (`REIN_CONFIG`, `~/.config/rein`).',
      })
      .optional(),
    model: z
      .string()
      .min(1)
      .max(4096)
      .meta({
        description:
          "The robot's MJCF or URDF, relative to this file: what `rein safety check` attacks and `rein emulate` moves.",
      })
      .optional(),
    packages: packagesField,
    named: namedField,
    motors: z.record(z.string(), motor).meta({ description: 'The servo of each joint, by the name of the joint.' }),
    signals: z
      .array(z.union([signal, fixedSignal]))
      .max(16)
      .meta({ description: 'Numbers of the task: of further encoders on the bus, or fixed.' })
      .default([]),
    answerMs: num(
      'ms',
      { above: 0, max: 100 },
      'What a servo and its adapter may take to answer, beside the time on the line.',
    ).default(4),
    temperatureMaxC: num('°C', { min: 30, max: 100 }, 'A servo that is hotter stops the robot (row 13).').default(65),
    voltageMinV: num('V', { min: 0, max: 60 }, 'Supply below this for 0.2 s stops the robot (row 13).').default(4.5),
    voltageMaxV: num('V', { min: 0, max: 60 }, 'Supply above this stops the robot (row 13).').default(14),
    stall: z
      .strictObject({
        loadRatio: num('1', { above: 0, max: 1 }, 'Share of its cap at which a servo counts as loaded.').default(0.8),
        errorRad: num('rad or m', { above: 0, max: 3 }, 'Distance from the set-point beside it.').default(0.08),
        afterS: num('s', { min: 0.05, max: 10 }, 'Both for this long: the joint is stalled (row 37).').default(0.5),
      })
      .meta({ description: 'When a joint counts as stalled.' })
      .prefault({}),
  }) as const;

const { port, baud, answerMs, temperatureMaxC, voltageMinV, voltageMaxV, stall } = servoShape(1_000_000);

/** Options that a driver is created with: those of the robot file, in joint order. */
export const servoOptions = z.strictObject({
  /** Robot name for the commands in remedies. */
  named: z.string(),
  jointNames: z.array(z.string()),
  signalNames: z.array(z.string()),
  motors: z.array(motor),
  signals: z.array(z.union([signal, fixedSignal])),
  port,
  baud,
  calibration: z.string(),
  answerMs,
  temperatureMaxC,
  voltageMinV,
  voltageMaxV,
  stall,
});

export type ServoDriverOptions = Configured<typeof servoOptions>;
export type MotorOptions = ServoDriverOptions['motors'][number];

export type SignalOptions = ServoDriverOptions['signals'][number];
export type EncoderOptions = Extract<SignalOptions, { id: number }>;

export function isEncoder(signal: SignalOptions): signal is EncoderOptions {
  return 'id' in signal;
}

/** Returns the encoders among the signals that the task needs, in the task's order. */
export function encodersOf({ signalNames, signals }: ServoDriverOptions): readonly EncoderOptions[] {
  return signalNames.flatMap((name) => signals.filter((signal) => signal.name === name).filter(isEncoder));
}
