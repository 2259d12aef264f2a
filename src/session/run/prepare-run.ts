/** Preparation of a run: the configuration is checked in another process, and the run folder is opened, before a robot is started. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResolvedConfig, RobotConfig } from '../../config/index.ts';
import { driverSpec } from '../../config/setup.ts';
import type { GuardConfig } from '../../guard/index.ts';
import {
  acquireLock,
  answerOfChild,
  type DirectoryLock,
  patientMs,
  remedyForLate,
  sendToChild,
} from '../../host/index.ts';
import { asObject, ReinError, type RobotModel } from '../../model/index.ts';
import { readStops } from '../../record/index.ts';
import { scenesOf } from '../../tasks/index.ts';
import { openLiveFolder, type RunFolder } from '../run-folder.ts';
import type { CheckedMessage, CheckRequest } from './check-process.ts';
import { ladderSubject, rungLimit } from './rung-limit.ts';
import { inSpeedMode, type SpeedMode, speedModeOf } from './speed-mode.ts';

export interface RunPreparation extends CheckRequest {
  /** Run folder; one of an earlier start is continued. */
  readonly out: string | undefined;
  /** Aborts the check. */
  readonly signal?: AbortSignal;
}

/** Time limit of each item checked before the robot is started, ms. */
const CHECK_LIMIT_MS = 30_000;

/** Held while a process that may move the robot works in the folder: by the guard, while there is one. */
const LOCK_FILE = 'robot.lock';

/** A run that may start. */
export interface PreparedRun {
  readonly folder: RunFolder;
  /** Keeps other robots out of the folder; to be released when this one's processes have ended. */
  readonly lock: DirectoryLock;
  /** The run whose weights are used; `undefined`: the learner's, which is absent and was never met in this folder. */
  readonly runId: string | undefined;
  /** A learner is named, but does not answer, or was not asked. */
  readonly isLearnerAway: boolean;
  /** The task's signals, which the driver has to provide. */
  readonly signalNames: readonly string[];
}

/**
 * An absent learner delays nothing: the robot continues the run that its folder has joined, or waits for the learner's. Rejects with
 * `ReinError`, `'storage'` if another robot works in the folder, and with the reason of an aborted `signal`; then no folder was created.
 */
export async function prepareRun({ out, signal, ...request }: RunPreparation): Promise<PreparedRun> {
  const { signalNames, runId } = await checkElsewhere(request, signal);
  signal?.throwIfAborted();
  const folder = await openLiveFolder(request.config, out);
  const isLearnerAway = request.learner !== undefined && runId === undefined;
  const joined = request.learner === undefined ? folder.runId : (runId ?? (await joinedBefore(folder)));
  const lock = acquireLock(join(folder.path, LOCK_FILE), folder.path);
  return { folder, lock, runId: joined, isLearnerAway, signalNames };
}

/** Loads code shared by robot and learner, which a robot alone does not need. */
async function joinedBefore({ path }: RunFolder): Promise<string | undefined> {
  const { joinedRun } = await import('../weights/weights-disk.ts');
  return joinedRun(path);
}

/** Runs `check-process.ts`. Third-party modules run in it, so its answer is validated like theirs. */
async function checkElsewhere(request: CheckRequest, signal: AbortSignal | undefined): Promise<CheckedMessage> {
  const child = fork(fileURLToPath(new URL('./check-process.js', import.meta.url)), [], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
    serialization: 'advanced',
    ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' }),
  });
  let tried = 'the configuration';
  const isTrying = (message: unknown): boolean => {
    const { kind, what } = asObject(message) ?? {};
    if (kind !== 'trying' || typeof what !== 'string') return false;
    tried = what;
    return true;
  };
  sendToChild(child, request);
  const limitMs = patientMs(CHECK_LIMIT_MS);
  const { answer, how, isLate } = await answerOfChild(child, limitMs, isTrying);
  if (answer instanceof ReinError) throw answer;
  if (isChecked(answer)) return answer;
  const trouble = isLate ? `took more than ${Math.round(limitMs / 1e3)} s` : `ended (${how})`;
  const alone = 'Load the module alone: it must neither end its process nor block while it is loaded or checked.';
  throw new ReinError('environment', `The check before the robot is started ${trouble} while it tried ${tried}.`, {
    remedy: isLate ? remedyForLate(alone) : alone,
  });
}

function isChecked(answer: unknown): answer is CheckedMessage {
  const { signalNames, runId } = asObject(answer) ?? {};
  const areNames = Array.isArray(signalNames) && signalNames.every((name) => typeof name === 'string');
  return areNames && (runId === undefined || typeof runId === 'string');
}

/** Returns `model` with the stops measured on `robot`, if its file leaves them to measurement. */
function withMeasuredStops(model: RobotModel, robot: RobotConfig): RobotModel {
  const { separation } = model;
  const subject = separation === undefined ? undefined : ladderSubject(robot);
  if (separation === undefined || separation.stops !== undefined || subject === undefined) return model;
  const stops = readStops(subject).map(({ loadKg: _, ...stop }) => stop);
  return stops.length === 0 ? model : { ...model, separation: { ...separation, stops } };
}

/** Socket of a guard, and its authority. */
export type GuardPlace = Pick<GuardConfig, 'socketPath' | 'authority'> & {
  /** For a robot behind ROS 2: `--ros-args …`. */
  readonly rosArguments?: readonly string[];
  /** Mode requested by a person. Default: full. */
  readonly speedMode?: SpeedMode;
};

/** Configuration with which the guard of a checked run is started. */
export function guardConfigOf(
  config: ResolvedConfig,
  signalNames: readonly string[],
  { socketPath, authority, rosArguments = [], speedMode = 'full' }: GuardPlace,
): GuardConfig {
  const { robot, task } = config;
  const { driver: _, ...model } = robot;
  const limit = rungLimit(robot);
  return {
    model: withMeasuredStops(inSpeedMode(model, speedModeOf(robot, speedMode)), robot),
    ...(limit === undefined ? {} : { speedRatioMax: limit.speedRatio }),
    action: task.action,
    policyPeriodS: 1 / task.policyHz,
    driver: driverSpec(robot, { name: task.name, signalNames }, scenesOf(config.task), rosArguments),
    socketPath,
    authority,
    realTimePriority: 'try',
  };
}
