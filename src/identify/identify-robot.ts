/** Identification of an arm in real time: guard and node as separate processes, and a person who permits a real arm to move. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RobotConfig } from '../config/index.ts';
import { type DriverSpec, worldOf } from '../drivers/index.ts';
import type { GuardConfig } from '../guard/index.ts';
import { refuseDebugger } from '../host/index.ts';
import { ReinError, SystemClock } from '../model/index.ts';
import { guardEnded, guardStopMs, isInForeground, PersonTerminal, RobotProcesses } from '../session/supervision.ts';
import { type Identification, noTorque } from './evaluate.ts';
import {
  type IdentifyNodeConfig,
  type IdentifyNodeMessage,
  readNodeMessage,
  unpackIdentification,
} from './identify-messages.ts';
import { excitationOf } from './motion-plan.ts';
import { armDriver, watched } from './open-arm.ts';
import { actionPeriodS, identifyAction } from './path-follower.ts';

export interface IdentifyRobotRequest {
  readonly robot: RobotConfig;
  readonly durationS: number;
  readonly filterS: number;
  readonly seed: number;
  /** File to which the guard's log is appended: motion, rest and faults of the arm. */
  readonly guardLog: string;
  readonly print: (line: string) => void;
  readonly onProgress: (passedS: number, wholeS: number) => void;
  /** Requests an orderly end: the arm brakes and holds, the guard ends last. */
  readonly signal: AbortSignal;
  /** Called for Ctrl+C typed into the terminal, which delivers keys and no signals in raw mode. */
  readonly onInterrupt: () => void;
}

/** Exit of a guard that has left the arm in order. */
const GOOD_END = 'exit code 0';

/** Rejects with `ReinError` if the arm cannot be identified, and with the reason of `signal` once that is aborted. */
export async function identifyRobot(request: IdentifyRobotRequest): Promise<Identification> {
  // This process talks to the guard on behalf of the operator.
  refuseDebugger();
  excitationOf({ ...request, model: request.robot });
  const driver = armDriver(request.robot);
  if (worldOf(request.robot.driver) === 'real' && !(process.stdin.isTTY && isInForeground())) {
    throw new ReinError('environment', `${request.robot.name} is real: a person at a terminal must let it move.`, {
      remedy: 'Start it in a terminal of its own, in the foreground, beside the arm.',
    });
  }
  request.signal.throwIfAborted();
  return new IdentifySupervision(request, driver).run();
}

/** One identification with both processes. */
class IdentifySupervision {
  readonly #request: IdentifyRobotRequest;
  readonly #processes: RobotProcesses;
  readonly #consent: Consent = new Consent();
  readonly #clock: SystemClock = new SystemClock();
  #found: Identification | undefined;
  #isSimulated = false;

  constructor(request: IdentifyRobotRequest, driver: DriverSpec) {
    this.#request = request;
    this.#processes = new RobotProcesses({
      guardLog: request.guardLog,
      guard: (socketPath) => guardConfig(request, driver, socketPath),
      node: (socketPath) => {
        // Only the guard's driver knows whether a real arm moves.
        const arm = armOf(this.#isSimulated, request.robot);
        const nodeFile = join(dirname(socketPath), 'node.json');
        writeFileSync(nodeFile, JSON.stringify(nodeConfig(request, socketPath, arm)));
        return { modulePath: fileURLToPath(new URL('./identify-process.js', import.meta.url)), args: [nodeFile] };
      },
      comesUp: 'holding',
      supervision: {
        // Half a minute of motion is useless.
        maxNodeRestarts: 0,
        stopLimitMs: guardStopMs(request.robot),
        onGuardReady: ({ isSimulated, measuresTorque }) => {
          this.#isSimulated = isSimulated;
          if (!measuresTorque) this.#processes.fail(noTorque(request.robot.joints.map(({ name }) => name)));
        },
      },
      print: request.print,
      onNodeMessage: (message) => this.#onNodeMessage(readNodeMessage(message)),
      onEnded: ({ process, how, isExpected }) => {
        if (process === 'node') this.#consent.end();
        // A guard that lets the arm down may fail while doing so.
        if (process === 'guard' && isExpected && how !== GOOD_END) {
          this.#processes.fail(guardEnded(how, request.guardLog));
        }
      },
    });
  }

  async run(): Promise<Identification> {
    const { signal, guardLog, print } = this.#request;
    const stop = (): void => this.#processes.supervisor.stop();
    signal.addEventListener('abort', stop);
    const terminal = this.#openTerminal();
    let code = 0;
    try {
      code = await this.#processes.run();
    } catch (error) {
      if (!signal.aborted) throw error;
      // The user ended it, and reads what failed meanwhile.
      if (this.#processes.failure !== undefined) print(this.#processes.failure.message);
      throw signal.reason;
    } finally {
      signal.removeEventListener('abort', stop);
      terminal?.close();
    }
    signal.throwIfAborted();
    if (this.#found !== undefined && code === 0) return this.#found;
    throw new ReinError('environment', 'The identification ended without a result.', {
      remedy: `See ${guardLog} for what the guard did.`,
    });
  }

  /** Undefined without a person at a terminal, which only a simulated arm allows. */
  #openTerminal(): PersonTerminal | undefined {
    if (process.stdin.isTTY !== true || !isInForeground()) return undefined;
    return new PersonTerminal(process.stdin, this.#clock, {
      onBytes: () => undefined,
      onStop: () => {
        this.#consent.end();
        this.#processes.stopRobot();
      },
      onGoOn: () => {
        if (this.#consent.takes(this.#clock.nowS())) this.#processes.letGoOn();
      },
      onGiveBack: () => undefined,
      onInterrupt: this.#request.onInterrupt,
      onLost: () =>
        this.#processes.fail(new ReinError('environment', 'The terminal is gone: the operator cannot stop the arm.')),
    });
  }

  #onNodeMessage(message: IdentifyNodeMessage | undefined): void {
    if (message === undefined) return;
    const { print, onProgress } = this.#request;
    if (message.kind === 'announced') {
      for (const line of message.lines) print(line);
      this.#consent.announced(this.#clock.nowS());
    } else if (message.kind === 'progress') onProgress(message.passedS, message.wholeS);
    else {
      this.#consent.end();
      this.#found = unpackIdentification(message.packed);
    }
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
    model,
    action: identifyAction(model),
    policyPeriodS: actionPeriodS(model),
    driver,
    socketPath,
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

/** Time to read the announcement, s: a key pressed earlier does not count as consent, nor one held down all the while. */
const READING_S = 1;

/** Decides whether a key that permits motion answers the announcement, and nothing before or after it. */
export class Consent {
  #fromS = Number.POSITIVE_INFINITY;

  /** Called when the motion was announced, at `nowS`. */
  announced(nowS: number): void {
    this.#fromS = nowS + READING_S;
  }

  /** Called when nothing will move any more. */
  end(): void {
    this.#fromS = Number.POSITIVE_INFINITY;
  }

  /** True if the key pressed at `nowS` counts. */
  takes(nowS: number): boolean {
    if (nowS >= this.#fromS) return true;
    if (Number.isFinite(this.#fromS)) this.#fromS = nowS + READING_S;
    return false;
  }
}
