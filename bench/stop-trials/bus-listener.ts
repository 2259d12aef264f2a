/** A separate bus, and the process that listens to it. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../src/model/index.ts';
import type { BusFrame, ListenerMessage } from './listener-messages.ts';

/** Longer than anything in a trial, ms. */
const PATIENCE_MS = 60_000;

export class BusListener {
  readonly isRaised: boolean;
  /** Since `forget`. */
  readonly frames: BusFrame[] = [];
  readonly #child: ChildProcess;
  readonly #heldUp: { readonly fromMs: number; readonly toMs: number }[] = [];
  #look: () => void = () => undefined;

  private constructor(child: ChildProcess, isRaised: boolean) {
    this.#child = child;
    this.isRaised = isRaised;
    child.on('message', (message: ListenerMessage) => {
      if (message.kind === 'frame') {
        this.frames.push(message.frame);
        this.#look();
      } else if (message.kind === 'heldUp') this.#heldUp.push(message);
    });
  }

  /** Creates a named pipe at `path` and listens to it. */
  static async start(path: string): Promise<BusListener> {
    spawnSync('mkfifo', ['-m', '600', path]);
    const child = fork(fileURLToPath(new URL('./listener-process.js', import.meta.url)), [path]);
    const [message] = (await once(child, 'message')) as [ListenerMessage];
    return new BusListener(child, message.kind === 'ready' && message.isRaised);
  }

  /** Discards everything received so far. */
  forget(): void {
    this.frames.length = 0;
    this.#heldUp.length = 0;
  }

  /** Resolves at the frame with which `isSo` becomes true. Rejects with `ReinError` if it does not. */
  until(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (end: () => void): void => {
        clearTimeout(timer);
        this.#look = () => undefined;
        end();
      };
      const timer = setTimeout(() => {
        done(() => reject(new ReinError('environment', `The trial waited ${PATIENCE_MS / 1000} s for ${what}.`)));
      }, PATIENCE_MS);
      this.#look = () => {
        if (isSo()) done(resolve);
      };
      this.#look();
    });
  }

  /** Longest hold-up of the listener itself between two times, ms; 0: none. */
  heldUpMs(fromMs: number, toMs: number): number {
    const spans = this.#heldUp.filter((span) => span.toMs >= fromMs && span.fromMs <= toMs);
    return Math.max(0, ...spans.map((span) => span.toMs - span.fromMs));
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }
}
