/** What is done before a robot is started: what its configuration names is checked elsewhere, and its folder is opened. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResolvedConfig, RobotConfig } from '../../config/index.ts';
import { driverSpec } from '../../config/setup.ts';
import {
  acquireLock,
  answerOfChild,
  asObject,
  type DirectoryLock,
  patientMs,
  ReinError,
  type RobotModel,
  remedyForLate,
  sendToChild,
} from '../../core/index.ts';
import type { GuardConfig } from '../../guard/index.ts';
import { readStops } from '../../record/index.ts';
import { scenesOf } from '../../tasks/index.ts';
import { openLiveFolder, type RunFolder } from '../run-folder.ts';
import type { CheckedMessage, CheckRequest } from './check-process.ts';
import { ladderSubject, rungLimit } from './rung-limit.ts';
import { inSpeedMode, type SpeedMode, speedModeOf } from './speed-mode.ts';

export interface RunPreparation extends CheckRequest {
  /** Run folder; one of an earlier start is carried on. */
  readonly out: string | undefined;
  /** Ends the check. */
  readonly signal?: AbortSignal;
}

/** Each thing that is tried before the robot is started may take so long, ms. */
const CHECK_LIMIT_MS = 30_000;

/** Held as long as a process works in the folder that may move its robot: the guard's, while there is one. */
const LOCK_FILE = 'robot.lock';

/** A run that may start. */
export interface PreparedRun {
  readonly folder: RunFolder;
  /** No other robot works in the folder; to be released when this one's processes have ended. */
  readonly lock: DirectoryLock;
  /** The run that weights are taken of; `undefined`: the learner's, which is away and was never met in this folder. */
  readonly runId: string | undefined;
  /** A learner is named and does not answer, or was not asked. */
  readonly isLearnerAway: boolean;
  /** Of the task: what the driver has to give. */
  readonly signalNames: readonly string[];
}

/**
 * A learner that is away holds nothing up: the robot goes on with the run that its folder has joined, or waits to be told.
 * Rejects with `ReinError`, `'storage'` where another robot works in the folder, and with what aborted `signal`; then no folder was made.
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

/** Loads what robot and learner share, which a robot alone does without. */
async function joinedBefore({ path }: RunFolder): Promise<string | undefined> {
  const { joinedRun } = await import('../weights/weights-disk.ts');
  return joinedRun(path);
}

/** Runs `check-process.ts`. Modules of others run in it, so its answer is looked at like one of theirs. */
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
  const alone = 'Try it alone: a module must neither end its process nor go on for ever while it loads or is tried.';
  throw new ReinError('environment', `The check before the robot is started ${trouble} while it tried ${tried}.`, {
    remedy: isLate ? remedyForLate(alone) : alone,
  });
}

function isChecked(answer: unknown): answer is CheckedMessage {
  const { signalNames, runId } = asObject(answer) ?? {};
  const areNames = Array.isArray(signalNames) && signalNames.every((name) => typeof name === 'string');
  return areNames && (runId === undefined || typeof runId === 'string');
}

/** `model` with the stops that were measured on `robot`, where its file leaves them to that. */
function withMeasuredStops(model: RobotModel, robot: RobotConfig): RobotModel {
  const { separation } = model;
  const subject = separation === undefined ? undefined : ladderSubject(robot);
  if (separation === undefined || separation.stops !== undefined || subject === undefined) return model;
  const stops = readStops(subject).map(({ loadKg: _, ...stop }) => stop);
  return stops.length === 0 ? model : { ...model, separation: { ...separation, stops } };
}

/** How a guard is reached, and by whom. */
export type GuardPlace = Pick<GuardConfig, 'socketPath' | 'authority'> & {
  /** For a robot behind ROS 2: `--ros-args …`. */
  readonly rosArguments?: readonly string[];
  /** What a person asks for. Default: full. */
  readonly speedMode?: SpeedMode;
};

/** What the guard of a checked run is started with. */
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
