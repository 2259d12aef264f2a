/** One ROS process, owned by the guard's main thread: started, received from, restarted when it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { TO_GUARD_FD } from '../../drivers/index.ts';
import { howEnded } from '../../host/index.ts';
import { MessageDecoder } from '../link/wire.ts';
import { Restarts } from '../restarts.ts';

/** Wait before the first restart, ms. */
const FIRST_WAIT_MS = 200;
/** Bytes of garbage after which the process is taken for broken and killed. */
const MAX_SKIPPED_BYTES = 64 * 1024;
/** Time limit for an orderly end, ms: a stop that holds for a second, a controller manager, ROS. */
const END_MS = 2500;

export interface RosProcessEvents {
  /** An intact message of the process `generation`. The payload is reused. */
  readonly onMessage: (generation: number, kind: number, payload: Uint8Array) => void;
  /** The process has died; `how` gives the reason. Called before it is restarted. */
  readonly onDeath: (generation: number, how: string) => void;
}

export class RosProcess {
  readonly #modulePath: string;
  readonly #args: readonly string[];
  readonly #events: RosProcessEvents;
  #child: ChildProcess | undefined;
  #generation = 0;
  readonly #restarts: Restarts = new Restarts(FIRST_WAIT_MS, () => this.#start());
  #isEnding = false;

  /** `args` precede the generation number. */
  constructor(modulePath: string, args: readonly string[], events: RosProcessEvents) {
    this.#modulePath = modulePath;
    this.#args = args;
    this.#events = events;
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Reports that the process works: the next death is followed by a quick restart again. */
  succeeded(): void {
    this.#restarts.succeeded();
  }

  /** Wakes the process to check its state. */
  nudge(): void {
    this.#child?.stdin?.write('\n');
  }

  /** Ends the process without a restart; it is killed if it does not end in time. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#restarts.end();
    const child = this.#child;
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      child.stdin?.end();
      child.kill('SIGTERM');
    });
  }

  #start(): void {
    const generation = ++this.#generation;
    const child = spawn(process.execPath, [this.#modulePath, ...this.#args, String(generation)], {
      // The end of the first pipe tells the process that the guard is gone; it logs to the guard's standard error.
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    });
    this.#child = child;
    const decoder = new MessageDecoder((kind, payload) => this.#receive(generation, kind, payload));
    const fromChild = child.stdio[TO_GUARD_FD] as Readable;
    fromChild.on('data', (bytes: Buffer) => {
      decoder.push(bytes);
      if (decoder.skippedBytes > MAX_SKIPPED_BYTES) child.kill('SIGKILL');
    });
    fromChild.on('error', () => child.kill('SIGKILL'));
    child.stdin?.on('error', () => undefined);
    child.once('error', (error) => this.#died(generation, error.message));
    child.once('exit', (code, signal) => this.#died(generation, howEnded(code, signal)));
  }

  #receive(generation: number, kind: number, payload: Uint8Array): void {
    if (generation === this.#generation) this.#events.onMessage(generation, kind, payload);
  }

  #died(generation: number, how: string): void {
    if (generation !== this.#generation || this.#child === undefined) return;
    this.#child = undefined;
    if (this.#isEnding) return;
    this.#events.onDeath(generation, how);
    this.#restarts.died();
  }
}
