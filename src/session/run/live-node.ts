/**
 * The node of `rein run`: one session that begins by itself, goes on after a stop where nothing is the matter, and ends
 * when it is asked to.
 */

import type { RunSetup } from '../../config/index.ts';
import { ReinError, SystemClock } from '../../core/index.ts';
import type { KeyboardHeard, KeyboardTeleop } from '../../teleop/index.ts';
import { openSession } from '../open-session.ts';
import type { RunObserver } from '../run-log.ts';
import type { LiveSession } from '../session.ts';
import type { SessionEvent } from '../session-types.ts';
import { joinedRun } from '../weights/weights-disk.ts';
import { awaitLearner } from './learner-of.ts';
import type { LiveNodeConfig } from './messages.ts';

export interface LiveNodeOptions {
  readonly config: LiveNodeConfig;
  readonly setup: RunSetup;
  readonly observer: RunObserver;
  /** Asks for an orderly end. */
  readonly signal: AbortSignal;
  readonly createKeyboard?: (setup: RunSetup, heard: KeyboardHeard) => KeyboardTeleop;
}

const KEYS = 't take over  g give back  space stop  c continue  m/n mark  ? keys';
const HOW_TO_GO_ON = 'Look at it, then press c to continue.';

/** Runs the node until it is asked to end. Rejects with `ReinError` where it cannot go on; whatever happens, files are closed. */
export async function runLiveNode(options: LiveNodeOptions): Promise<void> {
  const { signal } = options;
  let session: LiveSession | undefined;
  const cut = (): void => void session?.pause('The run ends.');
  try {
    session = await open(options, {
      onMark: (mark) => void session?.mark(mark, ''),
      onSkip: () => session?.skipDemonstrations(),
    });
    signal.addEventListener('abort', cut);
    signal.throwIfAborted();
    await session.resume().done;
    if (!signal.aborted) throw new ReinError('driver', session.refusal?.message ?? 'The robot does not go on.');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', cut);
    await session?.close();
  }
}

async function open(options: LiveNodeOptions, heard: KeyboardHeard): Promise<LiveSession> {
  const { config, setup, observer, createKeyboard } = options;
  const runId = await runOf(options);
  const operators = config.operator === 'keyboard' ? [keyboardOf(setup, createKeyboard, heard)] : [];
  const { folder, robotId, learner, policy, durationS } = config;
  return openSession({
    ...{ setup, folder, runId, robotId, learner, policy, durationS, observer, operators },
    guard: config.socketPath,
    isScripted: config.operator === 'scripted',
    asksPeople: config.operator === 'keyboard',
    elapsedS: new SystemClock().nowS() - config.startedAtS,
    keys: KEYS,
    ...{ afterStop: 'askLeave', howToGoOn: HOW_TO_GO_ON },
    listener: { event: (event) => print(observer, event) },
  });
}

/** The run that weights are taken of. Where only the learner knows it, the robot stands until it answers. */
async function runOf({ config, setup, observer, signal }: LiveNodeOptions): Promise<string> {
  // A node before this one may have met the learner.
  const known = config.runId ?? joinedRun(config.folder);
  if (known !== undefined) return known;
  if (config.learner === undefined)
    throw new ReinError('environment', 'The node was told of no run and of no learner.');
  let told = '';
  const { runId } = await awaitLearner(config.learner, setup, signal, ({ state, message, remedy }) => {
    if (message === told) return;
    // That it is away has been said at the start.
    if (state === 'refused' || told !== '') observer.print(`${message} ${remedy}`);
    told = message;
  });
  observer.print(`The learner answers: run ${runId}.`);
  return runId;
}

function keyboardOf(setup: RunSetup, create: LiveNodeOptions['createKeyboard'], heard: KeyboardHeard): KeyboardTeleop {
  const keyboard = create?.(setup, heard);
  if (keyboard === undefined) throw new ReinError('environment', 'There is no terminal to take over from.');
  return keyboard;
}

/** What people at a terminal should read; single late commands are counted in the metrics. */
function print(observer: RunObserver, event: SessionEvent): void {
  const isFaultThatPasses = event.row !== 0 && event.level !== 'error' && QUIET.includes(event.name);
  if (!isFaultThatPasses) observer.print(event.message);
}

const QUIET: readonly string[] = ['commandLate', 'startFar'];
