/** Offline learning from recorded data, without a robot: pre-training, exported policies, reward classifiers. */
export type { CollectedData, ExpertData, Lab, LoadLab } from './lab.ts';
export { NETWORKS, openTrialTraining, startFrom } from './networks.ts';
export { type Actor, openActor } from './policies/actor.ts';
export { exportEncoder, exportedFiles, exportPolicy } from './policies/export-policy.ts';
export { runPretraining } from './policies/pretrain.ts';
export type { PretrainingData } from './policies/pretraining-data.ts';
export { type ClassifierCheck, checkClassifier, type FalsePositive, truthOf } from './reward/check-classifier.ts';
export { collectLabels } from './reward/collect-labels.ts';
export { trainClassifier } from './reward/train-classifier.ts';
export {
  checkEmpty,
  type DemonstrationSpec,
  type EnvironmentOptions,
  readStoredSpec,
  readTrialSpec,
  readTrialSpecIfAny,
  TRIAL_FILES,
  type TrialSpec,
} from './trial-spec.ts';
