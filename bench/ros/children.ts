/** The processes of a measurement: started with what they say kept, ended whatever happens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../src/core/index.ts';

const START_MS = 20_000;
const END_MS = 3000;

/** Programs that a measurement started. */
export class Children {
  readonly #children: ChildProcess[] = [];
  readonly #last: (() => void)[] = [];

  /** Ends `child` with the others. */
  adopt(child: ChildProcess): void {
    this.#children.push(child);
  }

  /** Called after all of them have ended. */
  atEnd(what: () => void): void {
    this.#last.push(what);
  }

  /** A program of Rein by its path in the repository, e.g. `dist/ros/node-main.js`, once it has printed something like `ready`. */
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

  /** Ends all of them, the last first: a guard goes while its robot still answers. */
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

/** What it prints on both streams. */
export function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-20_000);
    });
  }
  return () => text;
}

/** For a program that did not come up, or ended early. */
export function died(what: string, code: number | null, said: string): ReinError {
  const last = said.trim().split('\n').slice(-3).join(' | ');
  return new ReinError('environment', `The ${what} did not come up or ended early (exit code ${code}): ${last}`, {
    remedy: 'npm run ros:doctor tells what is missing.',
  });
}
