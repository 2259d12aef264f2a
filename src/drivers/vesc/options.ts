/** Robot file section of a car with a VESC, and options of its driver. */
import { z } from 'zod';
import { type Configured, num, whole } from '../../schema/index.ts';
import { namedField } from '../named.ts';

/** Signals that a VESC measures, by their names in `RobotState.signals`. Those of its IMU need a further request. */
export const VESC_SIGNALS = [
  'accelXMPerS2',
  'accelYMPerS2',
  'accelZMPerS2',
  'gyroXRadPerS',
  'gyroYRadPerS',
  'gyroZRadPerS',
  'motorA',
  'inputA',
  'inputV',
  'mosfetC',
  'motorC',
] as const;

const motor = z
  .strictObject({
    polePairs: whole('1', { min: 1, max: 50 }, "The motor's pole pairs: half of its magnets' poles."),
    gearRatio: num('1', { above: 0, max: 1000 }, 'Turns of the motor for one of the wheels.'),
    wheelRadiusM: num('m', { above: 0, max: 1 }, 'Of the driven wheels, under load.'),
    isReversed: z
      .boolean()
      .meta({ description: 'The car drives ahead where the VESC counts backwards.' })
      .default(false),
  })
  .meta({
    description:
      'From electrical turns to metres: drive a measured 10 m, and correct `wheelRadiusM` until odometry agrees.',
  });

const drive = z
  .strictObject({
    mode: z
      .enum(['speed', 'current', 'duty'])
      .meta({
        description:
          "`speed`: the VESC's own control of electrical turns. `current`: this driver's control of speed by motor current, smooth at low speed. `duty`: voltage by speed, for motors that the VESC cannot control well.",
      })
      .default('speed'),
    speedMaxMPerS: num(
      'm/s',
      { above: 0, max: 30 },
      "No faster than this; absent: the base's `speedMaxMPerS`.",
    ).optional(),
    erpmMin: num(
      '1/min',
      { min: 0, max: 10_000 },
      "`speed`: electrical turns below which the VESC lets the motor coast (VESC Tool: PID Controllers, Minimum ERPM; the firmware's 900). The car brakes there.",
    ).default(900),
    positionGainPerS: num(
      '1/s',
      { min: 0, max: 20 },
      'How fast distance behind the reference is made up, with 0.3 m/s at most.',
    ).default(2),
    currentMaxA: num('A', { above: 0, max: 200 }, '`current`: most motor current to drive with.').default(20),
    brakeMaxA: num(
      'A',
      { above: 0, max: 200 },
      'Motor current to brake with: before it reverses, and standing.',
    ).default(20),
    currentGainAPerMPerS: num('A·s/m', { min: 0, max: 1000 }, '`current`: proportional gain.').default(10),
    currentGainAPerM: num('A/m', { min: 0, max: 1000 }, '`current`: integral gain.').default(10),
    dutyPerMPerS: num('s/m', { above: 0, max: 1 }, '`duty`: share of the battery for 1 m/s.').default(0.05),
    dutyMax: num('1', { above: 0, max: 0.95 }, '`duty`: largest share of the battery.').default(0.5),
    stopBrakeA: num(
      'A',
      { min: 0, max: 200 },
      "Motor current to brake with in a stop, the guardian's too, until the car stands; 0: it coasts.",
    ).default(10),
  })
  .meta({ description: 'How the motor is driven.' })
  .prefault({});

const steering = z
  .strictObject({
    centre: num('1', { min: 0, max: 1 }, 'Servo output with the wheels ahead; 0 is a pulse of 1 ms, 1 one of 2 ms.'),
    perRad: num(
      '1/rad',
      { min: -10, max: 10 },
      'Servo output for a rad to the left; negative where it turns the other way.',
    ),
    min: num('1', { min: 0, max: 1 }, 'Least servo output: the linkage does not push against its stop.').default(0),
    max: num('1', { min: 0, max: 1 }, 'Largest servo output.').default(1),
  })
  .meta({ description: 'The steering servo at the VESC (App Settings, General: Enable Servo Output).' });

const battery = z
  .strictObject({
    cells: whole('1', { min: 1, max: 20 }, 'Cells in series, of lithium polymer.'),
    warnV: num('V', { min: 2.5, max: 4.2 }, 'Cell voltage below which a warning is given (row 45).').default(3.6),
    slowV: num('V', { min: 2.5, max: 4.2 }, 'Cell voltage below which the car is slowed.').default(3.5),
    stopV: num('V', { min: 2.5, max: 4.2 }, 'Cell voltage below which the car stops.').default(3.3),
  })
  .meta({ description: 'Steps of a discharging battery, each after 2 s in either direction. Absent: not checked.' })
  .optional();

const fields = {
  baud: whole('bit/s', { min: 9600, max: 1_000_000 }, 'Speed of the UART (VESC Tool: App Settings, UART).').default(
    115_200,
  ),
  motor,
  drive,
  steering,
  battery,
  mosfetMaxC: num('°C', { min: 30, max: 120 }, 'A VESC that is hotter stops the car (row 13).').default(80),
  motorMaxC: num('°C', { min: 30, max: 150 }, 'A hotter motor stops the car (row 13). Absent: no sensor.').optional(),
  answerMs: num(
    'ms',
    { above: 0, max: 50 },
    'What VESC and adapter may take to answer, beside the time on the line.',
  ).default(5),
  firmwareTimeout: z
    .enum(['required', 'reported'])
    .meta({
      description:
        'The firmware must stop the motor 200 ms after the last command (row 46), which `open` tests: if it does not, `required` refuses the car, and `reported` only reports it.',
    })
    .default('required'),
};

export const vescSchema = z.strictObject({
  kind: z
    .literal('vesc')
    .meta({ description: 'What drives the robot: `vesc`, a car whose VESC hangs on a serial port.' }),
  port: z
    .string()
    .min(1)
    .max(4096)
    .meta({ description: 'Path of the serial port, best one that stays: `/dev/serial/by-id/...`.' }),
  model: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description:
        "The car's MJCF, relative to this file: what `rein safety check` attacks, `rein emulate` moves, and is drawn.",
    })
    .optional(),
  named: namedField,
  ...fields,
});

export type VescConfig = Configured<typeof vescSchema>;

export const vescOptions = z.strictObject({
  signalNames: z.array(z.string()),
  port: vescSchema.shape.port,
  ...fields,
});

export type VescDriverOptions = Configured<typeof vescOptions>;

/** Returns the electrical speed at 1 m/s, ERPM. */
export function erpmPerMPerS({ polePairs, gearRatio, wheelRadiusM }: VescDriverOptions['motor']): number {
  return (60 * polePairs * gearRatio) / (2 * Math.PI * wheelRadiusM);
}

/** Returns the tachometer counts, six per electrical turn, for 1 m. */
export function countsPerM(motor: VescDriverOptions['motor']): number {
  return (6 * erpmPerMPerS(motor)) / 60;
}
