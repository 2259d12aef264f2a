/**
 * Checks that the positions of calibration and robot file can be represented by the servo (row 34): the only check of
 * calibrations, whatever wrote them, at each entry and before each write.
 */
import type { JointModel } from '../../model/index.ts';
import type { JointCalibration } from './calibration.ts';
import { countsPerServoRad, countsPerUnit, type Motor, offsetProblem, type ServoFamily } from './family.ts';

/**
 * Tolerated excess of the robot file's range over one turn, rad of the turn: hands do not press against a stop to the last degree.
 */
const SLACK_RAD = 0.03;

type Counts = Pick<JointCalibration, 'minCounts' | 'maxCounts' | 'homingOffsetCounts'>;

/** Returns why a servo cannot have read this range, as a sentence without subject and full stop. */
export function countsProblem(
  family: ServoFamily,
  motor: Pick<Motor, 'model' | 'options'>,
  counts: Counts,
): string | undefined {
  const { minCounts, maxCounts } = counts;
  const [first, last] = family.goalRange(motor.model);
  const range = `was calibrated from ${minCounts} to ${maxCounts}`;
  if (minCounts >= maxCounts) return `${range}, which is no range: it was not moved (fault 34)`;
  if (minCounts >= first && maxCounts <= last) return offsetProblem(family, motor, counts);
  return `${range}, and reads ${first} to ${last} in its turn: turns were counted, or a sign was taken for a number (fault 34)`;
}

/** Returns why some angle that the robot file permits has no reading, as a sentence without subject and full stop. */
export function reachProblem(
  family: ServoFamily,
  motor: Pick<Motor, 'model' | 'options'>,
  { positionMinRad, positionMaxRad }: Pick<JointModel, 'positionMinRad' | 'positionMaxRad'>,
  { zeroCounts, direction }: Pick<JointCalibration, 'zeroCounts' | 'direction'>,
): string | undefined {
  const perUnit = countsPerUnit(motor);
  const ends = [positionMinRad, positionMaxRad].map((value) => zeroCounts + direction * value * perUnit);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const [first, last] = family.goalRange(motor.model);
  const slack = SLACK_RAD * countsPerServoRad(motor);
  if (least >= first - slack && most <= last + slack) return undefined;
  const allowed = `${positionMinRad.toFixed(2)} to ${positionMaxRad.toFixed(2)}`;
  return `has its zero at ${zeroCounts}: ${allowed}, which the robot's file allows, is ${Math.round(least)} to ${Math.round(most)}, and it reads ${first} to ${last} (fault 34)`;
}
