/** One process at a time in a trial's folder. */
import { join } from 'node:path';
import { acquireLock } from '../../link/index.ts';
import { storage, WriteError } from '../files/storage.ts';
import { TRIAL_FILES } from './spec.ts';

/** `work` while no other process works in `folder`, which is there. Rejects with `ReinError` where one does. */
export async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, TRIAL_FILES.lock);
  const lock = storage(path, () => acquireLock(path, `the trial's folder ${folder}`));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** `work` on the trial that `folder` holds. What the disk refuses meanwhile says how the trial then goes on. */
export async function resumable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    const next = `go on with rein train --resume ${folder}: only what came after the last checkpoint is done again`;
    throw error.followedBy(next);
  }
}
