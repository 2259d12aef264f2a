/** The learner's run, and whether it is for this robot and task: asked once, or until it answers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunSetup } from '../../config/setup.ts';
import { askLearner, firstDifference, type LearnerInfo, parseAddress } from '../../link/index.ts';
import { ReinError } from '../../model/index.ts';
import { joinedRun } from '../weights/weights-disk.ts';

/** Reason why a learner is still waited for. */
export interface LearnerWait {
  /** `absent`: it does not answer; `refused`: it answers, but trains something else or speaks another version. */
  readonly state: 'absent' | 'refused';
  readonly message: string;
  readonly remedy: string;
}

const LEARNER_MS = 3000;
/** Interval at which a learner that is waited for is asked again, ms. */
const AGAIN_MS = 2000;

/**
 * `undefined` without an answer. Rejects with `ReinError('link')` if the learner trains another robot or task, or the address is invalid;
 * with `ReinError('environment')` if it speaks another version of the protocol.
 */
export async function learnerOf(address: string, setup: RunSetup): Promise<LearnerInfo | undefined> {
  parseAddress(address);
  const info = await askOnce(address, LEARNER_MS);
  if (info === undefined) return undefined;
  const wait = misfitOf(address, setup, info);
  if (wait !== undefined) throw new ReinError('link', wait.message, { remedy: wait.remedy });
  return info;
}

/**
 * Asks until a learner of this robot and task answers. Calls `onWait` each time that none did, or one that cannot be used. Rejects with
 * `ReinError('link')` when `signal` is aborted, or if the address is invalid.
 */
export async function awaitLearner(
  address: string,
  setup: RunSetup,
  signal: AbortSignal,
  onWait: (wait: LearnerWait) => void,
  againMs: number = AGAIN_MS,
): Promise<LearnerInfo> {
  parseAddress(address);
  const aborted = abortOf(signal);
  for (;;) {
    const answer = await Promise.race([answerOf(address, setup, againMs), aborted]);
    if (!('state' in answer)) return answer;
    onWait(answer);
    // Asking an absent one has taken as long already.
    if (answer.state !== 'absent') await Promise.race([delay(againMs), aborted]);
  }
}

export interface JoinOptions {
  /** The learner's `tcp://host:port`. */
  readonly address: string;
  readonly setup: RunSetup;
  /** The run's folder, which may have joined a learner's run before. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onWait: (wait: LearnerWait) => void;
}

/**
 * The run that the robot of `folder` joins: the learner's, or without an answer that of the weights in `folder`. Without such weights, or
 * if the learner that answers cannot be used, it waits as `awaitLearner` does and rejects like it.
 */
export async function runToJoin({
  address,
  setup,
  folder,
  signal,
  onWait,
}: JoinOptions): Promise<{ readonly runId: string; readonly isLearnerAway: boolean }> {
  parseAddress(address);
  const known = joinedRun(folder);
  if (known !== undefined) {
    const answer = await abortable(answerOf(address, setup, LEARNER_MS), signal);
    if ('state' in answer && answer.state === 'absent') return { runId: known, isLearnerAway: true };
  }
  const { runId } = await awaitLearner(address, setup, signal, onWait);
  return { runId, isLearnerAway: false };
}

/** Rejects when `signal` is aborted first. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([work, abortOf(signal)]);
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new ReinError('link', 'The learner is waited for no longer.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** The learner of this robot and task, or the reason for waiting. */
async function answerOf(address: string, setup: RunSetup, timeoutMs: number): Promise<LearnerInfo | LearnerWait> {
  try {
    const info = await askOnce(address, timeoutMs);
    return info === undefined ? absenceOf(address) : (misfitOf(address, setup, info) ?? info);
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return { state: 'refused', message: asMessage(error.message), remedy: asMessage(error.remedy ?? '') };
  }
}

/** Formats an error as a sentence: errors begin in lower case and end without a full stop. */
function asMessage(text: string): string {
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** `undefined`: no answer. Rejects with `ReinError('environment')` if a learner of another version answers. */
async function askOnce(address: string, timeoutMs: number): Promise<LearnerInfo | undefined> {
  try {
    return await askLearner(address, timeoutMs);
  } catch (error) {
    if (error instanceof ReinError && error.kind === 'link') return undefined;
    throw error;
  }
}

function absenceOf(address: string): LearnerWait {
  return {
    state: 'absent',
    message: `Waiting for the learner at ${address}.`,
    remedy: 'Start the learner, or check the address; it is asked again until it answers.',
  };
}

function misfitOf(address: string, setup: RunSetup, info: LearnerInfo): LearnerWait | undefined {
  const { robot, task } = setup.config;
  const here = `${robot.name}/${task.name}`;
  const differing = info.meaning === undefined ? undefined : firstDifference(setup.meaning, info.meaning);
  const [what, remedy] = [
    `The learner at ${address} trains another robot or task`,
    'Give both the same task and config.',
  ];
  if (differing !== undefined) {
    const [key, ours, theirs] = differing;
    return { state: 'refused', message: `${what} than ${here}: ${key} is ${ours} here and ${theirs} there.`, remedy };
  }
  if (info.schemaHash === setup.schemaHash) return undefined;
  const schemas = `(schema ${info.schemaHash}) than ${here} (${setup.schemaHash})`;
  return { state: 'refused', message: `${what} ${schemas}.`, remedy };
}
