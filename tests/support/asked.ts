/** A person at a terminal, for tests of commands that ask, and the file of the emulated arm that they bring up. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REIN } from './rein.ts';

/** Where the shipped robots are. */
export const ROBOTS: string = join(import.meta.dirname, '..', '..', 'config', 'robots');

/** `config/robots/so101.yaml` at the emulated arm's `port`, as `my-arm.yaml` in `folder`. */
export function emulatedArmFile(folder: string, port: string, ...options: readonly string[]): string {
  const text = readFileSync(join(ROBOTS, 'so101.yaml'), 'utf8');
  const path = join(folder, 'my-arm.yaml');
  const driver = ['  kind: feetech', `  port: ${port}`, ...options, `  model: ${join(ROBOTS, 'models', 'so101.xml')}`];
  const motors = text.slice(text.indexOf('\n  motors:'));
  writeFileSync(path, `${text.slice(0, text.indexOf('\ndriver:'))}\ndriver:\n${driver.join('\n')}${motors}`);
  return path;
}

const QUESTION = /[Pp]ress Enter|\[[Yy]\/[Nn]\]/;

/** A command that is answered when it asks, with its calibrations and records under `folder`. */
export class Asked {
  readonly child: ChildProcess;
  readonly said: string[] = [];
  /** With its exit code. Rejects where nobody answers a question. */
  readonly ended: Promise<number | null>;

  constructor(
    folder: string,
    args: readonly string[],
    answer: (line: string, asked: Asked) => Promise<string | undefined>,
  ) {
    const env = { ...process.env, REIN_CONFIG: join(folder, 'config'), REIN_STATE: join(folder, 'state') };
    this.child = spawn(process.execPath, [REIN, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env });
    let unanswered: string | undefined;
    this.ended = new Promise((done, fail) => {
      this.child.once('close', (code) => {
        if (unanswered === undefined) done(code);
        else fail(new Error(`nobody answers: ${unanswered}`));
      });
    });
    let before = Promise.resolve();
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.said.push(line);
      before = before.then(async () => {
        const typed = await answer(line, this);
        const { exitCode, killed } = this.child;
        if (exitCode !== null || killed) return;
        if (typed !== undefined) this.child.stdin!.write(`${typed}\n`);
        else if (QUESTION.test(line)) {
          unanswered = line;
          this.child.kill();
        }
      });
    });
    // It may end, or be ended, with an answer under way.
    this.child.stdin!.on('error', () => undefined);
  }
}
