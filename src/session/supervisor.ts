/**
 * Starts guard and node as separate processes and orders their end: the robot stops first, the node closes its files, the guard ends last.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { DRIVER_OPEN_LIMIT_MS } from '../drivers/index.ts';
import {
  Guardian,
  type GuardianEvent,
  lostError,
  PendingAnswers,
  readAnswer,
  readBusMessage,
  type StopCause,
} from '../guard/index.ts';
import { howEnded, type MachineLoad, machineLoad, sendToChild } from '../host/index.ts';
import { asObject, exitRampOf, ReinError, type RobotModel } from '../model/index.ts';
import type { GuardAnswer, GuardRequest } from '../rows/index.ts';
import { StartLimit } from './start-limit.ts';

const STOP_LIMIT_MS = 5000;
/** Signals for which a guard has handlers. */
const GUARD_HEARS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** A program of Rein and its arguments. */
export interface ProgramSpec {
  /** Path of a compiled module. */
  readonly modulePath: string;
  readonly args: readonly string[];
  /** Flags for Node itself. Default none; a guard needs `GUARD_NODE_FLAGS`. */
  readonly nodeFlags?: readonly string[];
  /** File descriptor of this process for the program's standard error. Default: this process's own. */
  readonly errorsTo?: number;
}

/** Time limit for the end of a guard of `robot`, ms: an arm that falls without torque is let down first. */
export function guardStopMs(
  robot: Pick<RobotModel, 'holdsWithoutTorque' | 'exitRampS'>,
  plainMs: number = STOP_LIMIT_MS,
): number {
  return plainMs + 1e3 * exitRampOf(robot);
}

/** Message of a `busStopped` event. */
export function busStopped({ by, cause, repeats, tookMs }: Extract<SupervisorEvent, { kind: 'busStopped' }>): string {
  const why = cause === 'guardDied' ? 'The guard died' : 'The guard is silent';
  if (repeats === 0) return `${why}, and the bus took no stop frame: cut the robot's power.`;
  return `${why}: the ${by} stopped the bus (${repeats} times, within ${Math.ceil(tookMs)} ms).`;
}

export interface SupervisorOptions {
  readonly guard: ProgramSpec;
  /** Start parameters of the node; `restart`: number of times that it died before. */
  readonly node: ProgramSpec | ((restart: number) => ProgramSpec);
  /** `afterGuard`: once the guard has opened the robot. `besideGuard`: at once; the node waits for the guard. Default `afterGuard`. */
  readonly nodeStarts?: 'afterGuard' | 'besideGuard';
  /** Number of restarts of a node that died; it comes up without permission to move the robot. */
  readonly maxNodeRestarts: number;
  /** Called at every start and end, for logs and people. */
  readonly onEvent: (event: SupervisorEvent) => void;
  /** Receives the node's messages. Default: they are ignored. */
  readonly onNodeMessage?: (message: unknown) => void;
  /** Called when the guard has opened the robot: whether it is simulated, and whether its driver measures torques. */
  readonly onGuardReady?: (robot: { readonly isSimulated: boolean; readonly measuresTorque: boolean }) => void;
  /** Name of the driver in messages, default `the driver`. */
  readonly driver?: string;
  /** Name of the guard's log in messages, default `its log`. */
  readonly guardLog?: string;
  /** Time limit for opening the robot once the guard's tick is compiled, ms; longer on a busy machine. Default `DRIVER_OPEN_LIMIT_MS`. */
  readonly startLimitMs?: number;
  /** Load of the machine. Default: as the machine reports it. */
  readonly load?: () => MachineLoad;
  /** Time limit for the end of a process on request, ms. Default 5000; the guard gets the same. */
  readonly stopLimitMs?: number;
  /** The same for the node, if it gets less. */
  readonly nodeStopLimitMs?: number;
}

export type ProcessName = 'guard' | 'node' | 'guardian';

export type SupervisorEvent =
  | { readonly kind: 'started'; readonly process: ProcessName; readonly pid: number }
  | { readonly kind: 'ended'; readonly process: ProcessName; readonly how: string; readonly isExpected: boolean }
  /** The relay of the actuators' power did not switch as the guardian requested. */
  | { readonly kind: 'relayFailed'; readonly wanted: 'closed' | 'open' }
  /** The guard takes long before it opens the robot, because of `reason`. */
  | { readonly kind: 'startsSlowly'; readonly reason: string }
  | { readonly kind: 'restarting'; readonly process: ProcessName; readonly restart: number }
  /** The stop frames were written, `repeats` times; 0: the bus took none. `by`: the supervisor if no guardian was left. */
  | {
      readonly kind: 'busStopped';
      readonly by: 'guardian' | 'supervisor';
      readonly cause: StopCause;
      readonly repeats: number;
      readonly tookMs: number;
    };

/**
 * Runs both programs until they end, or until `stop`.
 *
 * If the node ends with code 0, everything ends in order. If it dies otherwise, the guard is asked to stop the robot at once, and the node
 * is restarted. If the guard dies, the node ends too: nothing is left that could move the robot. If the driver has a bus of its own, a
 * guardian runs beside the guard and stops the bus when the guard dies or is silent; a guardian that dies is restarted, and the guard holds
 * the robot meanwhile.
 */
export class Supervisor {
  readonly #options: Required<SupervisorOptions>;
  #guard: ChildProcess | undefined;
  #node: ChildProcess | undefined;
  #guardian: Guardian | undefined;
  #busPath: string | undefined;
  #isEnding = false;
  #isAsked = false;
  #restarts = 0;
  /** Error that kept a node from being started. */
  #failure: unknown;
  readonly #answers = new PendingAnswers();
  #finish: (exitCode: number) => void = () => undefined;

  constructor(options: SupervisorOptions) {
    const stopLimitMs = options.stopLimitMs ?? STOP_LIMIT_MS;
    this.#options = {
      driver: 'the driver',
      guardLog: 'its log',
      startLimitMs: DRIVER_OPEN_LIMIT_MS,
      load: machineLoad,
      stopLimitMs,
      nodeStopLimitMs: Math.min(stopLimitMs, STOP_LIMIT_MS),
      nodeStarts: 'afterGuard',
      onNodeMessage: () => undefined,
      onGuardReady: () => undefined,
      ...options,
    };
  }

  /** Ids of the running processes. */
  get pids(): { readonly [P in ProcessName]?: number | undefined } {
    return { guard: this.#guard?.pid, node: this.#node?.pid, guardian: this.#guardian?.pid };
  }

  /** Path of the bus of the guard's driver; `undefined` if it has none, or has not reported it yet. */
  get busPath(): string | undefined {
    return this.#busPath;
  }

  /** Number of restarts of the node. */
  get nodeRestarts(): number {
    return this.#restarts;
  }

  /** Starts guard and node. Resolves with the exit code when both have ended: 0 if all went as requested. After `stop` nothing starts. */
  async run(): Promise<number> {
    if (this.#isAsked) return 0;
    const finished = new Promise<number>((resolve) => {
      this.#finish = resolve;
    });
    const isReady = this.#startGuard();
    if (this.#options.nodeStarts === 'besideGuard') this.#startNode();
    try {
      await isReady;
    } catch (error) {
      this.#isEnding = true;
      await this.#endProcess(this.#node, this.#options.nodeStopLimitMs);
      await this.#endProcess(this.#guard, this.#options.stopLimitMs);
      await this.#endGuardian(true);
      if (this.#isAsked) return 0;
      throw this.#failure ?? error;
    }
    if (!this.#isEnding && this.#node === undefined) this.#startNode();
    const exitCode = await finished;
    if (this.#failure !== undefined) throw this.#failure;
    return exitCode;
  }

  /** Requests an orderly end: robot, node, guard. Idempotent. */
  stop(): void {
    this.#isAsked = true;
    if (!this.#isEnding) void this.#end(0);
  }

  /** Sends the guard a request on behalf of a person: no other process has this channel. Rejects when the guard is gone. */
  ask(request: GuardRequest): Promise<GuardAnswer> {
    const guard = this.#guard;
    if (guard?.connected !== true) return Promise.reject(lostError('it has ended'));
    return this.#answers.ask((id) => sendToChild(guard, { id, request }));
  }

  /** Sends the node a message, if there is one. */
  sendToNode(message: { readonly kind: string }): void {
    sendToChild(this.#node, message);
  }

  /** Makes Ctrl+C and SIGTERM of this process stop both; the returned function removes the handlers. */
  forwardSignals(): () => void {
    const onSignal = (): void => this.stop();
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    return () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }

  async #startGuard(): Promise<void> {
    const guard = this.#start('guard', this.#options.guard);
    this.#guard = guard;
    let isDone = false;
    guard.on('message', (message: unknown) => {
      const { kind, isOrderly } = asObject(message) ?? {};
      if (kind === 'ended') isDone = isOrderly === true;
      const answer = kind === 'answer' ? readAnswer(message) : undefined;
      if (answer !== undefined) this.#answers.settle(answer.id, answer.answer);
    });
    await this.#untilReady(guard);
    guard.once('exit', (code, signal) => {
      // A guard that has finished may still be ended by a signal that arrives as Node removes its handlers.
      const isOrderly = code === 0 || (isDone && signal !== null && GUARD_HEARS.includes(signal));
      this.#report('guard', isOrderly ? 0 : code, isOrderly ? null : signal);
      this.#guard = undefined;
      this.#answers.fail('it has ended');
      // The robot comes first, whatever else is to be done.
      void this.#endGuardian(isOrderly);
      if (!this.#isEnding) void this.#end(1);
    });
  }

  /** Resolves when the guard has opened the robot; rejects if it ends first, or takes too long. */
  #untilReady(guard: ChildProcess): Promise<void> {
    const { startLimitMs, driver, guardLog, load, onEvent } = this.#options;
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => {
        limit.end();
        guard.kill('SIGTERM');
        reject(error);
      };
      const limit = new StartLimit({
        driver,
        driverLimitMs: startLimitMs,
        load,
        onSlow: (reason) => onEvent({ kind: 'startsSlowly', reason }),
        onLate: refuse,
      });
      guard.on('message', (message: unknown) => {
        const { kind, isSimulated, measuresTorque } = asObject(message) ?? {};
        if (kind === 'opening') limit.opening();
        if (kind === 'bus' && this.#guardian === undefined) {
          try {
            this.#startGuardian(guard, message);
          } catch (error) {
            refuse(error);
          }
        }
        if (kind !== 'ready') return;
        limit.end();
        guard.off('exit', onExit);
        resolve();
        this.#options.onGuardReady({
          isSimulated: isSimulated === true,
          measuresTorque: measuresTorque !== false,
        });
      });
      const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.#guard = undefined;
        const why = `The guard ended before it was ready (${howEnded(code, signal)}).`;
        refuse(new ReinError('driver', why, { remedy: `See ${guardLog}.` }));
      };
      guard.once('exit', onExit);
    });
  }

  #startGuardian(guard: ChildProcess, message: unknown): void {
    const bus = readBusMessage(message);
    if (bus === undefined) {
      throw new ReinError('driver', `The guard reports a bus that cannot be watched: ${JSON.stringify(message)}.`, {
        remedy: 'Check the bus and the stop frames that the driver reports.',
      });
    }
    this.#busPath = bus.bus.path;
    this.#guardian = new Guardian(bus, {
      errorsTo: this.#options.guard.errorsTo,
      onReady: (pipes) => sendToChild(guard, pipes),
      onEvent: (event) => this.#onGuardianEvent(event),
    });
  }

  #onGuardianEvent(event: GuardianEvent): void {
    const { onEvent } = this.#options;
    if (event.kind === 'stopped') onEvent({ ...event, kind: 'busStopped' });
    else if (event.kind === 'relayFailed') onEvent(event);
    else if (event.kind === 'started') onEvent({ kind: 'started', process: 'guardian', pid: event.pid });
    else onEvent({ kind: 'ended', process: 'guardian', how: event.how, isExpected: false });
  }

  /** Waits until the guardian of a guard that has ended is done, and has stopped the bus if necessary. */
  async #endGuardian(isOrderly: boolean): Promise<void> {
    await this.#guardian?.end(isOrderly);
    this.#guardian = undefined;
  }

  #startNode(): void {
    const { node: spec } = this.#options;
    let program: ProgramSpec;
    try {
      program = typeof spec === 'function' ? spec(this.#restarts) : spec;
    } catch (error) {
      this.#failure = error;
      void this.#end(1);
      return;
    }
    const node = this.#start('node', program);
    this.#node = node;
    node.on('message', this.#options.onNodeMessage);
    node.once('exit', (code, signal) => {
      this.#report('node', code, signal);
      this.#node = undefined;
      if (this.#isEnding) return;
      if (code === 0) {
        void this.#end(0);
        return;
      }
      this.#askGuardToStop();
      if (this.#restarts >= this.#options.maxNodeRestarts) {
        void this.#end(code ?? 1);
        return;
      }
      this.#restarts++;
      this.#options.onEvent({ kind: 'restarting', process: 'node', restart: this.#restarts });
      this.#startNode();
    });
  }

  #start(process: ProcessName, program: ProgramSpec): ChildProcess {
    const child = fork(program.modulePath, [...program.args], {
      // Keys belong to people, and so to this process: a program that runs a policy must not read them.
      stdio: ['ignore', 'inherit', program.errorsTo ?? 'inherit', 'ipc'],
      execArgv: [...(program.nodeFlags ?? [])],
    });
    // A child that could not be started has no exit event, only an error. An error of a running child ends nothing.
    child.on('error', () => {
      if (child.pid === undefined) child.emit('exit', 1, null);
    });
    this.#options.onEvent({ kind: 'started', process, pid: child.pid ?? -1 });
    return child;
  }

  async #end(exitCode: number): Promise<void> {
    this.#isEnding = true;
    this.#askGuardToStop();
    await this.#endProcess(this.#node, this.#options.nodeStopLimitMs);
    await this.#endProcess(this.#guard, this.#options.stopLimitMs);
    await this.#endGuardian(true);
    this.#finish(exitCode);
  }

  async #endProcess(child: ChildProcess | undefined, limitMs: number): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.kill('SIGTERM');
    });
  }

  #askGuardToStop(): void {
    sendToChild(this.#guard, { kind: 'stop' });
  }

  #report(name: ProcessName, code: number | null, signal: NodeJS.Signals | null): void {
    const isExpected = this.#isEnding || code === 0;
    this.#options.onEvent({ kind: 'ended', process: name, how: howEnded(code, signal), isExpected });
  }
}
