/** The learner of a simulated run: a process of its own, started and ended by the run. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../core/index.ts';
import type { LearnerProcessConfig, LearnerProcessMessage } from '../learner/index.ts';

export interface LearnerChildOptions {
  readonly config: LearnerProcessConfig;
  readonly onFault: (sentence: string) => void;
  /** The process ended without having been asked to. */
  readonly onLost: (error: ReinError) => void;
}

/** A learner that may take this long to load its networks, ms. */
const START_MS = 30_000;
const END_MS = 10_000;

export class LearnerChild {
  readonly address: string;
  readonly weightsAddress: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #isAskedToEnd = false;

  private constructor(
    child: ChildProcess,
    addresses: { address: string; weightsAddress: string },
    options: LearnerChildOptions,
  ) {
    this.address = addresses.address;
    this.weightsAddress = addresses.weightsAddress;
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve();
        if (this.#isAskedToEnd) return;
        const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
        options.onLost(
          new ReinError('link', `The learner process ${how}.`, {
            remedy:
              'What was recorded is in the journal of the run; rein learn --resume continues from the checkpoint.',
          }),
        );
      });
    });
  }

  /** Starts the process and waits until it listens. Rejects with the learner's own words when it cannot. */
  static async start(options: LearnerChildOptions): Promise<LearnerChild> {
    const entry = fileURLToPath(new URL('../learner/learner-process.js', import.meta.url));
    const child = fork(entry, [JSON.stringify(options.config)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const addresses = await ready(child, options.onFault);
    return new LearnerChild(child, addresses, options);
  }

  /** Process id, for tests that end it. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The next exit is expected. */
  expectEnd(): void {
    this.#isAskedToEnd = true;
  }

  /** Waits for the end that a robot has asked for; after ten seconds it is enforced. */
  async close(): Promise<void> {
    this.#isAskedToEnd = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** At once. */
  kill(): void {
    this.#isAskedToEnd = true;
    this.#child.kill('SIGKILL');
  }
}

function ready(
  child: ChildProcess,
  onFault: (sentence: string) => void,
): Promise<{ address: string; weightsAddress: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new ReinError('link', `The learner process did not start within ${START_MS / 1e3} s.`));
    }, START_MS);
    child.on('message', (message: LearnerProcessMessage) => {
      if (message.kind === 'fault') onFault(message.sentence);
      else {
        clearTimeout(timer);
        if (message.kind === 'ready') resolve(message);
        else reject(learnerError(message));
      }
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new ReinError('link', `The learner process ended with code ${code} before it listened.`));
    });
  });
}

function learnerError(message: Extract<LearnerProcessMessage, { kind: 'failed' }>): ReinError {
  return new ReinError('link', message.message, message.remedy === undefined ? {} : { remedy: message.remedy });
}
