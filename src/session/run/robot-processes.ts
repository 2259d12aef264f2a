/**
 * Guard and node of one robot as separate processes: their start files, the guard's log, messages to people when one of them ends, and the
 * reason why neither can go on.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RobotConfig } from '../../config/index.ts';
import { driverKind } from '../../drivers/index.ts';
import { driverTitle, GUARD_NODE_FLAGS, type GuardConfig } from '../../guard/index.ts';
import { type DirectoryLock, failureIn, storage } from '../../host/index.ts';
import { holdsItself, parseObject, ReinError } from '../../model/index.ts';
import { encodeJson, type ProcessesView } from '../../rows/index.ts';
import type { PacketMessage } from '../person-request.ts';
import {
  busStopped,
  type ProgramSpec,
  Supervisor,
  type SupervisorEvent,
  type SupervisorOptions,
} from '../supervisor.ts';
import { GoOn } from './go-on.ts';

/** Time after which the end of a guard that its node has lost is known, ms. */
const GUARD_EXIT_MS = 500;

/** The guard's log in a run's folder: start and end of motion, lateness of ticks, problems. */
export const GUARD_LOG = 'guard.log';
const SOCKET_FILE = 'guard.sock';

export interface RobotProcessesOptions {
  /** File to which the guard's log is appended. */
  readonly guardLog: string;
  /** The robot, for a message on the state in which it is left when its guard is gone. */
  readonly robot?: GuardedRobot;
  /** Lock of the run folder: held by the guard while it runs, for it has the robot open if this process dies. */
  readonly lock?: Pick<DirectoryLock, 'handTo'>;
  /** Start parameters of the guard, by the path of its socket. */
  readonly guard: (socketPath: string) => GuardConfig;
  /** Start parameters of the node; `restart`: number of times that it died before. */
  readonly node: (socketPath: string, restart: number) => ProgramSpec;
  /** State in which a restarted node comes up, in the words of its operator. */
  readonly comesUp: 'holding' | 'inactive';
  readonly supervision: Omit<SupervisorOptions, 'driver' | 'guardLog' | 'guard' | 'node' | 'onEvent' | 'onNodeMessage'>;
  /** Prints a line for people. */
  readonly print: (line: string) => void;
  /**
   * Takes the node's messages, except its failure: arbitrary data, for third-party modules run in it. Must not throw. Whenever a process
   * begins or ends it also takes a packet of the running processes (`ProcessesView`), in the form of the node's own packets.
   */
  readonly onNodeMessage: (message: unknown) => void;
  /** Called when any process has ended, before that is judged. */
  readonly onEnded?: (event: EndedEvent) => void;
}

export type EndedEvent = SupervisorEvent & { readonly kind: 'ended' };

export class RobotProcesses {
  readonly supervisor: Supervisor;
  readonly #options: RobotProcessesOptions;
  readonly #scratch: string;
  readonly #logFd: number;
  /** Bytes of the log that belong to an earlier run. */
  readonly #loggedBytes: number;
  readonly #goOn: GoOn;
  #failure: ReinError | undefined;

  /**
   * Writes the guard's configuration; starts nothing. Throws `ReinError('storage')` if there is no place for socket, file or log; nothing
   * stays open then.
   */
  constructor(options: RobotProcessesOptions) {
    this.#options = options;
    this.#scratch = makeScratchFolder(SOCKET_FILE);
    const socketPath = join(this.#scratch, SOCKET_FILE);
    const guardFile = join(this.#scratch, 'guard.json');
    let guard: GuardConfig;
    try {
      guard = options.guard(socketPath);
      storage(guardFile, () => writeFileSync(guardFile, JSON.stringify(guard)));
      this.#logFd = openLog(options.guardLog);
      this.#loggedBytes = fstatSync(this.#logFd).size;
    } catch (error) {
      rmSync(this.#scratch, { recursive: true, force: true });
      throw error;
    }
    this.supervisor = new Supervisor({
      ...options.supervision,
      driver: driverTitle(guard),
      guardLog: options.guardLog,
      guard: {
        modulePath: fileURLToPath(new URL('../../guard/guard-process.js', import.meta.url)),
        args: [guardFile],
        nodeFlags: GUARD_NODE_FLAGS,
        errorsTo: this.#logFd,
      },
      node: (restart) => options.node(socketPath, restart),
      onEvent: (event) => this.#onEvent(event),
      onNodeMessage: (message) => this.#onNodeMessage(message),
    });
    this.#goOn = new GoOn((kind) => this.supervisor.ask({ kind }), options.print);
  }

  /** Runs both until they have ended; resolves with the exit code. Rejects with the reason why they could not begin or go on. */
  async run(): Promise<number> {
    process.on('uncaughtExceptionMonitor', sayFatal);
    try {
      const code = await this.supervisor.run();
      if (this.#failure !== undefined) throw this.#failure;
      return code;
    } catch (error) {
      // The guard's own message, if it could not start.
      throw this.#failure ?? explainedBy(this.#options.guardLog, error, this.#loggedBytes);
    } finally {
      process.off('uncaughtExceptionMonitor', sayFatal);
      closeSync(this.#logFd);
      rmSync(this.#scratch, { recursive: true, force: true });
    }
  }

  /** Ends both, for the reason `error` unless there is one already. */
  fail(error: ReinError): void {
    this.#failure ??= error;
    this.supervisor.stop();
  }

  /** Reason why neither can go on; `undefined` while both can. */
  get failure(): ReinError | undefined {
    return this.#failure;
  }

  /** Called when the robot is ready: it stands until a person lets it go on, also a simulated one. */
  holdAtStart(): void {
    void this.supervisor.ask({ kind: 'hold' }).catch(ignoreLoss);
  }

  /** Called when the robot is ready, and was started in order to move: a simulated one does so by itself. An earlier stop persists. */
  letStart(isSimulated: boolean): void {
    if (this.#goOn.isStopped) this.holdAtStart();
    else if (isSimulated) return;
    void this.#goOn.start().catch(ignoreLoss);
  }

  /** Called when a person has looked, and lets the robot go on. */
  letGoOn(): void {
    void this.#goOn.begin().catch(ignoreLoss);
  }

  /** Stops the robot at a person's request, bypassing its node, which may hang. */
  stopRobot(): void {
    this.#goOn.cancel();
    void this.supervisor.ask({ kind: 'stop' }).catch(ignoreLoss);
  }

  /** Called when a person has looked: acknowledges the cause of the stop; nothing moves. */
  acknowledge(): void {
    void this.supervisor.ask({ kind: 'acknowledge' }).catch(ignoreLoss);
  }

  /** Gives the robot back to its policy at a person's request. */
  giveBack(): void {
    void this.supervisor.ask({ kind: 'permit' }).catch(ignoreLoss);
  }

  #onEvent(event: SupervisorEvent): void {
    const { print, comesUp, supervision } = this.#options;
    // The supervisor updates its state after its event was handled.
    queueMicrotask(() => this.#tellProcesses());
    if (event.kind === 'restarting') {
      print(`The node is started again (${event.restart} of ${supervision.maxNodeRestarts}); it comes up ${comesUp}.`);
    } else if (event.kind === 'busStopped') print(busStopped(event));
    else if (event.kind === 'relayFailed') print(relayFailed(event.wanted));
    else if (event.kind === 'startsSlowly')
      print(`The guard compiles its tick before it opens the robot: this takes long. ${event.reason}`);
    else if (event.kind === 'started') {
      if (event.process === 'guard' && event.pid > 0) this.#handLockTo(event.pid);
    } else if (event.kind === 'ended') {
      if (event.process === 'guard') this.#handLockTo(process.pid);
      this.#options.onEnded?.(event);
      if (!event.isExpected) this.#onEnd(event);
    }
  }

  #tellProcesses(): void {
    const { pids, nodeRestarts, busPath = null } = this.supervisor;
    const view: ProcessesView = {
      pids: { ...pids, supervisor: process.pid },
      nodeRestarts,
      nodeRestartsMax: this.#options.supervision.maxNodeRestarts,
      bus: busPath,
    };
    const bytes = Buffer.from(encodeJson('processes', view)).toString('base64');
    this.#options.onNodeMessage({ kind: 'packet', bytes } satisfies PacketMessage);
  }

  #handLockTo(pid: number): void {
    try {
      storage(dirname(this.#options.guardLog), () => this.#options.lock?.handTo(pid));
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      this.fail(error);
    }
  }

  #onEnd({ process, how }: EndedEvent): void {
    const { print, supervision, guardLog, robot } = this.#options;
    if (process === 'guardian') print(`The guardian ended (${how}): the robot brakes and holds until it is back.`);
    else if (process === 'guard') {
      // If the guard is gone too, that is why the node failed.
      this.#failure = guardEnded(how, guardLog, robot);
    } else {
      const message = `The node ended (${how}): the guard brakes the robot and holds it.`;
      if (supervision.maxNodeRestarts === 0) {
        this.#failure ??= new ReinError('environment', message, { remedy: 'See what ended it, then begin again.' });
      } else if (this.#failure === undefined) print(message);
    }
  }

  #onNodeMessage(message: unknown): void {
    const error = failureIn(message);
    if (error === undefined) {
      this.#options.onNodeMessage(message);
      return;
    }
    // A restarted node would fail in the same way.
    if (error.kind !== 'link') {
      this.fail(error);
      return;
    }
    this.#failure ??= error;
    // A node may see that its guard is gone before this process does, which then reports how the guard ended.
    setTimeout(() => this.supervisor.stop(), GUARD_EXIT_MS);
  }
}

/**
 * Precedes Node's report of an error that ends this process: the guard sees that end, and brakes without it. Prints nothing if a program
 * handles such errors itself, for it may go on.
 */
export function sayFatal(error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void {
  if (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()) return;
  const lines = ['rein: The process that supervises the robot fails: the guard brakes the robot, holds it and ends.'];
  const isOfChannel = error instanceof SyntaxError && error.stack?.includes('node:internal/child_process') === true;
  if (isOfChannel && origin === 'uncaughtException') {
    lines.push('  → A module that writes into file descriptor 3, the channel of its process, does this.');
  }
  // Must stay where a display overwrites lines, and is printed in quiet mode too.
  process.stderr.write(`\n${lines.join('\n')}\n`);
}

/** Error when nothing is left that could move the robot. */
export function guardEnded(how: string, guardLog: string, robot?: GuardedRobot): ReinError {
  const message = `The guard ended (${how}): nothing can move the robot any more.`;
  return new ReinError('driver', message, { remedy: `${leftAs(robot)}${guardLog} says more.` });
}

/** The robot of a run. */
export type GuardedRobot = Pick<RobotConfig, 'holdsWithoutTorque' | 'base' | 'driver'>;

/** State in which the guardian leaves a robot whose guard is gone: it takes the torque off one on a bus of its own. */
function leftAs(robot: GuardedRobot | undefined): string {
  const isOnBus = robot !== undefined && driverKind(robot.driver.kind).needs === 'serial';
  if (!isOnBus) return '';
  if (robot.base !== undefined) return 'The guardian brakes its motor, and lets it coast then. ';
  return holdsItself(robot)
    ? 'The guardian takes its torque off: it holds itself. '
    : 'The guardian takes its torque off: the arm is limp. Hold it. ';
}

/** The end of a guard is reported elsewhere. */
function ignoreLoss(error: unknown): void {
  if (!(error instanceof ReinError)) throw error;
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    const remedy = 'Give --out a place that you may write to.';
    throw new ReinError('storage', `${path} cannot be written: ${(cause as Error).message}`, { remedy, cause });
  }
}

/** Longest path of a unix socket, bytes (`sun_path` less its final zero, unix(7)). Longer ones are truncated silently. */
const LONGEST_SOCKET_PATH = 107;
/** Number of characters that `mkdtemp` appends to its prefix. */
const RANDOM_LETTERS = 6;

/**
 * Creates a folder that only this user can enter, in the first suitable one of `places`, and returns its path; `fileName`: name of the
 * socket in it. Skips places that do not exist or whose paths would be too long. Throws `ReinError('storage')` if none is suitable.
 */
export function makeScratchFolder(fileName: string, places: readonly string[] = [tmpdir(), '/tmp']): string {
  const reasons: string[] = [];
  for (const place of places) {
    const prefix = join(place, 'rein-');
    const length = Buffer.byteLength(join(`${prefix}${'x'.repeat(RANDOM_LETTERS)}`, fileName));
    if (length > LONGEST_SOCKET_PATH) {
      reasons.push(`${place}: the path would have ${length} bytes, ${LONGEST_SOCKET_PATH} are allowed`);
      continue;
    }
    try {
      return mkdtempSync(prefix);
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new ReinError('storage', `There is no place for the guard's socket: ${reasons.join('; ')}.`, {
    remedy: 'Set TMPDIR to a folder with a short path that you may write to.',
  });
}

/** Returns `error` in the guard's own words, if its log at `path` has any after its first `skippedBytes`. */
export function explainedBy(path: string, error: unknown, skippedBytes = 0): unknown {
  if (!(error instanceof ReinError)) return error;
  const said = lastError(readFileSync(path).subarray(skippedBytes).toString('utf8'));
  if (said === undefined) return error;
  return new ReinError(error.kind, said.msg, { remedy: said.remedy });
}

/** The last line at level error or above in a log of JSON lines. */
function lastError(log: string): { readonly msg: string; readonly remedy?: string } | undefined {
  for (const line of log.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    // Skips a truncated line (disk full, or the guard died while writing it).
    const entry = parseObject(line) as
      | { readonly level: number; readonly msg: string; readonly remedy?: string }
      | undefined;
    if (entry !== undefined && entry.level >= 50) return entry;
  }
  return undefined;
}

function relayFailed(wanted: 'closed' | 'open'): string {
  return wanted === 'open'
    ? 'THE POWER RELAY DID NOT OPEN: cut the power by the emergency stop. No torque comes on until it opens.'
    : 'The power relay did not close, so no torque comes on: see powerRelay of the robot file, and the rights to its path.';
}
