/** The program as people start it: `bin/rein.js` in a process of its own. Needs `dist/`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning } from '../../src/host/index.ts';
import { readJournal } from '../../src/link/index.ts';
import type { Transition } from '../../src/rows/index.ts';

export const REIN: string = fileURLToPath(new URL('../../bin/rein.js', import.meta.url));

/** Networks, rounds and episodes so small that a run takes seconds; nobody learns to insert a peg with them. */
export const TINY: string = `
task:
  demonstrations: 4
  maxSteps: 30
  operator: { initialRate: 0.5, stuckSteps: 10, handBackSteps: 10 }
  training: { minimumSteps: 150 }
  validation: { everySteps: 100, episodes: 1 }
learner: { actorHidden: [32, 32], criticHidden: [32, 32], bcInitSteps: 100, batchSize: 32, checkpointEveryUpdates: 200 }
`;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * What the zeromq package prints where its context takes more than half a second to end, as on a machine that is busy with others:
 * nothing is queued, for our sockets linger for nothing (`src/link/sockets.ts`).
 */
const SLOW_END = /^\(node:\d+\) WARNING: Waiting for queued ZeroMQ messages.*\n/gm;

/** Commands that serve a page unless they are told not to. */
const MONITORED = ['sim', 'run', 'learn', 'record', 'teleop'];

/** `args` without a page where none is asked for: its server is a fifth of what a short run takes of the machine. */
export function unmonitored(args: readonly string[]): string[] {
  const isAsked = !MONITORED.includes(args[0] ?? '') || args.includes('--monitor');
  return isAsked ? [...args] : [...args, '--monitor', 'off'];
}

/** A process of a few seconds pays more for optimized code than it gets from it. */
const OPTIMIZE_LATE = '--interrupt-budget=1000000';

const running = new Set<ChildProcess>();

/** To be called after tests: one that failed may have left its program running. */
export function endLeftovers(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A program that was started. */
export class Rein {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], cwd: string, nodeArgs: readonly string[] = []) {
    const line = [OPTIMIZE_LATE, ...nodeArgs, REIN, ...unmonitored(args)];
    this.child = spawn(process.execPath, line, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(this.child);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        running.delete(this.child);
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr.replace(SLOW_END, '') });
      });
    });
  }

  /** Waits until it has printed something like `pattern`; rejects when it ends without. */
  async printed(pattern: RegExp): Promise<void> {
    let isOver = false;
    void this.ended.then(() => {
      isOver = true;
    });
    while (!pattern.test(this.stdout)) {
      if (isOver) throw new Error(`it ended without printing ${pattern}:\n${this.stdout}\n${this.stderr}`);
      await delay(20);
    }
  }

  /** Process id of the learner that it has started. */
  get learnerPid(): number {
    const learner = childPids(this.child.pid!).find((id) =>
      readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('learner-process'),
    );
    if (learner === undefined) throw new Error('there is no learner process');
    return learner;
  }
}

/** Process ids of what the main thread of `pid` has started and is there. */
export function childPids(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g);
  return (children ?? []).map(Number);
}

/** Runs the program to its end. */
export function rein(args: readonly string[], cwd: string, nodeArgs: readonly string[] = []): Promise<Ended> {
  return new Rein(args, cwd, nodeArgs).ended;
}

/**
 * Runs command lines to their ends, one after the other, in one process that loads the program once: for what is refused. Each has
 * its folder and its arguments.
 */
export async function reinLines(lines: readonly (readonly [cwd: string, args: readonly string[]])[]): Promise<Ended[]> {
  const program = fileURLToPath(new URL('./rein-lines.js', import.meta.url));
  const unwatched = lines.map(([cwd, args]) => [cwd, unmonitored(args)]);
  const child = spawn(process.execPath, [program, JSON.stringify(unwatched)], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const outputs = ['', ''];
  [child.stdout, child.stderr].forEach((stream, i) => {
    stream.setEncoding('utf8').on('data', (text: string) => {
      outputs[i] += text;
    });
  });
  const [exitCode, signal] = await once(child, 'close');
  running.delete(child);
  if (exitCode !== 0) throw new Error(`they ended with ${signal ?? exitCode}:\n${outputs.join('\n')}`);
  // What one wrote, its code, what the next one wrote, …
  const [stdout, stderr] = outputs.map((output) => output.split('\0'));
  if (stdout!.length !== 2 * lines.length + 1) throw new Error(`they did not all end:\n${outputs.join('\n')}`);
  return lines.map((_, i) => ({
    code: Number(stdout![2 * i + 1]),
    signal: null,
    stdout: stdout![2 * i]!,
    stderr: stderr![2 * i]!,
  }));
}

/** Whether the process ends within `limitMs`. */
export async function goesAway(pid: number, limitMs = 10_000): Promise<boolean> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < limitMs) {
    if (!isRunning(pid)) return true;
    await delay(20);
  }
  return false;
}

/** All transitions of a run; throws where one is damaged or missing. */
export function transitionsOf(folder: string): Transition[] {
  const found = [
    ...readJournal(`${folder}/journal`, {
      onFault: ({ message }, path) => {
        throw new Error(`${path}: ${message}`);
      },
    }),
  ];
  for (const [i, { seq }] of found.entries()) if (seq !== i) throw new Error(`transition ${i} has the number ${seq}`);
  return found;
}
