/** Starts the programs of the link's end-to-end tests: robots and learners as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Started {
  readonly child: ChildProcess;
  /** What it has written to its standard output so far. */
  readonly output: () => string;
  readonly exit: Promise<number | string>;
}

/** The processes of one test file. */
export class LinkProcesses {
  readonly #running = new Set<ChildProcess>();

  /** Starts `tests/support/NAME` with `args`. */
  start(name: string, ...args: string[]): Started {
    const script = fileURLToPath(new URL(`./${name}`, import.meta.url));
    const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#running.add(child);
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
    });
    const exit = once(child, 'close').then(([code, signal]) => {
      this.#running.delete(child);
      return code ?? signal;
    });
    return { child, output: () => text, exit };
  }

  /** Kills what still runs. */
  kill(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}
