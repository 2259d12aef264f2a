/** Files that a learner writes into a run's folder. */
export const LEARNER_FILES = {
  metrics: 'metrics-learner.jsonl',
  checkpoints: 'checkpoints',
  /** Held by the learner that writes the others. */
  lock: 'learner.lock',
} as const;
