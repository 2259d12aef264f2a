/** Pattern of the tick as a C program beside the guard: its lateness is that of the machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { LatenessSummary } from '../../src/guard/scheduler.ts';

/** Approximate duration of a tick of an arm, µs. */
const WORK_US = 40;

/** Output of the C program at its end. */
export interface ReferenceResult extends LatenessSummary {
  readonly isRaised: boolean;
}

export interface Reference {
  readonly process: ChildProcess;
  /** Ends it, and resolves to the lateness of its ticks. */
  end(): Promise<ReferenceResult>;
}

/** Builds it in `folder`. `undefined` without a C compiler. */
export function buildReference(folder: string): string | undefined {
  const program = join(folder, 'tick-reference');
  const source = fileURLToPath(new URL('./tick-reference.c', import.meta.url));
  return spawnSync('cc', ['-O2', '-o', program, source]).status === 0 ? program : undefined;
}

export function startReference(program: string, rateHz: number, priority: 'raised' | 'normal'): Reference {
  const child = spawn(program, [String(rateHz), String(WORK_US), priority], { stdio: ['ignore', 'pipe', 'ignore'] });
  const output = text(child.stdout);
  const closed = once(child, 'close');
  return {
    process: child,
    end: async () => {
      child.kill('SIGTERM');
      await closed;
      return JSON.parse(await output) as ReferenceResult;
    },
  };
}
