/** `rein learn` and `rein run` as people start them, for tests: processes, what they said, and their files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readJournal } from '../../src/link/index.ts';
import type { Transition } from '../../src/rows/index.ts';
import { unmonitored } from './rein.ts';

const bin = fileURLToPath(new URL('../../bin/rein.js', import.meta.url));

/** YAML of a learner that gives weights within seconds. */
export const SMALL_LEARNER: string = `learner:
  actorHidden: [32, 32]
  criticHidden: [32, 32]
  batchSize: 32
  bcInitSteps: 100
  warmupSteps: 10
  publishEveryUpdates: 20
  checkpointEveryUpdates: 40
`;

/** Little of everything, and a hole that is easy to find, so that weights come within seconds. */
const QUICK = `
task:
  demonstrations: 2
  estimate: { errorM: 0.0005, heightErrorM: 0.0002, yawErrorRad: 0.005 }
${SMALL_LEARNER}`;

/** A machine that is busy with other tests keeps such a tick: three periods of it are 150 ms. */
const SLOW_TICK = 'controlHz: 20';

/** The file of arm6 behind the mock driver, which does as it is told; `options` are lines of YAML for the driver. */
export function mockArm6(options = ''): string {
  const shipped = readFileSync(new URL('../../config/robots/arm6.yaml', import.meta.url), 'utf8');
  const slow = shipped.replace(/^controlHz: \d+/m, SLOW_TICK);
  return slow.replace(/^driver:\n(?: .*\n?)+/m, `driver:\n  kind: mock\n${options}`);
}

export interface Program {
  readonly child: ChildProcess;
  /** Standard output and error so far. */
  said(): string;
  readonly exit: Promise<number | string>;
}

export const MONITOR_TOKEN = '0123456789abcdef01234567';

/** What was started in the newest folder. */
const started: { readonly name: string; readonly said: () => string }[] = [];

/** Programs started in one folder, and ended with it. */
export class LiveRun {
  readonly folder: string;
  readonly #running = new Set<ChildProcess>();

  /** `folder` exists and is empty. */
  constructor(folder: string) {
    this.folder = folder;
    started.length = 0;
    writeFileSync(join(folder, 'quick.yaml'), QUICK);
  }

  /**
   * Writes `mock.yaml`, a configuration for runs of which the processes are looked at: with `mockArm6`, which takes a third of the
   * machine that the simulated arm takes. Gives its path.
   */
  mockConfig(options = ''): string {
    const [robot, config] = [join(this.folder, 'mock-arm.yaml'), join(this.folder, 'mock.yaml')];
    writeFileSync(robot, mockArm6(options));
    writeFileSync(config, `task: { robot: ${robot} }\n`);
    return config;
  }

  /** Options of a monitor at any free port; whoever operates shows `MONITOR_TOKEN`. */
  monitored(): string[] {
    writeFileSync(join(this.folder, 'token'), MONITOR_TOKEN);
    return ['--monitor', '127.0.0.1:0', '--monitor-token', join(this.folder, 'token')];
  }

  /** Starts `rein` with `args` in the folder, without a page unless one is asked for. */
  start(...args: string[]): Program {
    const line = [bin, ...unmonitored(args)];
    const child = spawn(process.execPath, line, { cwd: this.folder, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#running.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        text += data;
      });
    }
    const exit = once(child, 'close').then(([code, signal]) => {
      this.#running.delete(child);
      return code ?? signal;
    });
    started.push({ name: args[0]!, said: () => text });
    return { child, said: () => text, exit };
  }

  /** The robot's journal in the run folder `name`. */
  journal(name: string): Transition[] {
    return [...readJournal(join(this.folder, name, 'journal'))];
  }

  /** Newest weights that acted, by the journal of `name`. */
  versionOf(name: string): number {
    return Math.max(0, ...this.journal(name).map((t) => t.policyVersion));
  }

  /** What the guard of the run folder `name` logged, as far as it is about motion. */
  motion(name: string): Motion[] {
    return motionIn(join(this.folder, name, 'guard.log'));
  }

  files(name: string): string[] {
    const path = join(this.folder, name);
    return existsSync(path) ? readdirSync(path) : [];
  }

  /** Ends what still runs; a supervisor's children end with it. */
  async end(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    await until(() => this.#running.size === 0, 'the end');
  }
}

export interface Motion {
  readonly event: 'changed' | 'stands';
  readonly atS: number;
  readonly state: string;
  readonly decider: string;
  readonly sinceS: number;
  readonly why?: string;
}

/**
 * What a guard logged of its states, in their order. How far a stop went is no state: its report comes some time after the stop, before
 * or after others.
 */
export function motionIn(guardLog: string): Motion[] {
  if (!existsSync(guardLog)) return [];
  const lines = readFileSync(guardLog, 'utf8').split('\n');
  const logged = lines.filter((line) => line.includes('"motion"')).map((line) => JSON.parse(line) as Motion);
  return logged.filter(({ state }) => state !== undefined);
}

/** The process below `parent` whose command line holds `part`. */
export function childOf(parent: ChildProcess, part: string): number {
  const path = `/proc/${parent.pid}/task/${parent.pid}/children`;
  const pids = readFileSync(path, 'utf8').trim().split(' ').map(Number);
  const pid = pids.find((candidate) => readFileSync(`/proc/${candidate}/cmdline`, 'utf8').includes(part));
  if (pid === undefined) throw new Error(`no child of ${parent.pid} is ${part}`);
  return pid;
}

/** What they wrote last, a block each. */
function lastWords(): string {
  return started.map(({ name, said }) => `\n${name}: ${said().slice(-2_000)}`).join('');
}

/** Waits for `condition`; says `what` did not happen after 100 s, so that a busy machine is given time. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const limitMs = performance.now() + 100_000;
  while (!condition()) {
    if (performance.now() > limitMs) throw new Error(`${what} did not happen within 100 s${lastWords()}`);
    await delay(20);
  }
}
