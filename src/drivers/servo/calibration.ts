/** Result of `rein calibrate` for one robot: servo, zero and direction of each joint. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ReinError, sha256Hex } from '../../model/index.ts';
import { type Configured, refusalOf } from '../../schema/index.ts';
import { adapterText, isSocket } from '../serial/adapter.ts';

const counts = z.number().int().min(-1_048_575).max(1_048_575);

const jointSchema = z.strictObject({
  id: z.number().int().min(0).max(252),
  /** Model name in our tables; model number and firmware as reported by the servo. */
  model: z.string().min(1).max(64),
  modelNumber: z.number().int().min(0).max(65_535),
  firmware: z.string().max(16),
  /** 1: counts rise with the joint's angle; −1: they fall. */
  direction: z.union([z.literal(1), z.literal(-1)]),
  /** Reading at the joint's zero. */
  zeroCounts: counts,
  /** Smallest and largest reading when the joint was moved by hand through its whole range. */
  minCounts: counts,
  maxCounts: counts,
  /** Offset that the servo itself adds to its readings (stored register): must be unchanged whenever the file is used. */
  homingOffsetCounts: counts,
  /** Stored direction bits at calibration (`ServoFamily.directionBits`); absent: the family has none, or unknown. */
  storedDirection: z.number().int().min(0).max(255).optional(),
});

export const calibrationSchema = z.strictObject({
  kind: z.literal('rein-calibration'),
  version: z.literal(1),
  /** Robot name from the robot file. */
  robot: z.string().min(1).max(64),
  /** Servo family; `loadCalibration` compares it with the driver's. */
  family: z.string().min(1).max(64),
  /** Adapter that the file is bound to: serial number of the bus adapter, else its USB socket, else empty (`adapterOf`). */
  adapter: z.string().max(256),
  calibratedAt: z.string().max(64),
  joints: z.record(z.string(), jointSchema),
  /** SHA-256 of all other fields (`calibrationChecksum`). */
  checksum: z.string().regex(/^[0-9a-f]{64}$/),
});

export type Calibration = Configured<typeof calibrationSchema>;
export type JointCalibration = Configured<typeof jointSchema>;

/** Returns the checksum of all other fields. */
export function calibrationChecksum({
  checksum: _,
  ...rest
}: Omit<Calibration, 'checksum'> & { checksum?: string }): string {
  return sha256Hex(JSON.stringify(sorted(rest)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** Returns the file content for `calibration`, with its checksum. */
export function calibrationText(calibration: Omit<Calibration, 'checksum'>): string {
  return `${JSON.stringify({ ...calibration, checksum: calibrationChecksum(calibration) }, null, 2)}\n`;
}

/** Returns the default path of the calibration of `robot`, used if the robot file names none. */
export function calibrationPath(robot: string, environment: NodeJS.ProcessEnv = process.env): string {
  const settings = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return join(environment['REIN_CONFIG'] || join(settings, 'rein'), 'calibration', `${robot}.json`);
}

/** Robot whose calibration is loaded. */
export interface CalibrationSubject {
  /** Robot name in commands: a path, or the name of a shipped file. */
  readonly named: string;
  readonly robot: string;
  readonly family: string;
  readonly jointNames: readonly string[];
}

/**
 * Reads the file at `path`. `named`: robot, for the remedy. Throws `ReinError('config')` (row 34): missing, damaged, or edited by hand.
 */
export function readCalibration(path: string, named: string): Calibration {
  const refuse = refuser(named);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    return refuse(`There is no calibration at ${path}`, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return refuse(`The calibration ${path} is damaged: it is no JSON`, cause);
  }
  const wrong = refusalOf(calibrationSchema, value);
  if (wrong !== undefined) return refuse(`The calibration ${path} is damaged: ${wrong}`);
  const calibration = calibrationSchema.parse(value);
  if (calibrationChecksum(calibration) !== calibration.checksum) {
    return refuse(`The calibration ${path} is damaged, or was changed by hand: its checksum is that of other content`);
  }
  return calibration;
}

function refuser(named: string): (what: string, cause?: unknown) => never {
  return (what, cause) => {
    throw new ReinError('config', `${what} (fault 34).`, {
      remedy: `Nothing moves without one: rein calibrate --robot ${named}`,
      cause,
    });
  };
}

/**
 * Reads the file at `path` and compares it with `subject`. Throws `ReinError('config')` (row 34): missing, damaged,
 * edited by hand, of another robot, or of other joints. The adapter is checked once the port is open (`checkAdapter`).
 */
export function loadCalibration(path: string, subject: CalibrationSubject): Calibration {
  const refuse = refuser(subject.named);
  const calibration = readCalibration(path, subject.named);
  const { robot, family, joints } = calibration;
  if (robot !== subject.robot) return refuse(`The calibration ${path} is that of ${robot}, not of ${subject.robot}`);
  if (family !== subject.family) return refuse(`The calibration ${path} is of ${family} servos, not ${subject.family}`);
  const names = Object.keys(joints);
  const missing = subject.jointNames.find((name) => !names.includes(name));
  if (missing !== undefined) return refuse(`The calibration ${path} has no joint ${missing}`);
  const unknown = names.find((name) => !subject.jointNames.includes(name));
  if (unknown !== undefined) return refuse(`The calibration ${path} has a joint ${unknown}, which ${robot} has not`);
  return calibration;
}

/** Port and adapter at which a robot was found. */
export interface FoundAdapter {
  /** Path of the port. */
  readonly path: string;
  /** As returned by `adapterAt`. */
  readonly adapter: string;
  /** As in `readCalibration`. */
  readonly named: string;
}

/** Throws `ReinError('config')` if the adapter, or its USB socket, is not the one of the calibration (row 34). */
export function checkAdapter({ adapter, robot }: Calibration, { path, adapter: found, named }: FoundAdapter): void {
  if (adapter === found) return;
  const rebind = `rein calibrate --robot ${named} --rebind`;
  // Two different serial numbers mean another arm. A socket identifies only the cable.
  const isForeign = adapter !== '' && !isSocket(adapter) && !isSocket(found);
  const remedy = isForeign
    ? `Plug in the right arm, or calibrate this one: rein calibrate --robot ${named}`
    : `${isSocket(adapter) ? 'Plug it into that socket again; or, if' : 'If'} this is the arm that was calibrated: ${rebind}; else: rein calibrate --robot ${named}`;
  throw new ReinError(
    'config',
    `The calibration of ${robot} is bound to ${adapterText(adapter)}, and ${path} is ${adapterText(found)} (fault 34).`,
    { remedy },
  );
}
