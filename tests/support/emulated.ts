/** `rein emulate` in a process of its own, told what to do by lines. Needs `dist/`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REIN } from './rein.ts';

/** A hand that moves a joint moves it by many counts within this. */
const STILL_MS = 300;

type Event = Readonly<Record<string, unknown>> & { readonly event: string };

export class Emulated {
  readonly child: ChildProcess;
  readonly link: string;
  readonly ended: Promise<number | null>;
  readonly events: Event[] = [];
  #arrived: () => void = () => undefined;

  /** `args` follow `rein emulate`. */
  constructor(args: readonly string[]) {
    this.link = join(mkdtempSync(join(tmpdir(), 'rein-emulated-')), 'usb-Emulated_arm_TEST42-if00');
    const line = [REIN, 'emulate', ...args, '--json', '--link', this.link];
    this.child = spawn(process.execPath, line, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.ended = new Promise((done) => this.child.once('close', (code) => done(code)));
    createInterface({ input: this.child.stdout! }).on('line', (text) => {
      this.events.push(JSON.parse(text) as Event);
      this.#arrived();
    });
    void this.ended.then(() => this.#arrived());
  }

  /** The next event called `name`, from the ones that nobody has taken. Rejects where the program ends before. */
  async next(name: string): Promise<Event> {
    for (;;) {
      const found = this.events.findIndex(({ event }) => event === name);
      if (found >= 0) return this.events.splice(0, found + 1).at(-1)!;
      if (this.child.exitCode !== null) throw new Error(`it ended with ${this.child.exitCode}, and no ${name}`);
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  /** Types `line`, and waits until it is done. */
  async type(line: string, answer = 'done'): Promise<Event> {
    this.child.stdin!.write(`${line}\n`);
    return await this.next(answer);
  }

  /** Waits until no servo moves: a hand takes its time, and on a busy machine more of it. */
  async standsStill(): Promise<void> {
    for (let before = ''; ; ) {
      await new Promise((done) => setTimeout(done, STILL_MS));
      const { servos } = await this.type('state', 'state');
      const places = JSON.stringify((servos as { position: number }[]).map(({ position }) => position));
      if (places === before) return;
      before = places;
    }
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
    await this.ended;
  }
}
