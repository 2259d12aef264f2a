/**
 * Calibration files of LeRobot. Source: LeRobot, `MotorCalibration` and `_normalize` of `motors_bus.py`, `so_follower.py`. Each joint has
 * id, drive_mode, homing_offset (stored in the servo, so that its reading is half a turn, 2047, in the pose of calibration), range_min
 * and range_max (readings at the stops). Its zero is the middle of that range in degrees, its least end 0 in percent of a gripper. A joint
 * whose range is the whole turn (0 to 4095) was not moved at all: its zero is the pose of calibration.
 */
import { readFileSync } from 'node:fs';
import {
  countsPerUnit,
  countsProblem,
  type JointCalibration,
  type Motor,
  type ServoFamily,
} from '../../drivers/serial.ts';
import { asObject, type JointModel, parseObject, ReinError } from '../../model/index.ts';

/** Entry of one joint in LeRobot's file. */
export interface LeRobotJoint {
  readonly id: number;
  readonly homingOffset: number;
  readonly rangeMin: number;
  readonly rangeMax: number;
}

const KEYS = ['id', 'drive_mode', 'homing_offset', 'range_min', 'range_max'] as const;

/** Returns entries by joint name. Throws `ReinError('config')` if it is not such a file, or of other joints than `motors`. */
export function readLeRobotFile(path: string, motors: readonly Motor[]): Readonly<Record<string, LeRobotJoint>> {
  let text: string;
  try {
    // Some editors save it with a byte order mark.
    text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    const remedy = 'LeRobot keeps them in ~/.cache/huggingface/lerobot/calibration/robots/.';
    throw refused(path, 'cannot be read', remedy, cause);
  }
  const file = parseObject(text);
  if (file === undefined) {
    const what = 'is not a calibration file of LeRobot: it has no JSON object';
    throw refused(path, what, 'Name the .json of your arm.');
  }
  if ('homing_offset' in file) {
    const remedy = 'Calibrate with a newer LeRobot, or with rein calibrate.';
    throw refused(path, 'is of an old LeRobot, whose zero is another', remedy);
  }
  return Object.fromEntries(motors.map((motor) => [motor.name, jointIn(file, motor, path)]));
}

function refused(path: string, what: string, remedy: string, cause?: unknown): ReinError {
  return new ReinError('config', `${path} ${what}.`, { remedy, cause });
}

function jointIn(file: Readonly<Record<string, unknown>>, { name, id: ownId }: Motor, path: string): LeRobotJoint {
  const entry = asObject(file[name]);
  if (entry === undefined) {
    const remedy = `It has ${Object.keys(file).join(', ')}; the robot's file has to call them so.`;
    throw refused(path, `has no ${name}`, remedy);
  }
  const [id, drive, homingOffset, rangeMin, rangeMax] = KEYS.map((key) => entry[key]) as number[];
  if (![id, homingOffset, rangeMin, rangeMax].every((value) => Number.isInteger(value))) {
    throw refused(path, `has no ${KEYS.join(', ')} of ${name} as whole numbers`, 'Calibrate with a newer LeRobot.');
  }
  const joint: LeRobotJoint = { id: id!, homingOffset: homingOffset!, rangeMin: rangeMin!, rangeMax: rangeMax! };
  if (joint.rangeMin >= joint.rangeMax) {
    const what = `says that ${name} went from ${rangeMin} to ${rangeMax}: it was not moved when it was calibrated`;
    const remedy =
      'Calibrate it with LeRobot again, and move it from stop to stop; or use rein calibrate without --from.';
    throw refused(path, what, remedy);
  }
  if (id !== ownId) {
    const what = `says that ${name} is servo ${id}, and the robot's file ${ownId}`;
    throw refused(path, what, 'Name the file of this arm.');
  }
  if (drive !== 0) throw refused(path, `turns ${name} about by drive_mode`, 'Use rein calibrate without --from.');
  return joint;
}

/** True if the joint was left out of the ranges: it has the whole turn. */
export function isWholeTurn({ rangeMin, rangeMax }: LeRobotJoint, { model }: Motor): boolean {
  const { countsPerTurn } = model;
  return rangeMin >= 0 && rangeMax < countsPerTurn && rangeMax - rangeMin >= countsPerTurn - 2;
}

/** Largest width of a range relative to the robot's file: a wider one was not swept between the joint's stops. */
const WIDEST = 1.25;

/** Reason why the entry cannot come from this servo, as a sentence without subject and full stop. */
export function lerobotProblem(
  family: ServoFamily,
  joint: JointModel,
  motor: Motor,
  from: LeRobotJoint,
): string | undefined {
  const wrong = countsProblem(family, motor, {
    ...readRange(family, motor, from),
    homingOffsetCounts: from.homingOffset,
  });
  if (wrong !== undefined) return wrong;
  const own = (joint.positionMaxRad - joint.positionMinRad) * countsPerUnit(motor);
  const width = from.rangeMax - from.rangeMin;
  if (width <= WIDEST * own) return undefined;
  return `went from ${from.rangeMin} to ${from.rangeMax}, ${(width / own).toFixed(1)} times what the robot's file lets it (${Math.round(own)} counts): it was not swept between its stops, or the file's limits are narrower than it can, and LeRobot's zero is the middle of what it can`;
}

/** Least and greatest reading; for the whole turn, the part that is read and commanded without a jump. */
function readRange(
  family: ServoFamily,
  motor: Motor,
  from: LeRobotJoint,
): Pick<JointCalibration, 'minCounts' | 'maxCounts'> {
  const bare = family.wrapsOffset || !isWholeTurn(from, motor) ? 0 : from.homingOffset;
  return { minCounts: from.rangeMin + Math.max(0, bare), maxCounts: from.rangeMax + Math.min(0, bare) };
}

/**
 * Converts to a calibration of this project. The middle of LeRobot's range is taken for the middle of the range of the robot's file, as
 * both are the joint's whole range; for a joint with the whole turn it is the pose of calibration, half a turn, and its range is the part
 * that is read and commanded without a jump.
 */
export function calibrationOf(
  family: ServoFamily,
  joint: JointModel,
  motor: Motor,
  from: LeRobotJoint,
  known: Pick<JointCalibration, 'direction' | 'modelNumber' | 'firmware' | 'storedDirection'>,
): JointCalibration {
  const middleRad = (joint.positionMinRad + joint.positionMaxRad) / 2;
  const isWhole = isWholeTurn(from, motor);
  const middleCounts = isWhole ? Math.floor((motor.model.countsPerTurn - 1) / 2) : (from.rangeMin + from.rangeMax) / 2;
  return {
    id: motor.id,
    model: motor.model.name,
    ...known,
    zeroCounts: Math.round(middleCounts - known.direction * middleRad * countsPerUnit(motor)),
    ...readRange(family, motor, from),
    homingOffsetCounts: from.homingOffset,
  };
}
