/** Body of `rein safety identify`: open, move, fit, judge, print, write. */

import { loadRobotFile, type RobotConfig } from '../../config/index.ts';
import { worldOf } from '../../drivers/index.ts';
import {
  type Identification,
  identifyArm,
  identifyRobot,
  judge,
  observerYaml,
  openSimulatedArm,
  type Sensitivity,
  type VerdictRow,
} from '../../identify/index.ts';
import { type JointModel, ReinError, significant, torqueUnit } from '../../model/index.ts';
import type { SafetyIdentifyOptions } from '../safety-identify.ts';
import { type Interruptible, interruptibly } from './interrupt.ts';
import { checkFile, checkFree, checkJsonFile, replaceNamedFile, writeJsonFile } from './json-file.ts';
import { columns } from './safety-table.ts';
import { progressLine, warn } from './terminal.ts';

const REFUSED = 1;

/** Resolves to the exit code: 0, 1 if the robot's file is off by more than its margins allow, 130 after Ctrl+C. */
export async function safetyIdentifyBody(options: SafetyIdentifyOptions): Promise<number> {
  const { robot } = loadRobotFile(options.robot);
  if (robot.base !== undefined) {
    throw new ReinError(
      'config',
      `${robot.name} is a mobile base: there are no servos and links of an arm to identify.`,
      {
        remedy: 'Name an arm, such as arm6.',
      },
    );
  }
  // Check the output paths before the arm moves.
  checkFree([options.out], options.force);
  await checkFile(options.out, '--out');
  await checkJsonFile(options.json);
  const happening = isInRealTime(robot, options)
    ? 'the arm is brought to rest, and no limits are written'
    : 'nothing is written';
  return interruptibly(warn, happening, async (stop) => {
    const found = await identified(robot, options, stop);
    const piece = observerYaml(found.observer, robot.joints, commandLine(options));
    return report(judge(robot, found), found, robot.joints, piece, options);
  });
}

/** A simulated arm is identified in this process, in lock-step; any other, or on request, behind a guard process in real time. */
async function identified(
  robot: RobotConfig,
  options: SafetyIdentifyOptions,
  { signal, interrupt }: Interruptible,
): Promise<Identification> {
  const { durationS, filterS, seed, out, output } = options;
  const progress = progressLine(output);
  const onProgress = (passedS: number, wholeS: number): void =>
    progress.show(passedS / wholeS, `${passedS.toFixed(0)} s moved`);
  const motion = { durationS, filterS, seed, signal, onProgress };
  try {
    if (isInRealTime(robot, options)) {
      const guardLog = `${out.replace(/\.ya?ml$/, '')}.guard.log`;
      return await identifyRobot({ ...motion, robot, guardLog, print: progress.above, onInterrupt: interrupt });
    }
    const arm = await openSimulatedArm(robot);
    try {
      return await identifyArm({ ...motion, ...arm });
    } finally {
      await arm.close();
    }
  } finally {
    progress.end();
  }
}

/** The command that repeats this identification, for the head of the written piece. */
function commandLine({ robot, durationS, filterS, seed, pace }: SafetyIdentifyOptions): string {
  const inTime = pace === 'realTime' ? ' --real-time' : '';
  return `rein safety identify ${robot} --duration ${durationS} --filter ${filterS} --seed ${seed}${inTime}`;
}

function isInRealTime(robot: RobotConfig, { pace }: SafetyIdentifyOptions): boolean {
  return worldOf(robot.driver) === 'real' || pace === 'realTime';
}

async function report(
  rows: readonly VerdictRow[],
  found: Identification,
  joints: readonly JointModel[],
  piece: string,
  { out, json, output }: SafetyIdentifyOptions,
): Promise<number> {
  if (output === 'live') process.stdout.write(`${identifyTable(rows, found, joints)}\n`);
  const wrong = rows.filter(({ ok }) => !ok);
  if (wrong.length === 0) await writePiece(out, piece);
  await writeJsonFile(json, {
    ok: wrong.length === 0,
    rows,
    observer: found.observer,
    notices: found.sensitivity,
    samples: found.rows,
    lost: found.lost,
  });
  if (wrong.length > 0) {
    for (const { message } of wrong) process.stdout.write(`off: ${message}.\n`);
    process.stdout.write(
      `REFUSED: ${wrong.length} of ${rows.length} numbers are off by more than the margins allow; ${out} is not written.\n`,
    );
    return REFUSED;
  }
  process.stdout.write(
    `The file is right within its margins. ${out} holds "torqueObserver:"; put it into the robot's file.\n`,
  );
  return 0;
}

/** Writes atomically; if that fails, the piece is printed to the terminal, so that the motion was not in vain. */
async function writePiece(out: string, piece: string): Promise<void> {
  try {
    await replaceNamedFile(out, piece);
  } catch (cause) {
    process.stdout.write(piece);
    throw new ReinError('storage', `${out} cannot be written: ${(cause as Error).message}.`, {
      remedy: 'The piece for the robot file is printed above: copy it from there.',
      cause,
    });
  }
}

/** Formats the rows as a terminal table. */
export function identifyTable(
  rows: readonly VerdictRow[],
  { observer, sensitivity }: Identification,
  joints: readonly JointModel[],
): string {
  const body = rows.map(({ of, what, unit, file, measured, within, ok }) => [
    of,
    what,
    file === undefined ? '–' : significant(file),
    within === undefined ? significant(measured) : `${significant(measured)} ± ${significant(within)}`,
    unit,
    ok ? 'ok' : 'OFF',
  ]);
  const limits = `limits of the observer, ${forceUnits(joints)}: touched ${observer.externalMaxNm.map((limitNm) => significant(limitNm)).join(', ')}; servo ${observer.servoMaxNm.map((nm) => significant(nm)).join(', ')}`;
  return `${columns([['', '', 'file', 'measured', '', ''], ...body])}\n${limits}\n\n${noticed(sensitivity)}\n`;
}

/** `N·m`, `N`, or both if the robot has revolute and prismatic joints. */
function forceUnits(joints: readonly JointModel[]): string {
  return [...new Set(joints.map(torqueUnit))].join(' or ');
}

/** Smallest push and load that row 54 detects, with the arm at home. */
function noticed({ links, payloadKg }: Sensitivity): string {
  const body = links.map(({ link, forceN, joint }) =>
    forceN === undefined ? [link, 'none', ''] : [link, `${significant(forceN)} N`, `by ${joint}`],
  );
  const load = ['load', payloadKg === undefined ? 'none' : `${significant(payloadKg)} kg`, 'at the tool point'];
  return `least push and load that is detected at home, at the point and in the direction to which a joint is most sensitive, beyond the reading of the tool's force sensor:\n${columns([...body, load])}`;
}
