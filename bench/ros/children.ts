/** Processes of a measurement: their output is kept, and they are ended in any case. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../src/model/index.ts';

const START_MS = 20_000;
const END_MS = 3000;

/** Programs started by a measurement. */
export class Children {
  readonly #children: ChildProcess[] = [];
  readonly #last: (() => void)[] = [];

  /** Ends `child` together with the others. */
  adopt(child: ChildProcess): void {
    this.#children.push(child);
  }

  /** Registers a function to call after all of them have ended. */
  atEnd(what: () => void): void {
    this.#last.push(what);
  }

  /** Starts a program of Rein by its path in the repository, e.g. `dist/ros/node-main.js`; resolves once its output matches `ready`. */
  async program(script: string, args: readonly string[], ready: RegExp): Promise<ChildProcess> {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`../../../${script}`, import.meta.url)), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    const said = collect(child);
    const limitMs = performance.now() + START_MS;
    while (!ready.test(said())) {
      if (child.exitCode !== null || performance.now() > limitMs) throw died(script, child.exitCode, said());
      await delay(10);
    }
    return child;
  }

  /** Ends all of them, the last one first: a guard ends while its robot still answers. */
  async end(): Promise<void> {
    for (const child of this.#children.splice(0).reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await gone;
      clearTimeout(timer);
    }
    for (const what of this.#last.splice(0)) what();
  }
}

/** Collects the output of both streams. */
export function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-20_000);
    });
  }
  return () => text;
}

/** Error for a program that did not start, or ended early. */
export function died(what: string, code: number | null, said: string): ReinError {
  const last = said.trim().split('\n').slice(-3).join(' | ');
  return new ReinError('environment', `The ${what} did not come up or ended early (exit code ${code}): ${last}`, {
    remedy: 'npm run ros:doctor shows what is missing.',
  });
}
