/** Who works on a run of a sweep: `trial.lock` in its folder names the process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock, type DirectoryLock, lockHolder, storage } from '../../core/index.ts';
import { TRIAL_FILES } from '../trial/spec.ts';

/** How often it is looked whether somebody else has done, ms. */
const LOOK_MS = 200;

/** Whether a live process works on the run in `folder`. */
export function isAtWork(folder: string): boolean {
  return lockHolder(lockOf(folder)) !== undefined;
}

/** Takes the run in `folder` for this process; `undefined` where another was quicker. */
export function takeRun(folder: string): DirectoryLock | undefined {
  const path = lockOf(folder);
  try {
    return storage(path, () => {
      mkdirSync(folder, { recursive: true });
      return acquireLock(path, `the run's folder ${folder}`);
    });
  } catch (error) {
    if (isAtWork(folder)) return undefined;
    throw error;
  }
}

/**
 * Resolves once no process works on the run in `folder`. `onWait` is told once who it is waited for. Where it was waited for a
 * sweep's child, its parent has a look's time to write what it came to. Rejects with the reason of `signal`.
 */
export async function nobodyAtWork(folder: string, signal: AbortSignal, onWait: (pid: number) => void): Promise<void> {
  let waitedFor: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const pid = lockHolder(lockOf(folder));
    if (pid === undefined && waitedFor === undefined) return;
    if (pid !== undefined && pid !== waitedFor) onWait(pid);
    waitedFor = pid;
    await delay(LOOK_MS);
  }
}

function lockOf(folder: string): string {
  return join(folder, TRIAL_FILES.lock);
}
