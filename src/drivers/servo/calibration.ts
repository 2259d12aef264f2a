/** What `rein calibrate` has found out of one robot: which servo is which joint, where its zero is, and which way it turns. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ReinError, sha256Hex } from '../../core/index.ts';
import { type Configured, refusalOf } from '../../schema/index.ts';
import { adapterText, isSocket } from '../serial/adapter.ts';

const counts = z.number().int().min(-1_048_575).max(1_048_575);

const jointSchema = z.strictObject({
  id: z.number().int().min(0).max(252),
  /** Name of the model in our tables, and what the servo itself says. */
  model: z.string().min(1).max(64),
  modelNumber: z.number().int().min(0).max(65_535),
  firmware: z.string().max(16),
  /** 1: counts rise with the joint's angle; −1: they fall. */
  direction: z.union([z.literal(1), z.literal(-1)]),
  /** Reading at the joint's zero. */
  zeroCounts: counts,
  /** Least and greatest reading when the joint was moved by hand through its whole range. */
  minCounts: counts,
  maxCounts: counts,
  /** Offset that the servo itself adds to its readings (a stored register): it has to be the same whenever the file is used. */
  homingOffsetCounts: counts,
  /** Stored bits by which the servo turned and counted this way (`ServoFamily.directionBits`); absent: of no such family, or not known. */
  storedDirection: z.number().int().min(0).max(255).optional(),
});

export const calibrationSchema = z.strictObject({
  kind: z.literal('rein-calibration'),
  version: z.literal(1),
  /** Name of the robot's file. */
  robot: z.string().min(1).max(64),
  /** Of its servos; `loadCalibration` holds it against the driver's. */
  family: z.string().min(1).max(64),
  /** What it is bound to: the serial number of the adapter that the bus hangs on, else its USB socket, else nothing (`adapterOf`). */
  adapter: z.string().max(256),
  calibratedAt: z.string().max(64),
  joints: z.record(z.string(), jointSchema),
  /** SHA-256 of all the rest (`calibrationChecksum`). */
  checksum: z.string().regex(/^[0-9a-f]{64}$/),
});

export type Calibration = Configured<typeof calibrationSchema>;
export type JointCalibration = Configured<typeof jointSchema>;

/** Checksum of everything but itself. */
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

/** The file's text for `calibration`, with its checksum. */
export function calibrationText(calibration: Omit<Calibration, 'checksum'>): string {
  return `${JSON.stringify({ ...calibration, checksum: calibrationChecksum(calibration) }, null, 2)}\n`;
}

/** Where the calibration of the robot called `robot` is, where its file does not say. */
export function calibrationPath(robot: string, environment: NodeJS.ProcessEnv = process.env): string {
  const settings = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return join(environment['REIN_CONFIG'] || join(settings, 'rein'), 'calibration', `${robot}.json`);
}

/** Whose calibration is wanted. */
export interface CalibrationSubject {
  /** What commands call the robot: a path, or the name of a file that is shipped. */
  readonly named: string;
  readonly robot: string;
  readonly family: string;
  readonly jointNames: readonly string[];
}

/** Reads the file at `path`. `named`: the robot that `calibrate` would be run for. Throws `ReinError('config')` (row 34): missing, damaged, or changed by hand. */
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
 * Reads the file at `path` and holds it against `subject`. Throws `ReinError('config')` (row 34): missing, damaged, changed by hand, of
 * another robot, or of other joints. Whether the adapter is the one that it is bound to shows when the port is open
 * (`checkAdapter`).
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

/** What a robot was found at. */
export interface FoundAdapter {
  /** Of the port. */
  readonly path: string;
  /** As `adapterAt` has it. */
  readonly adapter: string;
  /** As of `readCalibration`. */
  readonly named: string;
}

/** Throws `ReinError('config')` where the robot hangs on another adapter, or in another socket, than when it was calibrated (row 34). */
export function checkAdapter({ adapter, robot }: Calibration, { path, adapter: found, named }: FoundAdapter): void {
  if (adapter === found) return;
  const rebind = `rein calibrate --robot ${named} --rebind`;
  // Both tell something of the arm, and not the same: it is another one. A socket tells of the cable alone.
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
