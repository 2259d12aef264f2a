/** The rungs on which the arm drives by itself: slow, joint by joint, and the burn-in. Behind the same guard and limits as every run. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RobotConfig } from '../../config/index.ts';
import { isFree, type JointModel, jointActionUnit, parseObject, ReinError } from '../../core/index.ts';
import { checkRunRequest } from '../../session/run-request.ts';
import { GUARD_LOG, runRobot, SILENT_OBSERVER } from '../../session/supervision.ts';
import type { ShakeOptions } from './shake-policy.ts';

/** How far joints go from where they stand, each way, rad; one that slides goes this share of its range. */
const SPAN_RAD = 0.12;
/** How far the wheels of a car roll each way, m: about a turn of theirs. */
const ROLL_M = 0.3;
/** Decisions a second, or the next fewer that are a whole number of ticks. */
const POLICY_HZ = 10;
/** Joint by joint: each way and back, with time to look. */
const SLOW_S_PER_JOINT = 7;
/** Before it, what the wheels of a car show first of all (`FirstMotion`). */
const FIRST_ROLL_S = 6;
const WATCH_MS = 500;
/** How the guard's log says that it was asked to. */
const GUARD_ENDS = 'asked to end';

export type DrivingRung = 'slow' | 'burn-in';

export interface DriveRequest {
  readonly rung: DrivingRung;
  readonly robot: RobotConfig;
  /** Path of the robot's file. */
  readonly file: string;
  /** Share of its own speed. */
  readonly speedRatio: number;
  readonly minutes: number;
  /** Run folder. */
  readonly out: string;
  readonly seed: number;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
}

/** Resolves to what it has shown, as a sentence. Rejects with `ReinError` where anything stopped the arm. */
export async function driveRung(request: DriveRequest): Promise<string> {
  const { rung, robot, minutes, speedRatio, signal, out } = request;
  const firstS = robot.base === undefined ? 0 : FIRST_ROLL_S;
  const durationS = rung === 'slow' ? SLOW_S_PER_JOINT * robot.joints.length + firstS : 60 * minutes;
  const log = join(out, GUARD_LOG);
  const folder = mkdtempSync(join(tmpdir(), 'rein-bring-up-'));
  try {
    const task = join(folder, 'bring-up.yaml');
    // JSON is YAML.
    writeFileSync(task, JSON.stringify(taskOf(request, durationS), undefined, 2));
    // What has stopped the arm once has spoilt the rung: nobody waits for the rest.
    const spoilt = new AbortController();
    const watch = setInterval(() => existsSync(log) && faultsIn(log).length > 0 && spoilt.abort(), WATCH_MS);
    const { status } = await runRobot({
      request: checkRunRequest({
        task,
        durationS,
        start: 'now',
        trace: 'off',
        output: 'quiet',
        monitor: 'off',
        out,
        seed: request.seed,
      }),
      observer: { ...SILENT_OBSERVER, print: request.print },
      signal: AbortSignal.any([signal, spoilt.signal]),
      onInterrupt: request.onInterrupt,
    }).finally(() => clearInterval(watch));
    signal.throwIfAborted();
    const faults = faultsIn(log);
    if (faults.length > 0) throw stopped(faults[0]!, faults.length, out);
    const violations = status?.filter.violations ?? 0;
    const steps = status?.envSteps ?? 0;
    if (violations > 0) throw stopped(`${violations} violations of limits`, violations, out);
    if (steps === 0) throw stopped('it never moved', 1, out);
    const box = `±${(SPAN_RAD * 57.3).toFixed(0)}°${robot.base === undefined ? '' : ` and ±${ROLL_M} m of its wheels`}`;
    const how = rung === 'slow' ? 'joint after joint' : `random motion in a box of ${box}`;
    return `${Math.round(durationS)} s of ${how} at ${Math.round(100 * speedRatio)} % of its speed: ${steps} steps, 0 faults, 0 violations`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stopped(what: string, count: number, out: string): ReinError {
  const more = count > 1 ? ` (the first of ${count})` : '';
  return new ReinError('driver', `The rung is not passed: ${what}${more}.`, {
    remedy: `Mend what stopped it; ${join(out, GUARD_LOG)} says when and why. Then repeat the command.`,
  });
}

/** What stopped the arm while it was driven, as the guard logged it: in sentences. */
export function faultsIn(log: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(log, 'utf8');
  } catch {
    return ['the guard left no log'];
  }
  const entries = text.split('\n').flatMap((line) => {
    const entry = parseObject(line);
    return entry === undefined ? [] : [entry];
  });
  // What comes behind it is how the arm is let down.
  const end = entries.findIndex(({ msg }) => String(msg).startsWith(GUARD_ENDS));
  const found = entries.slice(0, end < 0 ? entries.length : end).flatMap((entry) => {
    const why = entry['why'];
    if (typeof why === 'string') return [why.replace(/\.$/, '')];
    const level = entry['level'];
    const isError = level === 'error' || level === 'fatal' || (typeof level === 'number' && level >= 50);
    return isError ? [String(entry['msg']).replace(/\.$/, '')] : [];
  });
  return [...new Set(found)];
}

function taskOf({ rung, robot, file, speedRatio, seed }: DriveRequest, durationS: number): Record<string, unknown> {
  const policyHz = rateOf(robot.controlHz);
  const scaleOf = ({ velocityMaxRadPerS }: JointModel): number => (velocityMaxRadPerS * speedRatio) / policyHz;
  const unitOf = ({ kind, positionMinRad, positionMaxRad }: JointModel): number => {
    if (kind === 'path') return (ROLL_M * Math.PI) / SPAN_RAD;
    return kind === 'prismatic' ? positionMaxRad - positionMinRad : Math.PI;
  };
  const options: ShakeOptions = {
    // What a person looks at happens once; where the front wheels then stand is their middle.
    pattern: rung !== 'slow' ? 'random' : robot.base === undefined ? 'eachJoint' : 'once',
    spanUnits: SPAN_RAD / Math.PI,
    unitsPerStep: robot.joints.map((joint) => scaleOf(joint) / unitOf(joint)),
    isRolling: robot.joints.map(isFree),
    seed,
  };
  return {
    name: 'bring-up',
    kind: 'operatorJudged',
    robot: file,
    learner: 'rlpd',
    policyHz,
    // What is measured now comes first in what the policy sees.
    historyFrames: 1,
    maxSteps: Math.min(100_000, Math.ceil(durationS * policyHz) + 100),
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

function rateOf(controlHz: number): number {
  for (let ticks = Math.max(1, Math.round(controlHz / POLICY_HZ)); ; ticks++) {
    if (Number.isInteger(controlHz / ticks)) return controlHz / ticks;
  }
}
