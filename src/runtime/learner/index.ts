export { expectedCheckpoint, learnedSizes } from './learned-sizes.ts';
export { Learner, type LearnerOptions } from './learner.ts';
export {
  LEARNER_FILES,
  type LearnerProcessConfig,
  type LearnerProcessMessage,
} from './messages.ts';
