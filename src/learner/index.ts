export * from './agent/index.ts';
export { benchLearner, type LearnerBenchCase, type LearnerBenchResult } from './bench.ts';
export {
  type CheckpointExpectation,
  readCheckpoint,
  rebuildReplay,
  writeCheckpoint,
} from './checkpoint.ts';
export type { Checkpoint, ReplayPosition } from './checkpoint-format.ts';
export * from './replay/index.ts';
export {
  ALGORITHMS,
  type AlgorithmName,
  checkLearnerConfig,
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  updatesPerCall,
} from './program/index.ts';
