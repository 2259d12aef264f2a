/** The learner of a simulated run: a child process, started and ended by the run. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ResolvedConfig } from '../config/index.ts';
import { failureIn, sendToChild } from '../host/index.ts';
import { type LearnerStatus, readStatus } from '../link/index.ts';
import { asObject, ReinError } from '../model/index.ts';

/** First message to the process. */
export interface LearnerProcessConfig {
  /** Validated content of the run's `config.yaml`. */
  readonly config: ResolvedConfig;
  readonly runId: string;
  readonly bind: string;
  readonly folder: string;
}

/** Messages to the parent. */
export type LearnerProcessMessage =
  | { readonly kind: 'ready'; readonly address: string; readonly weightsAddress: string }
  | { readonly kind: 'fault'; readonly message: string }
  /** All owed updates are done, or the process was asked to end. */
  | { readonly kind: 'done'; readonly status: LearnerStatus };

/** Parses `value` as a message; `undefined` if it is none: custom algorithms run in the learner. Never throws. */
export function readLearnerMessage(value: unknown): LearnerProcessMessage | undefined {
  const { kind, address, weightsAddress, message, status } = asObject(value) ?? {};
  if (kind === 'ready' && typeof address === 'string' && typeof weightsAddress === 'string')
    return { kind, address, weightsAddress };
  if (kind === 'fault' && typeof message === 'string') return { kind, message };
  const read = kind === 'done' ? readStatus(asObject(status) ?? {}) : undefined;
  return read?.ok === true ? { kind: 'done', status: read.value } : undefined;
}

export interface LearnerChildOptions {
  readonly start: LearnerProcessConfig;
  readonly onFault: (message: string) => void;
  /** Called if the process ended without having been asked to. */
  readonly onLost: (error: ReinError) => void;
}

/** Time limit for the learner to load its networks on the slowest machine, ms. */
const START_MS = 120_000;
const END_MS = 10_000;

const NOT_BEGUN =
  'Nothing was recorded. A module that its configuration names may have ended it: try rein plugins --check <file>.';
const REMEDY =
  'What was recorded is in the journal of the run; rein export policy <folder> writes its newest policy, or begin another.';

/** Messages and exit of the process, whenever they occurred. */
class Correspondence {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  readonly ready: Promise<{ address: string; weightsAddress: string }>;
  readonly done: Promise<LearnerStatus | undefined>;
  /** Reason for the exit, in the process's own words if it gave any; valid only after `exited`. */
  failure: ReinError | undefined;
  #isReady = false;

  constructor(child: ChildProcess, onFault: (message: string) => void) {
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
        const [when, remedy] = this.#isReady ? ['', REMEDY] : [' before it was ready', NOT_BEGUN];
        this.failure ??= new ReinError('link', `The learner process ${how}${when}.`, { remedy });
        resolve();
      });
    });
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (sent) => {
        this.failure = failureIn(sent) ?? this.failure;
        const message = readLearnerMessage(sent);
        if (message?.kind === 'fault') onFault(message.message);
        if (message?.kind !== 'ready') return;
        this.#isReady = true;
        resolve(message);
      });
      void this.exited.then(() => reject(this.failure));
    });
    this.done = new Promise((resolve) => {
      child.on('message', (sent) => {
        const message = readLearnerMessage(sent);
        if (message?.kind === 'done') resolve(message.status);
      });
      void this.exited.then(() => resolve(undefined));
    });
  }
}

export class LearnerChild {
  readonly address: string;
  readonly weightsAddress: string;
  readonly #process: Correspondence;
  #isAskedToEnd = false;

  private constructor(
    process: Correspondence,
    addresses: { address: string; weightsAddress: string },
    options: LearnerChildOptions,
  ) {
    this.address = addresses.address;
    this.weightsAddress = addresses.weightsAddress;
    this.#process = process;
    void process.exited.then(() => {
      if (!this.#isAskedToEnd && process.failure !== undefined) options.onLost(process.failure);
    });
  }

  /** Starts the process and waits until it listens. Rejects with the learner's own error if it cannot start. */
  static async start(options: LearnerChildOptions): Promise<LearnerChild> {
    const entry = fileURLToPath(new URL('./learner-process.js', import.meta.url));
    const child = fork(entry, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' });
    sendToChild(child, options.start);
    const process = new Correspondence(child, options.onFault);
    const timer = setTimeout(() => {
      process.failure = new ReinError('link', `The learner process did not start within ${START_MS / 1e3} s.`);
      child.kill('SIGKILL');
    }, START_MS);
    try {
      return new LearnerChild(process, await process.ready, options);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Marks the next exit as expected. */
  expectEnd(): void {
    this.#isAskedToEnd = true;
  }

  /** Final status of the learner once all owed updates are done; `undefined` if it exits without one, or after 10 s. */
  done(): Promise<LearnerStatus | undefined> {
    const late = new Promise<undefined>((resolve) => {
      setTimeout(() => resolve(undefined), END_MS).unref();
    });
    return Promise.race([this.#process.done, late]);
  }

  /** Ends the process at any point; kills it after 10 s. */
  async close(): Promise<void> {
    this.#isAskedToEnd = true;
    const { child, exited } = this.#process;
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await exited;
    clearTimeout(timer);
  }
}
