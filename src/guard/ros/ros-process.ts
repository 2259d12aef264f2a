/** One process that speaks ROS, as the guard's main thread sees it: started, listened to, started again when it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { howEnded } from '../../core/index.ts';
import { TO_GUARD_FD } from '../../drivers/index.ts';
import { MessageDecoder } from '../link/wire.ts';
import { Restarts } from '../restarts.ts';

/** Before the first start after a death, ms. */
const FIRST_WAIT_MS = 200;
/** Garbage beyond this: the process is not what it should be, and is killed. */
const MAX_SKIPPED_BYTES = 64 * 1024;
/** How long a process may take to end when it is asked to, ms: a stop that holds for a second, a controller manager, ROS. */
const END_MS = 2500;

export interface RosProcessEvents {
  /** An intact message of the life `generation`. The payload is reused. */
  readonly onMessage: (generation: number, kind: number, payload: Uint8Array) => void;
  /** It is dead; `how` says why in words. Called before it is started again. */
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

  /** `args` come before the life's number. */
  constructor(modulePath: string, args: readonly string[], events: RosProcessEvents) {
    this.#modulePath = modulePath;
    this.#args = args;
    this.#events = events;
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** It has shown that it works: the next death is answered quickly again. */
  succeeded(): void {
    this.#restarts.succeeded();
  }

  /** Wakes it: it has something to look at. */
  nudge(): void {
    this.#child?.stdin?.write('\n');
  }

  /** Sends nothing more of itself, and is killed if it stays. */
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
      // The end of the first pipe shows the process that the guard is gone; it logs where the guard does.
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
