/** Readable form of a joint's counts: degrees or millimetres, bars, and the limits that the robot's file should have for this arm. */

import { countsPerUnit, type JointCalibration, type Motor } from '../../drivers/serial.ts';
import type { JointModel, RobotModel } from '../../model/index.ts';

/** Tolerance by which the file may exceed the measured range, rad: hands do not press against a stop to the last degree. */
const SLACK_RAD = 0.03;
/** Deviation of stops between arms of one make, and of a zero held by eye, rad: more indicates a wrong zero. */
const FIT_RAD = 0.1;
/** Factor of these tolerances for joints that slide, m per rad: 5 mm for 0.1 rad. */
const SLIDES_M_PER_RAD = 0.05;
/** Range from which a joint counts as one without stops, about a whole turn, rad. */
const WHOLE_TURN = 6;
const BAR_COLUMNS = 31;

type Zeroed = Pick<JointCalibration, 'zeroCounts' | 'direction'>;

/** Position of the joint, rad or m. */
export function positionOf(motor: Motor, { zeroCounts, direction }: Zeroed, counts: number): number {
  return (direction * (counts - zeroCounts)) / countsPerUnit(motor);
}

/** `12.3°`, or `12.3 mm` for a joint that slides. */
export function shownPosition({ kind }: Pick<JointModel, 'kind'>, value: number): string {
  return kind === 'prismatic' ? `${(1e3 * value).toFixed(1)} mm` : `${((180 / Math.PI) * value).toFixed(1)}°`;
}

/** Converts a tolerance of `rad` to the joint's unit, rad or m. */
export function toleranceOf({ kind }: Pick<JointModel, 'kind'>, rad: number): number {
  return kind === 'prismatic' ? SLIDES_M_PER_RAD * rad : rad;
}

/** Measured range of the joint, from least to greatest, rad or m. */
export function calibratedRange(motor: Motor, joint: JointCalibration): readonly [number, number] {
  const ends = [joint.minCounts, joint.maxCounts].map((counts) => positionOf(motor, joint, counts));
  return [Math.min(...ends), Math.max(...ends)];
}

/** Line with name, least, present and greatest position, with their counts, and a bar over the range of the robot's file. */
export function rangeLine(
  joint: JointModel,
  motor: Motor,
  zeroed: Zeroed,
  { least, now, most }: { readonly least: number; readonly now: number; readonly most: number },
): string {
  const cell = (counts: number): string =>
    `${shownPosition(joint, positionOf(motor, zeroed, counts)).padStart(9)} (${String(Math.round(counts)).padStart(5)})`;
  const ends = zeroed.direction > 0 ? [least, most] : [most, least];
  const bar = barOf(joint, motor, zeroed, [ends[0]!, now, ends[1]!]);
  return `  ${joint.name.padEnd(14)} min ${cell(ends[0]!)}  now ${cell(now)}  max ${cell(ends[1]!)}  ${bar}`;
}

/** `[  ==#===   ]`: `=` for the visited part, `#` for the present position. */
function barOf(joint: JointModel, motor: Motor, zeroed: Zeroed, counts: readonly [number, number, number]): string {
  const { positionMinRad: from, positionMaxRad: to } = joint;
  const column = (value: number): number => {
    const share = (positionOf(motor, zeroed, value) - from) / (to - from);
    return Math.min(BAR_COLUMNS - 1, Math.max(0, Math.round(share * (BAR_COLUMNS - 1))));
  };
  const [least, now, most] = counts.map(column) as [number, number, number];
  const cells = Array.from({ length: BAR_COLUMNS }, (_, k): string => (k >= least && k <= most ? '=' : ' '));
  cells[now] = '#';
  return `[${cells.join('')}]`;
}

/** A calibrated range that does not fit the robot's file. */
export interface RangeProblem {
  readonly joint: string;
  /**
   * `limit`: the file permits more than the joint's range. `zero`: its zero is wrong. `direction`: its angle rises the other way. `doubt`:
   * either the file is narrower at one end, or its zero is off.
   */
  readonly kind: 'limit' | 'zero' | 'direction' | 'doubt';
  readonly message: string;
  /** Limits for the file that fit the measured range, rad or m, rounded inwards; empty if the file permits no more than that. */
  readonly limits: string;
}

export function rangeProblem(joint: JointModel, motor: Motor, calibration: JointCalibration): RangeProblem | undefined {
  const { name, kind, positionMinRad: from, positionMaxRad: to } = joint;
  const [least, most] = calibratedRange(motor, calibration);
  const shown = (value: number): string => shownPosition(joint, value);
  const [slack, fit] = [toleranceOf(joint, SLACK_RAD), toleranceOf(joint, FIT_RAD)];
  // Shortfall of the arm's range at each end of the file's; negative beyond it.
  const short = [least - from, to - most] as const;
  const [shortest, longest] = [Math.min(...short), Math.max(...short)];
  const digits = kind === 'prismatic' ? 1e4 : 1e2;
  const limits = [
    ...(short[0] > slack ? [`positionMinRad: ${Math.ceil(least * digits) / digits}`] : []),
    ...(short[1] > slack ? [`positionMaxRad: ${Math.floor(most * digits) / digits}`] : []),
  ].join(' and ');
  const problem = (of: RangeProblem['kind'], what: string): RangeProblem => ({
    joint: name,
    kind: of,
    limits,
    message: `${name}: the robot's file allows ${shown(from)} to ${shown(to)}, and the arm went from ${shown(least)} to ${shown(most)}${what}`,
  });
  // Without stops a range ends where the hand did, and says nothing about the zero.
  if (shortest < -fit && to - from < WHOLE_TURN) {
    if (longest > slack) {
      const isTurned = Math.abs(-most - from) <= fit && Math.abs(-least - to) <= fit;
      return isTurned && longest > fit
        ? problem('direction', ', with the sign reversed: the direction in which its angle rises was probably mistaken')
        : problem('zero', `: its zero is probably off by ${shown(Math.min(-shortest, longest))}`);
    }
    if (longest > -fit) {
      return problem('doubt', `: unless the file is narrower on purpose, its zero is off by ${shown(-shortest)}`);
    }
  }
  return longest <= slack ? undefined : problem('limit', `: write ${limits}`);
}

/** Problems of all calibrated joints. */
export function rangeProblems(
  { joints }: Pick<RobotModel, 'joints'>,
  motors: readonly Motor[],
  calibrated: Readonly<Record<string, JointCalibration>>,
): readonly RangeProblem[] {
  return joints.flatMap((joint, i) => {
    const calibration = calibrated[joint.name];
    const problem = calibration === undefined ? undefined : rangeProblem(joint, motors[i]!, calibration);
    return problem === undefined ? [] : [problem];
  });
}

/** Remedy of a problem; `named`: the robot's name in commands. */
export function rangeRemedy({ joint, kind, limits }: RangeProblem, named: string): string {
  if (kind === 'limit')
    return "Write these numbers into the robot's file: beyond them the arm pushes against its stops.";
  const again = `rein calibrate --robot ${named} --joint ${joint}`;
  switch (kind) {
    case 'zero':
      return `Calibrate this joint again, held at its zero pose. If that gives the same, its stops are not those of the file: write ${limits} into the robot's file then. First: ${again}`;
    // No limits: they would fit a joint with the reversed direction, and mirror its floor and walls.
    case 'direction':
      return `Calibrate this joint again, and watch which way its angle is to rise: ${again}`;
    case 'doubt':
      return `Hold it at its zero pose: where rein calibrate --robot ${named} --check does not show about 0, ${again}`;
  }
}
