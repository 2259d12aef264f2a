/** Guard and node of one robot as two processes: problems are found before either starts. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { refuseDebugger, storage } from '../../host/index.ts';
import { ReinError, SystemClock } from '../../model/index.ts';
import { checkDevices, operatorsOf, pluggedIn } from '../operator-devices.ts';
import { type PersonRequest, packetIn, type RunWatcher } from '../person-request.ts';
import { LIVE_COMMAND, type RunFolder } from '../run-folder.ts';
import { type RunObserver, SILENT_OBSERVER } from '../run-log.ts';
import type { RunRequest } from '../run-request.ts';
import type { RecordingPlan } from '../session-types.ts';
import type { RunStatus } from '../status.ts';
import { guardStopMs } from '../supervisor.ts';
import { checkDriver, type DrivingPlace } from '../who-drives.ts';
import { type LiveNodeMessage, type NodeStart, readLiveNodeMessage, type ToNodeMessage } from './messages.ts';
import { isInForeground, PersonTerminal } from './person-terminal.ts';
import { guardConfigOf, type PreparedRun, prepareRun } from './prepare-run.ts';
import { GUARD_LOG, RobotProcesses } from './robot-processes.ts';
import { rungLimit } from './rung-limit.ts';
import { askedSpeedMode, inSpeedMode, isDecided, speedModeLine, speedModeOf } from './speed-mode.ts';

export interface RobotRunOptions {
  readonly request: RunRequest;
  /** Wording of refusals. Default: that of `rein run`, with the terminal of this process and no page. */
  readonly asked?: Pick<DrivingPlace, 'command' | 'terminal' | 'page'> | undefined;
  /** Default: none. */
  readonly observer?: RunObserver | undefined;
  /** Only demonstrations by people are recorded. Default: a normal run. */
  readonly recording?: RecordingPlan | undefined;
  /** Displays the run elsewhere, and passes on people's requests from there. Default: none. */
  readonly watcher?: RunWatcher | undefined;
  /** Requests an orderly end: the arm brakes and holds, the node closes its files, the guard ends last. */
  readonly signal: AbortSignal;
  /** Called on Ctrl+C in the terminal, which delivers keys and no signals. */
  readonly onInterrupt: () => void;
}

export interface RobotRun {
  readonly folder: string;
  /** Last status from the node; `undefined` if there was none. */
  readonly status: RunStatus | undefined;
}

/** A node that dies more often than this is not restarted. */
const NODE_RESTARTS = 3;
const HOW_TO_START = 'press c at its terminal or Start at its page to let it move, or start it with --start now.';
/** File with the configuration for nodes, which read no YAML and check nothing again: written once, before anything starts. */
const beside = (socketPath: string): string => join(dirname(socketPath), 'config.v8');

/** Runs the robot until its time is over or `signal` is aborted. Rejects with `ReinError` if it cannot go on. */
export async function runRobot(options: RobotRunOptions): Promise<RobotRun> {
  // This process has a person's authority at the guard.
  refuseDebugger();
  const { request, signal, observer = SILENT_OBSERVER } = options;
  const { task, seed, robotId, config: overlay, learner, policy, out } = request;
  const needsVerdicts = learner !== undefined || options.recording !== undefined;
  const run = { command: LIVE_COMMAND, task, seed, robotId };
  const config = resolveConfig({ task, seed, overlay, needsVerdicts, run });
  const people = operatorsOf(request.operator, config.operators);
  checkDevices(people, config.task);
  checkDriver(placeOf(options, config));
  const prepared = await prepareRun({ config, learner, policy, out, signal, asksLearner: 'here' });
  const { folder, runId, lock } = prepared;
  try {
    observer.print(`run ${runId ?? 'not known before its learner answers'}, robot ${robotId}, files in ${folder.path}`);
    if (prepared.isLearnerAway) observer.print(awayLine(request, prepared));
    const limit = rungLimit(config.robot);
    // Printed in quiet mode too: a robot slower than its file's limits needs an explanation.
    if (limit !== undefined) process.stderr.write(`${limit.message}\n`);
    const slow = speedModeLine(config.robot, askedSpeedMode(request, config.task));
    if (slow !== undefined) process.stderr.write(`${slow}\n`);
    // An end requested while the folder was opened: no robot may move.
    signal.throwIfAborted();
    return await new RobotSupervision({ ...options, observer }, config, prepared).run();
  } finally {
    lock.release();
  }
}

function awayLine({ learner, policy }: RunRequest, { runId }: PreparedRun): string {
  const away = `No learner answers at ${learner}`;
  if (runId === undefined)
    return `${away}, and this folder has no run yet: the robot holds until the learner answers (rein learn).`;
  const otherwise = policy === undefined ? 'without any it holds' : 'without any the policy file acts';
  return `${away}: the last weights on disk act (${otherwise}), steps are kept, and sent when it answers.`;
}

function placeOf({ request, asked = OWN_PLACE }: RobotRunOptions, config: ResolvedConfig): DrivingPlace {
  const { operator } = request;
  return {
    ...asked,
    operator,
    demonstrations: undefined,
    listed: config.operators.map(({ kind }) => kind),
    pluggedIn: pluggedIn(),
    policy: isDecided(request, config.task) ? 'given' : 'none',
  };
}

const OWN_PLACE = { command: 'run', terminal: 'here', page: 'none' } as const;

/** Request as needed by the node: it loads third-party modules, so it does not learn where a token is. */
function withoutMonitor(request: RunRequest): RunRequest {
  const { monitor: _, monitorToken: _token, monitorCert: _cert, monitorKey: _key, ...rest } = request;
  return rest;
}

/** Start parameters of the guard at `socketPath`; also writes the node's configuration beside it. */
function startOfGuard(
  config: ResolvedConfig,
  { folder, signalNames }: PreparedRun,
  request: RunRequest,
  socketPath: string,
) {
  const checkedConfig = beside(socketPath);
  const speedMode = askedSpeedMode(request, config.task);
  // The node shows the speed limit.
  const robot = inSpeedMode(folder.config.robot, speedModeOf(config.robot, speedMode));
  storage(checkedConfig, () => writeFileSync(checkedConfig, serialize({ ...folder.config, robot })));
  return guardConfigOf(config, signalNames, { socketPath, authority: 'supervisor', speedMode });
}

type WatchedRun = RobotRunOptions & { readonly observer: RunObserver };

/** One run of both processes, with a person at the terminal. */
class RobotSupervision {
  readonly #options: WatchedRun;
  readonly #folder: RunFolder;
  readonly #processes: RobotProcesses;
  #status: RunStatus | undefined;

  constructor(options: WatchedRun, config: ResolvedConfig, prepared: PreparedRun) {
    const { request, observer } = options;
    const { folder, lock, runId } = prepared;
    // Start of the first node: its replacements end when it would have.
    let startedAtS: number | undefined;
    this.#options = options;
    this.#folder = folder;
    this.#processes = new RobotProcesses({
      guardLog: join(folder.path, GUARD_LOG),
      robot: config.robot,
      lock,
      guard: (socketPath) => startOfGuard(config, prepared, request, socketPath),
      node: (socketPath) => {
        startedAtS ??= new SystemClock().nowS();
        const checkedConfig = beside(socketPath);
        const isWatched = options.watcher !== undefined;
        const start: NodeStart = {
          request: withoutMonitor(request),
          checkedConfig,
          folder: folder.path,
          runId,
          socketPath,
          startedAtS,
          isWatched,
          recording: options.recording,
        };
        const modulePath = fileURLToPath(new URL('./node-process.js', import.meta.url));
        return { modulePath, args: [JSON.stringify(start)] };
      },
      comesUp: 'holding',
      supervision: {
        maxNodeRestarts: NODE_RESTARTS,
        stopLimitMs: guardStopMs(config.robot),
        onGuardReady: ({ isSimulated }) => this.#onReady(isSimulated),
      },
      print: (line) => observer.print(line),
      onNodeMessage: (message) => {
        const packet = packetIn(message);
        if (packet === undefined) this.#onNodeMessage(readLiveNodeMessage(message));
        else options.watcher?.packet(packet);
      },
    });
  }

  async run(): Promise<RobotRun> {
    const { signal } = this.#options;
    const stop = (): void => this.#processes.supervisor.stop();
    signal.addEventListener('abort', stop);
    const terminal = this.#openTerminal();
    this.#options.watcher?.asks((request) => this.#onRequest(request));
    try {
      const code = await this.#processes.run();
      if (code !== 0) throw new ReinError('environment', `The node ended with exit code ${code}, again and again.`);
    } finally {
      signal.removeEventListener('abort', stop);
      terminal?.close();
    }
    return { folder: this.#folder.path, status: this.#status };
  }

  /** No real robot moves before a person lets it here or at the monitor, unless it was started in order to move. */
  #onReady(isSimulated: boolean): void {
    const { start = isSimulated ? 'now' : 'ask', output } = this.#options.request;
    if (start === 'ask') {
      this.#processes.holdAtStart();
      // The node reports it too, but not in quiet mode.
      if (output === 'quiet') process.stderr.write(`rein: The robot holds: ${HOW_TO_START}\n`);
    } else this.#processes.letStart(isSimulated);
  }

  /** Absent if a shell would stop this process for reading it. */
  #openTerminal(): PersonTerminal | undefined {
    if (process.stdin.isTTY && !isInForeground()) return undefined;
    const report = (message: ToNodeMessage): void => this.#processes.supervisor.sendToNode(message);
    return new PersonTerminal(process.stdin, new SystemClock(), {
      onBytes: (bytes) => report({ kind: 'keys', bytes: Buffer.from(bytes).toString('base64') }),
      // The node gets these keys as well.
      onStop: () => this.#processes.stopRobot(),
      onGoOn: () => this.#processes.letGoOn(),
      onGiveBack: () => this.#processes.giveBack(),
      // A person who begins a demonstration looks at the robot.
      ...(this.#options.recording === undefined ? {} : { onEnter: () => this.#processes.giveBack() }),
      onInterrupt: this.#options.onInterrupt,
      onLost: () => report({ kind: 'keysLost' }),
    });
  }

  /** Requests that need a person's authority go to the guard from here; the node, which may hang, gets all of them too. */
  #onRequest(request: PersonRequest): void {
    const processes = this.#processes;
    if (request.kind === 'stop') processes.stopRobot();
    if (request.kind === 'start') processes.letGoOn();
    if (request.kind === 'reset') processes.acknowledge();
    if (request.kind === 'giveBack') processes.giveBack();
    if (request.kind === 'recordStart' && this.#options.recording !== undefined) processes.giveBack();
    const message: ToNodeMessage = { kind: 'person', request };
    processes.supervisor.sendToNode(message);
  }

  #onNodeMessage(message: LiveNodeMessage | undefined): void {
    const { observer } = this.#options;
    if (message?.kind === 'status') {
      this.#status = message.status;
      observer.status(message.status);
    } else if (message !== undefined) observer.print(message.line);
  }
}
