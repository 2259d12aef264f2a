/** Identification of an arm in real time: guard and node as processes of their own, and a person who lets a real arm move. */
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RobotConfig } from '../config/index.ts';
import { ReinError, refuseDebugger, SystemClock } from '../core/index.ts';
import { type DriverSpec, worldOf } from '../drivers/index.ts';
import { GUARD_NODE_FLAGS, type GuardConfig } from '../guard/index.ts';
import {
  busStopped,
  explainedBy,
  GoOn,
  guardStopMs,
  isInForeground,
  makeScratchFolder,
  PersonTerminal,
  Supervisor,
  type SupervisorEvent,
} from '../session/index.ts';
import { Consent } from './consent.ts';
import { type Identification, noTorque } from './evaluate.ts';
import { type IdentifyNodeConfig, type IdentifyNodeMessage, unpackIdentification } from './identify-messages.ts';
import { excitationOf } from './motion-plan.ts';
import { armDriver, watched } from './open-arm.ts';
import { actionPeriodS, identifyAction } from './path-follower.ts';

export interface IdentifyRobotRequest {
  readonly robot: RobotConfig;
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
  /** What the guard logs is added to this file: when the arm was moved and stood, what went wrong. */
  readonly guardLog: string;
  readonly print: (line: string) => void;
  readonly onProgress: (passedS: number, wholeS: number) => void;
  /** Asks for an orderly end: the arm brakes and holds, the guard goes last. */
  readonly signal: AbortSignal;
  /** Ctrl+C was typed into the terminal, which gives keys and no signals. */
  readonly onInterrupt: () => void;
}

const SOCKET_FILE = 'guard.sock';
/** How a guard ends that has left the arm as it should. */
const GOOD_END = 'exit code 0';

/** Rejects with `ReinError` where the arm cannot be identified, and with the reason of `signal` once that is aborted. */
export async function identifyRobot(request: IdentifyRobotRequest): Promise<Identification> {
  // This process speaks to the guard for people.
  refuseDebugger();
  excitationOf({ ...request, model: request.robot });
  const driver = armDriver(request.robot);
  if (worldOf(request.robot.driver) === 'real' && !(process.stdin.isTTY && isInForeground())) {
    throw new ReinError('environment', `${request.robot.name} is real: it moves when a person at a terminal lets it.`, {
      remedy: 'Start it in a terminal of its own, in the foreground, beside the arm.',
    });
  }
  const scratch = makeScratchFolder(SOCKET_FILE);
  const guardLog = openLog(request.guardLog);
  try {
    return await new IdentifySupervision(request, driver, scratch, guardLog).run();
  } finally {
    closeSync(guardLog);
    rmSync(scratch, { recursive: true, force: true });
  }
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    const remedy = 'Give --out a file in a folder that you may write to.';
    throw new ReinError('storage', `${path} cannot be written: ${(cause as Error).message}`, { remedy, cause });
  }
}

/** One identification with both processes. */
class IdentifySupervision {
  readonly #request: IdentifyRobotRequest;
  readonly #supervisor: Supervisor;
  readonly #goOn: GoOn;
  readonly #consent: Consent = new Consent();
  readonly #clock: SystemClock = new SystemClock();
  #found: Identification | undefined;
  #failure: ReinError | undefined;
  #isSimulated = false;

  constructor(request: IdentifyRobotRequest, driver: DriverSpec, scratch: string, guardLog: number) {
    this.#request = request;
    const socketPath = join(scratch, SOCKET_FILE);
    const guardFile = join(scratch, 'guard.json');
    const nodeFile = join(scratch, 'node.json');
    writeFileSync(guardFile, JSON.stringify(guardConfig(request, driver, socketPath)));
    this.#supervisor = new Supervisor({
      guard: {
        modulePath: program('../guard/guard-process.js'),
        args: [guardFile],
        nodeFlags: GUARD_NODE_FLAGS,
        errorsTo: guardLog,
      },
      node: () => {
        // Only the guard's driver knows whether anything real moves.
        const arm = armOf(this.#isSimulated, this.#request.robot);
        writeFileSync(nodeFile, JSON.stringify(nodeConfig(request, socketPath, arm)));
        return { modulePath: program('./identify-process.js'), args: [nodeFile] };
      },
      // Half a minute of motion is none.
      maxNodeRestarts: 0,
      stopLimitMs: guardStopMs(request.robot),
      onEvent: (event) => this.#onEvent(event),
      onNodeMessage: (message) => this.#onNodeMessage(message as IdentifyNodeMessage),
      onGuardReady: ({ isSimulated, measuresTorque }) => {
        this.#isSimulated = isSimulated;
        if (measuresTorque) return;
        this.#fail(noTorque(request.robot.joints.map(({ name }) => name)));
        this.#supervisor.stop();
      },
    });
    this.#goOn = new GoOn((kind) => this.#supervisor.ask({ kind }), request.print);
  }

  async run(): Promise<Identification> {
    const { signal, guardLog } = this.#request;
    signal.throwIfAborted();
    const stop = (): void => this.#supervisor.stop();
    signal.addEventListener('abort', stop);
    const terminal = this.#openTerminal();
    let code = 0;
    try {
      code = await this.#supervisor.run();
    } catch (error) {
      if (!signal.aborted) throw this.#failure ?? explainedBy(guardLog, error);
    } finally {
      signal.removeEventListener('abort', stop);
      terminal?.close();
    }
    // Somebody ended it, and is told what went wrong meanwhile.
    if (signal.aborted && this.#failure !== undefined) this.#request.print(this.#failure.message);
    signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#found !== undefined && code === 0) return this.#found;
    throw new ReinError('environment', 'The identification ended without a result.', {
      remedy: `${guardLog} says what the guard did.`,
    });
  }

  /** Absent where nobody is there, which only a simulated arm allows. */
  #openTerminal(): PersonTerminal | undefined {
    if (process.stdin.isTTY !== true || !isInForeground()) return undefined;
    return new PersonTerminal(process.stdin, this.#clock, {
      onBytes: () => undefined,
      onStop: () => {
        this.#consent.end();
        this.#goOn.cancel();
        void this.#supervisor.ask({ kind: 'stop' }).catch(ignoreLoss);
      },
      onGoOn: () => {
        if (this.#consent.takes(this.#clock.nowS())) void this.#goOn.begin().catch(ignoreLoss);
      },
      onGiveBack: () => undefined,
      onInterrupt: this.#request.onInterrupt,
      onLost: () => {
        this.#fail(new ReinError('environment', 'The terminal has gone away: nobody could stop the arm.'));
        this.#supervisor.stop();
      },
    });
  }

  #onNodeMessage(message: IdentifyNodeMessage): void {
    const { print, onProgress } = this.#request;
    if (message.kind === 'announced') {
      for (const line of message.lines) print(line);
      this.#consent.announced(this.#clock.nowS());
      return;
    }
    if (message.kind === 'progress') {
      onProgress(message.passedS, message.wholeS);
      return;
    }
    this.#consent.end();
    if (message.kind === 'found') this.#found = unpackIdentification(message.packed);
    else {
      const { kind, message: text, remedy } = message.error;
      this.#fail(new ReinError(kind, text, remedy === undefined ? {} : { remedy }));
    }
  }

  #onEvent(event: SupervisorEvent): void {
    if (event.kind === 'busStopped') this.#request.print(busStopped(event));
    if (event.kind !== 'ended') return;
    if (event.process === 'node') this.#consent.end();
    // One that lets the arm down may fail at that.
    const isRight = event.process === 'guard' ? event.how === GOOD_END : event.isExpected;
    if (isRight) return;
    const remedy = `${this.#request.guardLog} says more.`;
    if (event.process === 'guard') {
      const sentence = `The guard ended (${event.how}): nothing can move the arm any more.`;
      const failure = new ReinError('driver', sentence, { remedy });
      // Why its node failed, too; not where it was ended after that.
      if (event.isExpected) this.#fail(failure);
      else this.#failure = failure;
    } else if (event.process === 'guardian') {
      this.#request.print(`The guardian ended (${event.how}): the arm brakes and holds.`);
    } else {
      const sentence = `The node ended (${event.how}): the guard brakes the arm and holds it.`;
      this.#fail(new ReinError('environment', sentence, { remedy: 'See what ended it, then begin again.' }));
    }
  }

  /** The first reason counts. */
  #fail(failure: ReinError): void {
    this.#failure ??= failure;
  }
}

function armOf(isSimulated: boolean, robot: RobotConfig): IdentifyNodeConfig['arm'] {
  if (!isSimulated) return 'real';
  return worldOf(robot.driver) === 'scene' ? 'resettable' : 'simulated';
}

function guardConfig({ robot }: IdentifyRobotRequest, driver: DriverSpec, socketPath: string): GuardConfig {
  const { driver: _, ...arm } = robot;
  const model = watched(arm);
  return {
    ...{ model, action: identifyAction(model), policyPeriodS: actionPeriodS(model), driver, socketPath },
    authority: 'supervisor',
    realTimePriority: 'try',
  };
}

function nodeConfig(
  { robot, durationS, filterS, seed }: IdentifyRobotRequest,
  socketPath: string,
  arm: IdentifyNodeConfig['arm'],
): IdentifyNodeConfig {
  return { model: watched(robot), socketPath, durationS, filterS, seed, arm };
}

/** A guard that has ended is told of elsewhere. */
function ignoreLoss(error: unknown): void {
  if (!(error instanceof ReinError)) throw error;
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
