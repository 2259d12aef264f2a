/** How fast an arm of bus servos, or a car with a VESC, may go: as the ladder of `rein bring-up` has come to, and no faster. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { RobotConfig } from '../../config/index.ts';
import { ReinError, sha256Hex } from '../../core/index.ts';
import {
  adapterOf,
  calibrationPath,
  readCalibration,
  type ServoConfig,
  type VescConfig,
} from '../../drivers/serial.ts';
import { type Ladder, type LadderSubject, ladderOf, readRungs, rungLogPath } from '../../record/index.ts';

/** Which robot this is; `undefined` for one that has no ladder. An arm that is not calibrated has an empty checksum. */
export function ladderSubject(robot: RobotConfig): LadderSubject | undefined {
  if (robot.driver.kind === 'vesc') return carSubject(robot, robot.driver as VescConfig);
  if (!('motors' in robot.driver)) return undefined;
  const { calibration, port: _, named: __, ...driver } = robot.driver as ServoConfig;
  const robotHash = sha256Hex(JSON.stringify({ ...robot, driver }));
  try {
    const { adapter, checksum } = readCalibration(calibration ?? calibrationPath(robot.name), robot.name);
    return { robot: robot.name, adapter, robotHash, calibration: checksum };
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return { robot: robot.name, adapter: '', robotHash, calibration: '' };
  }
}

/** What a calibration is to an arm stands in the file of a car: how it counts, and how it steers. */
function carSubject(robot: RobotConfig, { port, named: _, ...driver }: VescConfig): LadderSubject {
  const robotHash = sha256Hex(JSON.stringify({ ...robot, driver }));
  const calibration = sha256Hex(JSON.stringify([driver.motor, driver.steering]));
  return { robot: robot.name, adapter: adapterOf(port), robotHash, calibration };
}

/** A cap, and what to tell about it. */
export interface RungLimit {
  readonly ladder: Ladder;
  /** Share of the arm's own speed, below 1. */
  readonly speedRatio: number;
  readonly message: string;
}

/**
 * `undefined`: it may do what its file allows. Nothing can break where servos are emulated, at a pseudo-terminal whose link says so: there
 * the ladder counts from its first rung on only.
 */
export function rungLimit(robot: RobotConfig): RungLimit | undefined {
  const subject = ladderSubject(robot);
  if (subject === undefined) return undefined;
  const records = readRungs(rungLogPath(subject));
  const { port, named = robot.name } = robot.driver as ServoConfig | VescConfig;
  if (records.length === 0 && isEmulated(port)) return undefined;
  const ladder = ladderOf(records, subject);
  if (ladder.next === undefined) return undefined;
  const { passed, next, speedRatio, fallen } = ladder;
  const top = passed.at(-1)?.rung;
  const why = fallen === undefined ? '' : `: ${fallen}`;
  const where =
    top === undefined ? 'has passed no rung of bringing up yet' : `has passed ${top}, and not ${next}${why}`;
  const message = `${robot.name} ${where}: it goes at ${Math.round(100 * speedRatio)} % of its speed. Next: rein bring-up --robot ${named}`;
  return { ladder, speedRatio, message };
}

/** A pseudo-terminal alone may lead to a real arm elsewhere (socat, ser2net). */
function isEmulated(path: string | undefined): boolean {
  try {
    if (path === undefined || !basename(path).startsWith('usb-Emulated_')) return false;
    return realpathSync(path).startsWith('/dev/pts/');
  } catch {
    return false;
  }
}
