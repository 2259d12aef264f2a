/**
 * The node of `rein run` as a program: one argument with its settings, and a channel to its parent process. Its session begins by itself,
 * goes on after a stop if no fault remains, and ends on request, or when its parent is gone.
 */
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { deserialize } from 'node:v8';
import type { ResolvedConfig } from '../../config/index.ts';
import { createSetup, type RunSetup } from '../../config/setup.ts';
import { type Close, closeAll, endFailed, openParentChannel } from '../../host/index.ts';
import { ReinError, SystemClock } from '../../model/index.ts';
import type { OperatorConfig, OperatorHeard, TeleopSource } from '../../teleop/index.ts';
import { openSession } from '../open-session.ts';
import { operatorsOf } from '../operator-devices.ts';
import { openOperators } from '../operators.ts';
import { type RunWatcher, watcherThrough } from '../person-request.ts';
import type { RunObserver } from '../run-log.ts';
import { checkRunRequest } from '../run-request.ts';
import type { LiveSession } from '../session.ts';
import type { SessionEvent } from '../session-types.ts';
import { WatchedRun } from '../watched-run.ts';
import { joinedRun } from '../weights/weights-disk.ts';
import { linesOf } from './event-lines.ts';
import { awaitLearner } from './learner-of.ts';
import type { FromNodeMessage, NodeStart, ToNodeMessage } from './messages.ts';

interface Node {
  readonly start: NodeStart;
  readonly setup: RunSetup;
  readonly observer: RunObserver;
  /** Requests an orderly end. */
  readonly signal: AbortSignal;
  /** Watcher on the far side of the parent process; `undefined`: none. */
  readonly watcher: RunWatcher | undefined;
}

const HOW_TO_GO_ON = 'Look at it, then press c to continue';
const OR_BY_PAGE = ', or Start at the page';

async function main(): Promise<void> {
  const given = JSON.parse(process.argv[2] ?? '{}') as NodeStart;
  const start = { ...given, request: checkRunRequest(given.request) };
  const parent = openParentChannel<FromNodeMessage>();
  const { durationS } = start.request;
  const over = new AbortController();
  const leftS = durationS === undefined ? undefined : start.startedAtS + durationS - new SystemClock().nowS();
  const timer = leftS === undefined ? undefined : setTimeout(() => over.abort(), Math.max(0, 1e3 * leftS));
  try {
    await work({
      start,
      setup: createSetup(deserialize(readFileSync(start.checkedConfig)) as ResolvedConfig),
      observer: {
        status: (status) => void parent.send({ kind: 'status', status }),
        print: (line) => void parent.send({ kind: 'print', line }),
      },
      signal: AbortSignal.any([parent.ending, over.signal]),
      watcher: start.isWatched ? watcherThrough((message) => void parent.send(message)) : undefined,
    });
  } finally {
    clearTimeout(timer);
  }
  parent.close();
}

/** Runs the node until it is asked to end. Rejects with `ReinError` if it cannot go on; files are closed in any case. */
async function work(node: Node): Promise<void> {
  const { signal } = node;
  const closes: Close[] = [];
  let session: LiveSession | undefined;
  const cut = (): void => void session?.pause('The run ends.');
  try {
    session = await open(node, closes, () => session);
    signal.addEventListener('abort', cut);
    signal.throwIfAborted();
    await session.resume().done;
    if (!signal.aborted && node.start.recording === undefined)
      throw new ReinError('driver', session.refusal?.message ?? 'The robot does not go on.');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', cut);
    await session?.close();
    await closeAll(closes);
  }
}

/** `current`: the session, once it is open; earlier device input is ignored. */
async function open(node: Node, closes: Close[], current: () => LiveSession | undefined): Promise<LiveSession> {
  const { start, setup, watcher } = node;
  const { request, folder, socketPath, startedAtS } = start;
  const runId = await runOf(node);
  const run = { setup, runId, folder, command: 'run', observer: node.observer };
  const watched = new WatchedRun({ ...run, watcher, trace: request.trace });
  closes.push(() => watched.close());
  const { observer } = watched;
  const listed = operatorsOf(request.operator, setup.config.operators);
  const atRobot = await openPeople(node, listed, current);
  const operators = [...atRobot, ...watched.operators];
  const session = await openSession({
    ...request,
    setup,
    folder,
    runId,
    observer,
    operators,
    guard: socketPath,
    isScripted: request.operator === 'scripted',
    asksPeople: operators.length > 0 && request.operator !== 'scripted',
    elapsedS: new SystemClock().nowS() - startedAtS,
    recording: start.recording,
    afterStop: 'askLeave',
    howToGoOn: `${HOW_TO_GO_ON}${watcher === undefined ? '' : OR_BY_PAGE}.`,
    listener: { event: (event) => print(observer, event) },
  });
  watched.attach(session);
  return session;
}

/** The run whose weights are used. If only the learner knows it, the robot stands until it answers. */
async function runOf({ start, setup, observer, signal }: Node): Promise<string> {
  const { learner } = start.request;
  // An earlier node may have met the learner.
  const known = start.runId ?? joinedRun(start.folder);
  if (known !== undefined) return known;
  if (learner === undefined) throw new ReinError('environment', 'The node was started without a run or a learner.');
  let reported = '';
  const { runId } = await awaitLearner(learner, setup, signal, ({ state, message, remedy }) => {
    if (message === reported) return;
    // Its absence was reported at the start.
    if (state === 'refused' || reported !== '') observer.print(`${message} ${remedy}`);
    reported = message;
  });
  observer.print(`The learner answers: run ${runId}.`);
  return runId;
}

function openPeople(
  { start, setup, observer }: Node,
  listed: readonly OperatorConfig[],
  current: () => LiveSession | undefined,
): Promise<readonly TeleopSource[]> {
  const heard: OperatorHeard = {
    onMark: (mark) => void current()?.mark(mark, ''),
    onSkip: () => {
      // Enter begins and ends a demonstration.
      current()?.skipDemonstrations();
      const isShown = current()?.isRecording === true;
      current()?.record(isShown ? 'recordStop' : 'recordStart');
    },
    onRedo: () => current()?.record('redo'),
    onRewind: () => current()?.rewind(),
    ...(setup.config.task.phaseSwitch?.byButton === true ? { onCritical: () => current()?.beginCritical() } : {}),
    onGiveBack: () => current()?.endRewind(),
    onGoOn: () => current()?.letGo(),
  };
  return openOperators(listed, {
    setup,
    folder: start.folder,
    heard,
    onEvent: (event) => current()?.emit({ level: event.row === 18 ? 'error' : 'warn', ...event }),
    robot: () => current()?.frame,
    print: (line) => observer.print(line),
    terminal: keysFromParent(),
  });
}

/** The parent process owns the terminal, and passes typed input on. */
function keysFromParent(): PassThrough {
  const keys = new PassThrough();
  process.on('message', (message: ToNodeMessage) => {
    if (message.kind === 'keys') keys.write(Buffer.from(message.bytes, 'base64'));
    else if (message.kind === 'keysLost') keys.end();
  });
  return keys;
}

function print(observer: RunObserver, event: SessionEvent): void {
  const lines = linesOf(event);
  if (lines !== undefined) observer.print(...lines);
}

main().catch(endFailed);
