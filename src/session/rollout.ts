/** Exports for single episodes: for a thread that only evaluates, without journal, learner and supervision. */
export { encoderFor } from './encoder-file.ts';
export { createRunner, EpisodeRunner, type StepTimings } from './episode-runner.ts';
export { openBase } from './task-policies.ts';
