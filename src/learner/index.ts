export * from './agent/index.ts';
export { BareTrainer, benchLearner, type LearnerBenchResult, serveBlocks } from './bench/index.ts';
export {
  type CheckpointExpectation,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint.ts';
export type { Checkpoint, ReplayPosition } from './checkpoint-format.ts';
export {
  ALGORITHMS,
  type AlgorithmName,
  checkLearnerConfig,
  criticOnlyUpdates,
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  updatesPerCall,
} from './config/index.ts';
export { threadsHere } from './engine/index.ts';
export { encoderPorts, type ObservationEncoder, openObservationEncoder, type SeenTransition } from './imports/index.ts';
export * from './replay/index.ts';
