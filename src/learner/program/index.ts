export type { Algorithm, Phase, PolicyDef } from './algorithm.ts';
export { drawBatch, drawSubset, splitBatch } from './batch.ts';
export {
  ALGORITHMS,
  type AlgorithmName,
  checkLearnerConfig,
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  updatesPerCall,
} from './config.ts';
export { type CostWeights, learnedReward } from './costs.ts';
export type { Measure } from './input-table.ts';
export { networksOf } from './networks-of.ts';
export { buildProgram, type Program, stateParts } from './program.ts';
export { type Draw, type InputArrays, inputArrays, ProgramInputs } from './program-inputs.ts';
export {
  DEFAULT_ENCODER_SETTINGS,
  type EncoderSettings,
  type FrozenEncoderSettings,
  trainedChannels,
} from './settings/index.ts';
export { criticInputSize, criticView, ENCODER, encoderSpec, policyInputSize, policyView, STATISTICS } from './sight.ts';
export type { LearnerSpec, NetworkDef, NumbersDef } from './spec.ts';
export { type MinimiseOptions, Step, type TrainingRandom } from './step.ts';
