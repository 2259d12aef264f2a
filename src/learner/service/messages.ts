/** A learner's files, and what a learner's process and its parent send each other. */
import type { LearnerStatus } from '../../link/index.ts';

/** Files that a learner writes into a run's folder. */
export const LEARNER_FILES = {
  metrics: 'metrics-learner.jsonl',
  checkpoints: 'checkpoints',
  /** Held by the learner that writes the others. */
  lock: 'learner.lock',
} as const;

/** What a learner process is started with, as JSON in its first argument. */
export interface LearnerProcessConfig {
  /** `config.yaml` of the run. */
  readonly configFile: string;
  readonly runId: string;
  readonly bind: string;
  readonly folder: string;
}

/** What a learner process tells its parent over the channel between them. */
export type LearnerProcessMessage =
  | { readonly kind: 'ready'; readonly address: string; readonly weightsAddress: string }
  | { readonly kind: 'fault'; readonly sentence: string }
  /** It has done every update that it owed, or was asked to end. */
  | { readonly kind: 'done'; readonly status: LearnerStatus }
  | { readonly kind: 'failed'; readonly message: string; readonly remedy: string | undefined };
