/** Real-time priority for one thread. Imports nothing of this repository: the guardian runs it too. */
import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/** Whether a thread runs before everything else, and if not, why. */
export interface RaiseResult {
  readonly isRaised: boolean;
  readonly reason: string;
}

/** What Linux keeps as long as the calling thread lives, `/proc/PID/task/TID`; `undefined` on other systems. */
export function threadFolder(): string | undefined {
  return process.platform === 'linux' ? `/proc/${readlinkSync('/proc/thread-self')}` : undefined;
}

/**
 * Gives the calling thread, and only it, real-time priority (SCHED_FIFO 50): raising the whole process would let
 * this thread wait for its own garbage collector's helpers. Needs Linux, `chrt`, and CAP_SYS_NICE or an rtprio limit.
 */
export function raiseThisThread(): RaiseResult {
  const threadId = threadFolder()?.split('/').at(-1);
  if (threadId === undefined) return { isRaised: false, reason: 'real-time priority needs Linux' };
  const run = spawnSync('chrt', ['-f', '-p', '50', threadId], { encoding: 'utf8' });
  if (run.error !== undefined) return { isRaised: false, reason: 'chrt is not installed (package util-linux)' };
  if (run.status !== 0) return { isRaised: false, reason: run.stderr.trim() || `chrt ended with ${run.status}` };
  return { isRaised: true, reason: `thread ${threadId} has priority 50 of SCHED_FIFO` };
}
