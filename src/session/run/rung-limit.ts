/** Speed limit of an arm of bus servos, or a car with a VESC: that of the ladder of `rein bring-up`, as far as it was climbed. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { RobotConfig } from '../../config/index.ts';
import {
  adapterOf,
  calibrationPath,
  readCalibration,
  type ServoConfig,
  type VescConfig,
} from '../../drivers/serial.ts';
import { ReinError, sha256Hex } from '../../model/index.ts';
import { type Ladder, type LadderSubject, ladderOf, readRungs, rungLogPath } from '../../record/index.ts';

/** Identity of this robot on the ladder; `undefined` if it has none. An arm that is not calibrated has an empty checksum. */
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

/** The calibration of a car is in its file: the settings of its motor and its steering. */
function carSubject(robot: RobotConfig, { port, named: _, ...driver }: VescConfig): LadderSubject {
  const robotHash = sha256Hex(JSON.stringify({ ...robot, driver }));
  const calibration = sha256Hex(JSON.stringify([driver.motor, driver.steering]));
  return { robot: robot.name, adapter: adapterOf(port), robotHash, calibration };
}

/** A speed limit, with a message about it. */
export interface RungLimit {
  readonly ladder: Ladder;
  /** Share of the robot's own speed, below 1. */
  readonly speedRatio: number;
  readonly message: string;
}

/**
 * `undefined`: no limit beyond those of its file. Emulated servos, at a pseudo-terminal whose link says so, cannot break: for them the
 * ladder counts from its first rung on only.
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
    top === undefined ? 'has passed no rung of rein bring-up yet' : `has passed ${top}, and not ${next}${why}`;
  const message = `${robot.name} ${where}: limited to ${Math.round(100 * speedRatio)} % of its speed. Next: rein bring-up --robot ${named}`;
  return { ladder, speedRatio, message };
}

/** A pseudo-terminal alone proves nothing: it may lead to a real arm elsewhere (socat, ser2net). */
function isEmulated(path: string | undefined): boolean {
  try {
    if (path === undefined || !basename(path).startsWith('usb-Emulated_')) return false;
    return realpathSync(path).startsWith('/dev/pts/');
  } catch {
    return false;
  }
}
