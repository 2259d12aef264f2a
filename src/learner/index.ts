export * from './agent/index.ts';
export { benchLearner, type LearnerBenchResult, serveBlocks } from './bench/index.ts';
export {
  type CheckpointExpectation,
  readCheckpoint,
  rebuildReplay,
  writeCheckpoint,
} from './checkpoint.ts';
export type { Checkpoint, ReplayPosition } from './checkpoint-format.ts';
export { chooseThreads, sampleLoad } from './engine/index.ts';
export { FrozenEncoder, type FrozenEncoderOptions, ObservationEncoder } from './imports/index.ts';
export {
  ALGORITHMS,
  type AlgorithmName,
  checkLearnerConfig,
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  updatesPerCall,
} from './program/index.ts';
export * from './replay/index.ts';
