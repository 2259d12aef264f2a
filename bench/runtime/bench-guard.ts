/** Guard process for measurements: as on a robot, and reports its lateness at the end. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { GUARD_NODE_FLAGS } from '../../src/guard/index.ts';
import type { RaiseResult } from '../../src/guard/priority.ts';
import type { LatenessSummary } from '../../src/guard/scheduler.ts';
import { ReinError } from '../../src/model/index.ts';

export interface BenchGuardEnd {
  readonly raise: RaiseResult;
  readonly lateness: LatenessSummary;
}

export interface BenchGuard {
  readonly process: ChildProcess;
  readonly ready: Promise<unknown>;
  /** Report at its end. */
  readonly ended: Promise<BenchGuardEnd>;
}

/** Starts a guard process as on a robot; `configPath` is a file with its `GuardConfig`. */
export function startBenchGuard(configPath: string): BenchGuard {
  const child = fork(fileURLToPath(new URL('../../guard/guard-process.js', import.meta.url)), [configPath], {
    execArgv: [...GUARD_NODE_FLAGS],
    env: { ...process.env, REIN_LOG: 'error' },
  });
  const opened = new Promise<void>((resolve) => {
    child.on('message', ({ kind }: { kind: string }) => {
      if (kind === 'ready') resolve();
    });
  });
  const ended = new Promise<BenchGuardEnd>((resolve, reject) => {
    child.on('message', (message: { kind: string }) => {
      if (message.kind === 'ended') resolve(message as unknown as BenchGuardEnd);
    });
    child.once('exit', (code) => reject(new ReinError('environment', `The guard ended early, with code ${code}.`)));
  });
  // Awaited at the end only; until then the node's lost link reveals a guard that has died.
  ended.catch(() => undefined);
  return { process: child, ready: Promise.race([opened, ended]), ended };
}
