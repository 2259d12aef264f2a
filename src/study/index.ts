/** Many seeds of an algorithm: trials, curves, verdicts, exported policies. */
export { meanInterval } from './curves/intervals.ts';
export { measured, partOf, type SeedCurve, type StudyCurves } from './curves/samples.ts';
export { judge, type Verdict } from './curves/verdict.ts';
export { exportEncoder, exportedFiles, exportPolicy } from './policies/export-policy.ts';
export { runPretraining } from './policies/pretrain.ts';
export type { PretrainingData } from './policies/pretraining-data.ts';
export { type ClassifierCheck, checkClassifier, type FalsePositive, truthOf } from './reward/check-classifier.ts';
export { collectLabels } from './reward/collect-labels.ts';
export { trainClassifier } from './reward/train-classifier.ts';
export { checkRuns, EVALUATION_SEED, runSweep, sweepCurves } from './sweep/sweep.ts';
export { freeTrialFolder, type TrialSpec } from './trial/spec.ts';
export { runTrial, startTrial, type TrialHooks } from './trial/trial.ts';
export type { CurvePoint, TrialResult } from './trial/trial-files.ts';
export { startFrom } from './trial/trial-parts.ts';
