/** Counts of a joint as people read them: degrees or millimetres, bars, and what the robot's file has to say for what the arm can. */
import type { JointModel, RobotModel } from '../../core/index.ts';
import { countsPerUnit, type JointCalibration, type Motor } from '../../drivers/serial.ts';

/** A file may allow more than the joint showed by this, rad or m: hands do not press against a stop with its last degree. */
const SLACK = 0.03;
const BAR_COLUMNS = 31;

type Zeroed = Pick<JointCalibration, 'zeroCounts' | 'direction'>;

/** The joint's position, rad or m. */
export function positionOf(motor: Motor, { zeroCounts, direction }: Zeroed, counts: number): number {
  return (direction * (counts - zeroCounts)) / countsPerUnit(motor);
}

/** `12.3°`, or `12.3 mm` of a joint that slides. */
export function shownPosition({ kind }: Pick<JointModel, 'kind'>, value: number): string {
  return kind === 'prismatic' ? `${(1e3 * value).toFixed(1)} mm` : `${((180 / Math.PI) * value).toFixed(1)}°`;
}

/** What the joint can, from least to greatest, rad or m. */
export function calibratedRange(motor: Motor, joint: JointCalibration): readonly [number, number] {
  const ends = [joint.minCounts, joint.maxCounts].map((counts) => positionOf(motor, joint, counts));
  return [Math.min(...ends), Math.max(...ends)];
}

/** Name, least, now and greatest, with the counts, and a bar over the range of the robot's file. */
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

/** `[  ==#===   ]`: `=` where it has been, `#` where it is. */
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

/** A joint that the file lets go further than it can: what to write instead, rad or m, rounded inwards. */
export interface LimitProblem {
  readonly joint: string;
  readonly message: string;
  readonly write: Readonly<Partial<Record<'positionMinRad' | 'positionMaxRad', number>>>;
}

export function limitProblem(joint: JointModel, motor: Motor, calibration: JointCalibration): LimitProblem | undefined {
  const [least, most] = calibratedRange(motor, calibration);
  const digits = joint.kind === 'prismatic' ? 1e4 : 1e2;
  const write = {
    ...(joint.positionMinRad < least - SLACK ? { positionMinRad: Math.ceil(least * digits) / digits } : {}),
    ...(joint.positionMaxRad > most + SLACK ? { positionMaxRad: Math.floor(most * digits) / digits } : {}),
  };
  const lines = Object.entries(write).map(([key, value]) => `${key}: ${value}`);
  if (lines.length === 0) return undefined;
  const shown = (value: number): string => shownPosition(joint, value);
  return {
    joint: joint.name,
    write,
    message: `${joint.name}: the robot's file allows ${shown(joint.positionMinRad)} to ${shown(joint.positionMaxRad)}, and the arm went from ${shown(least)} to ${shown(most)}: write ${lines.join(' and ')}`,
  };
}

/** Of all joints that are calibrated. */
export function limitProblems(
  { joints }: Pick<RobotModel, 'joints'>,
  motors: readonly Motor[],
  calibrated: Readonly<Record<string, JointCalibration>>,
): readonly LimitProblem[] {
  return joints.flatMap((joint, i) => {
    const calibration = calibrated[joint.name];
    const problem = calibration === undefined ? undefined : limitProblem(joint, motors[i]!, calibration);
    return problem === undefined ? [] : [problem];
  });
}
