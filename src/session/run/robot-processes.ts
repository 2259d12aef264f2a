/**
 * Guard and node of one robot as processes of their own: the files they are started with, the guard's log, what people are
 * told when one of them ends, and the reason why neither can go on.
 */
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../core/index.ts';
import { GUARD_NODE_FLAGS, type GuardConfig } from '../../guard/index.ts';
import {
  busStopped,
  type ProgramSpec,
  Supervisor,
  type SupervisorEvent,
  type SupervisorOptions,
} from '../supervisor.ts';
import { explainedBy, GUARD_LOG } from './guard-log.ts';
import type { FailedMessage } from './parent-channel.ts';
import { makeScratchFolder } from './scratch-folder.ts';

const SOCKET_FILE = 'guard.sock';

export interface RobotProcessesOptions {
  /** Folder of the run, which the guard logs into. */
  readonly folder: string;
  /** What the guard is started with, by the path of its socket. */
  readonly guard: (socketPath: string) => GuardConfig;
  /** What the node is started with; `restart` counts how often it died before. */
  readonly node: (socketPath: string, restart: number) => ProgramSpec;
  /** How a node that is started again comes up, in the words of whoever looks after it. */
  readonly comesUp: 'holding' | 'inactive';
  readonly supervision: Omit<SupervisorOptions, 'guard' | 'node' | 'onEvent' | 'onNodeMessage'>;
  /** Takes a line for people. */
  readonly print: (line: string) => void;
  /** What the node says, but why it gives up. */
  readonly onNodeMessage: (message: unknown) => void;
}

export class RobotProcesses {
  readonly supervisor: Supervisor;
  readonly #options: RobotProcessesOptions;
  readonly #scratch: string;
  readonly #guardLog: string;
  readonly #logFd: number;
  #failure: ReinError | undefined;

  /** Writes what the guard reads; starts nothing. Throws `ReinError('storage')` where there is no place for a socket. */
  constructor(options: RobotProcessesOptions) {
    this.#options = options;
    this.#scratch = makeScratchFolder(SOCKET_FILE);
    this.#guardLog = join(options.folder, GUARD_LOG);
    this.#logFd = openSync(this.#guardLog, 'a');
    const socketPath = join(this.#scratch, SOCKET_FILE);
    const guardFile = join(this.#scratch, 'guard.json');
    writeFileSync(guardFile, JSON.stringify(options.guard(socketPath)));
    this.supervisor = new Supervisor({
      ...options.supervision,
      guard: {
        modulePath: fileURLToPath(new URL('../../guard/guard-process.js', import.meta.url)),
        args: [guardFile],
        nodeFlags: GUARD_NODE_FLAGS,
        errorsTo: this.#logFd,
      },
      node: (restart) => options.node(socketPath, restart),
      onEvent: (event) => this.#onEvent(event),
      onNodeMessage: (message) => this.#onNodeMessage(message as FailedMessage | { readonly kind: string }),
    });
  }

  /** Runs both until they have ended; resolves with the exit code. Rejects with why they could not begin or go on. */
  async run(): Promise<number> {
    try {
      const code = await this.supervisor.run();
      if (this.#failure !== undefined) throw this.#failure;
      return code;
    } catch (error) {
      // The guard's own words, where it could not start.
      throw this.#failure ?? explainedBy(this.#guardLog, error);
    } finally {
      closeSync(this.#logFd);
      rmSync(this.#scratch, { recursive: true, force: true });
    }
  }

  #onEvent(event: SupervisorEvent): void {
    const { print, comesUp, supervision } = this.#options;
    if (event.kind === 'restarting') {
      print(`The node is started again (${event.restart} of ${supervision.maxNodeRestarts}); it comes up ${comesUp}.`);
    } else if (event.kind === 'busStopped') print(busStopped(event));
    else if (event.kind === 'ended' && !event.isExpected) this.#onEnd(event);
  }

  #onEnd({ process, how }: SupervisorEvent & { readonly kind: 'ended' }): void {
    const { print } = this.#options;
    if (process === 'guardian') print(`The guardian ended (${how}): the robot brakes and holds until it is back.`);
    else if (process === 'guard') {
      // Where the guard is gone too, that is why the node failed.
      this.#failure = new ReinError('driver', `The guard ended (${how}): nothing can move the robot any more.`, {
        remedy: `${this.#guardLog} says more.`,
      });
    } else if (this.#failure === undefined) print(`The node ended (${how}): the guard brakes the robot and holds it.`);
  }

  #onNodeMessage(message: FailedMessage | { readonly kind: string }): void {
    if (!('error' in message)) {
      this.#options.onNodeMessage(message);
      return;
    }
    // It would fail in the same way again.
    const { kind, message: text, remedy } = message.error;
    this.#failure ??= new ReinError(kind, text, remedy === undefined ? {} : { remedy });
    this.supervisor.stop();
  }
}
