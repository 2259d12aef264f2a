/** Guard and node of one robot as two processes: what is wrong is found before either starts. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResolvedConfig } from '../../config/index.ts';
import { ReinError, refuseDebugger, SystemClock } from '../../core/index.ts';
import type { RunFolder } from '../run-folder.ts';
import type { RunObserver } from '../run-log.ts';
import type { RunStatus } from '../status.ts';
import { guardStopMs } from '../supervisor.ts';
import type { LiveNodeConfig, LiveNodeMessage, OperatorKind, ToNodeMessage } from './messages.ts';
import { isInForeground, PersonTerminal } from './person-terminal.ts';
import { guardConfigOf, type PreparedRun, prepareRun } from './prepare-run.ts';
import { GUARD_LOG, RobotProcesses } from './robot-processes.ts';

export interface RunRobotRequest {
  readonly config: ResolvedConfig;
  readonly robotId: string;
  /** The learner's `tcp://host:port`; `undefined`: nothing is sent. */
  readonly learner: string | undefined;
  readonly policy: string | undefined;
  readonly operator: OperatorKind;
  readonly durationS: number | undefined;
  /** Run folder; one of an earlier start is carried on. */
  readonly out: string | undefined;
  readonly observer: RunObserver;
  /** Asks for an orderly end: the arm brakes and holds, the node closes its files, the guard goes last. */
  readonly signal: AbortSignal;
  /** Ctrl+C was typed into the terminal, which gives keys and no signals. */
  readonly onInterrupt: () => void;
}

export interface RobotRun {
  readonly folder: string;
  /** The last that the node said; `undefined` when it was not heard of. */
  readonly status: RunStatus | undefined;
}

/** A node that dies more often than this is not started again. */
const NODE_RESTARTS = 3;

/** Runs the robot until its time is over or `signal` is aborted. Rejects with `ReinError` where it cannot go on. */
export async function runRobot(request: RunRobotRequest): Promise<RobotRun> {
  // This process speaks to the guard for people.
  refuseDebugger();
  checkDecider(request);
  const { config, learner, policy, out, signal } = request;
  const prepared = await prepareRun({ config, learner, policy, out, signal, asksLearner: 'here' });
  const { folder, runId } = prepared;
  request.observer.print(`run ${runId ?? 'of the learner'}, robot ${request.robotId}, files in ${folder.path}`);
  if (prepared.isLearnerAway) request.observer.print(awayLine(request, prepared));
  return new RobotSupervision(request, prepared).run();
}

function awayLine({ learner, policy }: RunRobotRequest, { runId }: PreparedRun): string {
  const away = `No learner answers at ${learner}`;
  if (runId === undefined)
    return `${away}, and this folder has met none: the robot holds until it is there (rein learn).`;
  const otherwise = policy === undefined ? 'without any it holds' : 'without any the policy file acts';
  return `${away}: the last weights on disk act (${otherwise}), steps are kept, and it is joined when it is there.`;
}

function checkDecider({ config, policy, learner, operator }: RunRobotRequest): void {
  if (policy !== undefined || learner !== undefined || operator === 'keyboard') return;
  if (config.task.policyPlugin !== undefined) return;
  throw new ReinError('policy', 'There is nothing that could decide: no policy and no learner.', {
    remedy: "Give --policy FILE, --learner tcp://host:port, or a policyPlugin in the task's file.",
  });
}

/** One run of both processes, with a person at the terminal. */
class RobotSupervision {
  readonly #request: RunRobotRequest;
  readonly #folder: RunFolder;
  readonly #processes: RobotProcesses;
  #status: RunStatus | undefined;

  constructor(request: RunRobotRequest, { folder, runId, signalNames }: PreparedRun) {
    const { config } = request;
    this.#request = request;
    this.#folder = folder;
    this.#processes = new RobotProcesses({
      guardLog: join(folder.path, GUARD_LOG),
      guard: (socketPath) => guardConfigOf(config, signalNames, { socketPath, authority: 'supervisor' }),
      node: (socketPath) => ({
        modulePath: fileURLToPath(new URL('./node-process.js', import.meta.url)),
        args: [JSON.stringify(nodeConfig(request, folder, runId, socketPath))],
      }),
      comesUp: 'holding',
      supervision: {
        maxNodeRestarts: NODE_RESTARTS,
        stopLimitMs: guardStopMs(config.robot),
        // Whoever starts a robot lets it move; after any stop somebody says so again.
        onGuardReady: ({ isSimulated }) => {
          if (!isSimulated) this.#processes.letStart();
        },
      },
      print: (line) => request.observer.print(line),
      onNodeMessage: (message) => this.#onNodeMessage(message as LiveNodeMessage),
    });
  }

  async run(): Promise<RobotRun> {
    const { signal } = this.#request;
    const stop = (): void => this.#processes.supervisor.stop();
    signal.addEventListener('abort', stop);
    const terminal = this.#openTerminal();
    try {
      const code = await this.#processes.run();
      if (code !== 0) throw new ReinError('environment', `The node ended with exit code ${code}, again and again.`);
    } finally {
      signal.removeEventListener('abort', stop);
      terminal?.close();
    }
    return { folder: this.#folder.path, status: this.#status };
  }

  /** Absent where a shell would stop this process for reading it. */
  #openTerminal(): PersonTerminal | undefined {
    if (process.stdin.isTTY && !isInForeground()) return undefined;
    const tell = (message: ToNodeMessage): void => this.#processes.supervisor.tellNode(message);
    return new PersonTerminal(process.stdin, new SystemClock(), {
      onBytes: (bytes) => tell({ kind: 'keys', bytes: Buffer.from(bytes).toString('base64') }),
      // The node hears these keys as well.
      onStop: () => this.#processes.stopRobot(),
      onGoOn: () => this.#processes.letGoOn(),
      onGiveBack: () => this.#processes.giveBack(),
      onInterrupt: this.#request.onInterrupt,
      onLost: () => tell({ kind: 'keysLost' }),
    });
  }

  #onNodeMessage(message: LiveNodeMessage): void {
    const { observer } = this.#request;
    if (message.kind === 'status') {
      this.#status = message.status;
      observer.status(message.status);
    } else observer.print(message.line);
  }
}

function nodeConfig(
  request: RunRobotRequest,
  folder: RunFolder,
  runId: string | undefined,
  socketPath: string,
): LiveNodeConfig {
  const { robotId, learner, policy, operator, durationS } = request;
  return {
    configFile: folder.configFile,
    folder: folder.path,
    robotId,
    socketPath,
    operator,
    startedAtS: new SystemClock().nowS(),
    ...(runId === undefined ? {} : { runId }),
    ...(learner === undefined ? {} : { learner }),
    ...(policy === undefined ? {} : { policy }),
    ...(durationS === undefined ? {} : { durationS }),
  };
}
