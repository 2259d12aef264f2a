/** State from which a restarted learner continues: its newest checkpoint; its robots resend their transitions. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCount, ReinError } from '../../model/index.ts';
import {
  type CheckpointKind,
  type FoundCheckpoint,
  readCheckpoint,
  type TrainingState,
  writeCheckpoint,
} from '../checkpoint.ts';
import type { ReplayPosition } from './awaited.ts';

/** Everything from which a learner continues, except the journals. */
export interface LearnerCheckpoint extends TrainingState {
  readonly runId: string;
  /** Hash of the observation and action specs. */
  readonly schemaHash: string;
  /** Versions of the policy published so far. */
  readonly policyVersion: number;
  readonly replay: ReplayPosition;
}

const KIND: CheckpointKind<LearnerCheckpoint> = {
  unit: 'update',
  isComplete: ({ runId, schemaHash, policyVersion, replay }) =>
    typeof runId === 'string' &&
    typeof schemaHash === 'string' &&
    [policyVersion, replay?.received, replay?.online, replay?.demonstrations].every(isCount),
};

/** Writes `checkpoint` into the run's `folder`. Rejects as `writeCheckpoint` does. */
export function writeLearnerCheckpoint(folder: string, checkpoint: LearnerCheckpoint): Promise<void> {
  return writeCheckpoint(checkpointsIn(folder), KIND, checkpoint.agent.updates, checkpoint);
}

/**
 * Reads the newest valid checkpoint of the run in `folder`; `undefined` if there is none. Rejects as `readCheckpoint` does, and with
 * `ReinError` ('checkpoint') if it belongs to another robot or task than `schemaHash`.
 */
export async function readLearnerCheckpoint(
  folder: string,
  schemaHash: string,
  onDamage: (message: string) => void,
): Promise<FoundCheckpoint<LearnerCheckpoint> | undefined> {
  const found = await readCheckpoint(checkpointsIn(folder), KIND, onDamage);
  if (found === undefined || found.checkpoint.schemaHash === schemaHash) return found;
  throw new ReinError('checkpoint', `The checkpoint ${found.path} has another robot or task.`, {
    remedy: 'Continue with the configuration and task that it was written with, or start anew.',
  });
}

/** Folder of the checkpoints of the run in `folder`. */
export function checkpointsIn(folder: string): string {
  return join(folder, 'checkpoints');
}

/** True if training in `folder` has written a checkpoint; its validity is not checked. */
export async function hasCheckpoint(folder: string): Promise<boolean> {
  const names = await readdir(checkpointsIn(folder)).catch(() => []);
  return names.some((name) => name.endsWith('.ckpt'));
}
