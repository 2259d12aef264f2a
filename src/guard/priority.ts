/** Real-time priority for one thread. Imports nothing of this repository, as the guardian runs it too. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';

/** Result of raising a thread to real-time priority; `reason` says why not. */
export interface RaiseResult {
  readonly isRaised: boolean;
  readonly reason: string;
}

/** Path that exists in Linux as long as the calling thread lives, `/proc/PID/task/TID`; `undefined` on other systems. */
export function threadFolder(): string | undefined {
  return process.platform === 'linux' ? `/proc/${readlinkSync('/proc/thread-self')}` : undefined;
}

/** Priorities of the tick's thread, and of V8's helpers, which are below it and any other real-time thread on this machine. */
const TICK_PRIORITY = 50;
const HELPER_PRIORITY = 1;

/** Gives the calling thread, and only it, real-time priority (SCHED_FIFO 50). Needs Linux, `chrt`, and CAP_SYS_NICE or an rtprio limit. */
export function raiseThisThread(): RaiseResult {
  const threadId = threadFolder()?.split('/').at(-1);
  if (threadId === undefined) return { isRaised: false, reason: 'real-time priority needs Linux' };
  const run = spawnSync('chrt', ['-f', '-p', `${TICK_PRIORITY}`, threadId], { encoding: 'utf8' });
  if (run.error !== undefined) return { isRaised: false, reason: 'chrt is not installed (package util-linux)' };
  if (run.status !== 0) return { isRaised: false, reason: run.stderr.trim() || `chrt ended with ${run.status}` };
  return { isRaised: true, reason: `thread ${threadId} has priority ${TICK_PRIORITY} of SCHED_FIFO` };
}

/**
 * Lets V8's helper threads compile despite load on every core: otherwise the tick runs unoptimised code until they are scheduled. Raises
 * all threads but the main one, so call it before starting any other: then they are V8's and Node's file threads, which do next
 * to nothing. Without permission nothing changes, and `raiseThisThread` returns the reason.
 */
export function raiseHelperThreads(): void {
  if (process.platform !== 'linux') return;
  const helpers = readdirSync('/proc/self/task').filter((threadId) => threadId !== `${process.pid}`);
  const program = 'for thread; do chrt -f -p "$0" "$thread" || exit; done';
  spawnSync('sh', ['-c', program, `${HELPER_PRIORITY}`, ...helpers], { stdio: 'ignore' });
}
