/** The rungs on which the arm drives by itself: slow, joint by joint, and the burn-in. Behind the same guard and limits as every run. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RobotConfig } from '../../config/index.ts';
import { busyText } from '../../host/index.ts';
import { readJournal } from '../../link/index.ts';
import {
  isFree,
  type JointModel,
  jointActionUnit,
  parseObject,
  ReinError,
  withoutFullStop,
} from '../../model/index.ts';
import type { Transition } from '../../rows/index.ts';
import { checkRunRequest } from '../../session/run-request.ts';
import { GUARD_LOG, type RobotRun, runRobot, SILENT_OBSERVER } from '../../session/supervision.ts';
import type { ShakeOptions } from './shake-policy.ts';

/** Motion of joints from their initial position, each way, rad; for one that slides, this share of its range. */
const SPAN_RAD = 0.12;
/** Distance that the wheels of a car roll each way, m: about one turn of theirs. */
const ROLL_M = 0.3;
/** Decisions per second, or the next lower rate with a whole number of ticks. */
const POLICY_HZ = 10;
/** Duration of motion, after which it stands until its energy tank permits as much again, s: at full speed with load some 1.5 J/s. */
const BOUT_S = 1.5;
/** Maximum duration of a rung with its rests, as a multiple of its own motion. */
const RESTS_FACTOR = 10;
/** Minimum share of the steps that are due. */
const LEAST_SHARE = 0.9;
/** Joint by joint: time to settle after each way and back, s. */
const SETTLE_S = 1.5;
/** Minimum travel of each joint, end to end, in halves of the box: with less the rung has proven nothing about it. */
const MOVED_SHARE: Readonly<Record<DrivingRung, number>> = { slow: 1, 'burn-in': 0.5 };
/** Time limit of the first motions of all joints, which come before and are slower than the rung, s. */
const START_LIMIT_S = 90;
const WATCH_MS = 500;
/** Message of the guard when it refuses to begin. */
const STANDS_OUTSIDE = /stands outside/;
/** Message in the guard's log when its end was requested. */
const GUARD_ENDS = 'asked to end';
/** Fault rows that an overloaded machine trips by itself: no answer, no tick, no guard. Not row 54: something touches a link. */
const TIMING_ROWS: readonly unknown[] = [10, 24, 25];

export type DrivingRung = 'slow' | 'burn-in';

/** Motion of a rung. */
export interface Drive {
  readonly rung: DrivingRung;
  readonly robot: RobotConfig;
  /** Share of the speed in the robot's file. */
  readonly speedRatio: number;
  /** Duration of the burn-in. */
  readonly minutes: number;
  /** Parts of equal length, each at this share of `speedRatio`; default: one part at all of it. */
  readonly shares?: readonly number[];
}

export interface DriveRequest extends Drive {
  /** Path of the robot's file. */
  readonly file: string;
  /** Run folder. */
  readonly out: string;
  readonly seed: number;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
  /** Called at the end of a part. */
  readonly onPart?: () => void;
}

/** Resolves to its proof, as a sentence. Rejects with `ReinError` if anything stopped the arm. */
export async function driveRung(request: DriveRequest): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-bring-up-'));
  try {
    const task = join(folder, 'bring-up.yaml');
    // JSON is YAML.
    writeFileSync(task, JSON.stringify(taskOf(request), undefined, 2));
    const status = await drive(request, task);
    request.signal.throwIfAborted();
    return shownBy(request, status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `task` until its steps are done, its time is over, or something has stopped the arm. */
async function drive(request: DriveRequest, task: string): Promise<RobotRun['status']> {
  const { signal, out, onPart, seed } = request;
  const log = join(out, GUARD_LOG);
  // A fault that has stopped the arm fails the rung, so that the rest is skipped.
  const end = new AbortController();
  const watch = setInterval(() => existsSync(log) && faultsIn(log).length > 0 && end.abort(), WATCH_MS);
  // The rung's time is that of its own motion: the first motions before it prove less, and its rests nothing.
  let timer = setTimeout(() => end.abort(), 1e3 * START_LIMIT_S);
  const dueSteps = dueStepsOf(request);
  const partSteps = partStepsOf(request);
  let isDriven = false;
  let parts = 0;
  const onStatus = ({ envSteps }: { readonly envSteps: number }): void => {
    for (; envSteps >= (parts + 1) * partSteps; parts++) onPart?.();
    if (envSteps >= dueSteps) end.abort();
    if (isDriven || envSteps === 0) return;
    isDriven = true;
    clearTimeout(timer);
    timer = setTimeout(() => end.abort(), 1e3 * RESTS_FACTOR * drivenS(request));
  };
  // Messages about its own end are omitted.
  const print = (line: string): void => {
    if (!end.signal.aborted) request.print(line);
  };
  const { status } = await runRobot({
    request: checkRunRequest({ task, start: 'now', trace: 'off', output: 'quiet', monitor: 'off', out, seed }),
    observer: { ...SILENT_OBSERVER, status: onStatus, print },
    signal: AbortSignal.any([signal, end.signal]),
    onInterrupt: request.onInterrupt,
  }).finally(() => {
    clearInterval(watch);
    clearTimeout(timer);
  });
  return status;
}

/** Returns the proof of the run in `out`. Throws `ReinError` if it does not satisfy the rung. */
function shownBy(request: DriveRequest, status: RobotRun['status']): string {
  const { rung, robot, speedRatio, out } = request;
  const log = join(out, GUARD_LOG);
  const faults = faultsIn(log);
  if (faults.length > 0) throw stopped(withServo(faults), faults.length, out, isOfTiming(log) ? busyText() : undefined);
  const violations = status?.filter.violations ?? 0;
  const steps = status?.envSteps ?? 0;
  const dueSteps = dueStepsOf(request);
  if (violations > 0) throw stopped(`${violations} violations of limits`, violations, out);
  if (steps === 0) throw stopped('it never moved', 1, out, busyText());
  if (steps < LEAST_SHARE * dueSteps) {
    throw stopped(`it drove ${steps} steps of ${dueSteps} only`, 1, out, busyText());
  }
  // Positions of wheels are not observed: a person sees them turn, or their driver counts them.
  const joints = robot.joints.filter((joint) => !isFree(joint));
  const { joint, spans } = leastMoved(readJournal(join(out, 'journal')), joints.length);
  if (spans[joint]! < MOVED_SHARE[rung]) throw unmoved(joints[joint]!.name, spans[joint]!);
  const box = `±${degrees(1)}${robot.base === undefined ? '' : ` and ±${ROLL_M} m of its wheels`}`;
  const how = rung === 'slow' ? 'joint after joint' : `random motion in a box of ${box}`;
  return `${Math.round(drivenS(request))} s of ${how} at ${Math.round(100 * speedRatio)} % of its speed: ${steps} steps, each joint moved by ${degrees(spans[joint]!)} or more, 0 faults, 0 violations`;
}

function dueStepsOf(drive: Drive): number {
  return Math.round(drivenS(drive) * rateOf(drive.robot.controlHz));
}

/** Steps of each part: 1 or more. */
export function partStepsOf(drive: Drive): number {
  return Math.max(1, Math.floor(dueStepsOf(drive) / (drive.shares?.length ?? 1)));
}

/** Duration of driving, s: every joint in turn, or the requested duration. */
export function drivenS({ rung, robot, speedRatio, minutes }: Drive): number {
  if (rung === 'burn-in') return 60 * minutes;
  const turnS = ({ velocityMaxRadPerS, ...joint }: JointModel): number =>
    (4 * (SPAN_RAD / Math.PI) * unitOf(joint)) / (velocityMaxRadPerS * speedRatio) + SETTLE_S;
  return robot.joints.reduce((sum, joint) => sum + turnS(joint), 0);
}

/** Joint with the shortest travel, and the travel of each, end to end, in halves of the box. */
export function leastMoved(
  steps: Iterable<Pick<Transition, 'observation' | 'nextObservation'>>,
  joints: number,
): { readonly joint: number; readonly spans: readonly number[] } {
  const least = new Array<number>(joints).fill(Number.POSITIVE_INFINITY);
  const most = new Array<number>(joints).fill(Number.NEGATIVE_INFINITY);
  for (const { observation, nextObservation } of steps) {
    for (const seen of [observation, nextObservation]) {
      for (let i = 0; i < joints; i++) {
        least[i] = Math.min(least[i]!, seen[i]!);
        most[i] = Math.max(most[i]!, seen[i]!);
      }
    }
  }
  const spans = least.map((value, i) => Math.max(0, most[i]! - value) / (SPAN_RAD / Math.PI));
  return { joint: spans.indexOf(Math.min(...spans)), spans };
}

/** Halves of the box in degrees, for display. */
function degrees(spans: number): string {
  return `${((spans * SPAN_RAD * 180) / Math.PI).toFixed(0)}°`;
}

function unmoved(joint: string, span: number): ReinError {
  return new ReinError('driver', `Bring-up step not passed: ${joint} was measured to move by ${degrees(span)} only.`, {
    remedy: 'See that nothing holds it, and give a burn-in more --minutes. Then repeat the command.',
  });
}

/** Fault that stopped the arm, with the servo named along with it, so that users can find it. */
export function withServo([first = '', ...others]: readonly string[]): string {
  const named = others.find((each) => SERVO.test(each));
  return SERVO.test(first) || named === undefined ? first : `${first}: ${named}`;
}

/** Form in which drivers name a servo. */
const SERVO = /^Servo \d+ \(/;

/** Starts the remedy with the fault itself. `busy`: load of the machine, if that may be the cause. */
export function stopped(what: string, count: number, out: string, busy?: string): ReinError {
  const more = count > 1 ? ` (the first of ${count})` : '';
  const log = join(out, GUARD_LOG);
  const load = busy === undefined ? '' : ' The load may be the cause: end what else runs on the machine.';
  let remedy = `Correct what stopped it; see ${log} for time and cause.${load} Then repeat the command.`;
  if (STANDS_OUTSIDE.test(what)) remedy = 'Put it in the middle of its room by hand, and repeat the command.';
  const message = `Bring-up step not passed: ${what}${more}.${busy === undefined ? '' : ` ${busy}`}`;
  return new ReinError('driver', message, { remedy });
}

/** True if the first fault, the one that is named, is of `TIMING_ROWS` alone: later ones come from bringing the arm to rest. */
export function isOfTiming(log: string): boolean {
  const rows = faultEntries(log)?.[0]?.rows ?? [];
  return rows.length > 0 && rows.every((row) => TIMING_ROWS.includes(row));
}

/** Faults logged by the guard that stopped the arm while it was driven: one sentence each. */
export function faultsIn(log: string): readonly string[] {
  const found = faultEntries(log);
  return found === undefined ? ['the guard left no log'] : [...new Set(found.map(({ what }) => what))];
}

/** Faults with their rows of the fault table. `undefined` without a log. */
function faultEntries(
  log: string,
): readonly { readonly what: string; readonly rows: readonly unknown[] }[] | undefined {
  return entriesUntilEnd(log)?.flatMap(({ why, rows, level, row, msg }) => {
    if (typeof why === 'string') return [{ what: withoutFullStop(why), rows: Array.isArray(rows) ? rows : [] }];
    const isError = level === 'error' || level === 'fatal' || (typeof level === 'number' && level >= 50);
    return isError ? [{ what: withoutFullStop(String(msg)), rows: [row] }] : [];
  });
}

/** Entries up to the guard's end, after which the arm is let down. `undefined` without a log. */
function entriesUntilEnd(log: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  let text: string;
  try {
    text = readFileSync(log, 'utf8');
  } catch {
    return undefined;
  }
  const entries = text.split('\n').flatMap((line) => {
    const entry = parseObject(line);
    return entry === undefined ? [] : [entry];
  });
  const end = entries.findIndex(({ msg }) => String(msg).startsWith(GUARD_ENDS));
  return entries.slice(0, end < 0 ? entries.length : end);
}

function taskOf(request: DriveRequest): Record<string, unknown> {
  const { rung, robot, file, speedRatio, shares, seed } = request;
  const policyHz = rateOf(robot.controlHz);
  const scaleOf = ({ velocityMaxRadPerS }: JointModel): number => (velocityMaxRadPerS * speedRatio) / policyHz;
  const options: ShakeOptions = {
    // Motion that a person watches happens once; the final position of the front wheels is their middle.
    pattern: rung !== 'slow' ? 'random' : robot.base === undefined ? 'eachJoint' : 'once',
    spanUnits: SPAN_RAD / Math.PI,
    unitsPerStep: robot.joints.map((joint) => scaleOf(joint) / unitOf(joint)),
    isRolling: robot.joints.map(isFree),
    shares: shares ?? [1],
    stepsOfShare: partStepsOf(request),
    seed,
  };
  return {
    name: 'bring-up',
    kind: 'operatorJudged',
    robot: file,
    learner: 'rlpd',
    policyHz,
    // The present measurement comes first in the policy's observation.
    historyFrames: 1,
    maxSteps: Math.round(BOUT_S * policyHz),
    action: {
      kind: 'joint',
      dimensions: robot.joints.map((joint) => ({
        name: joint.name,
        scale: scaleOf(joint),
        unit: jointActionUnit({ kind: joint.kind }),
      })),
    },
    observation: { jointPositions: true, jointVelocities: false, toolPose: false, wrench: false },
    policyPlugin: { module: fileURLToPath(new URL('./shake-policy.js', import.meta.url)), options },
  };
}

/** Value of 1 in an observed position, rad or m; for wheels, whose position is counted, half the box is `ROLL_M`. */
function unitOf({ kind, positionMinRad, positionMaxRad }: Omit<JointModel, 'velocityMaxRadPerS'>): number {
  if (kind === 'path') return (ROLL_M * Math.PI) / SPAN_RAD;
  return kind === 'prismatic' ? positionMaxRad - positionMinRad : Math.PI;
}

function rateOf(controlHz: number): number {
  for (let ticks = Math.max(1, Math.round(controlHz / POLICY_HZ)); ; ticks++) {
    if (Number.isInteger(controlHz / ticks)) return controlHz / ticks;
  }
}
