export type { EnvironmentOptions } from './environments.ts';
export { type ExportedPolicy, exportPolicy } from './export-policy.ts';
export { type MeanInterval, meanInterval } from './intervals.ts';
export { type PretrainingData, type PretrainingRequest, type PretrainingResult, runPretraining } from './pretrain.ts';
export {
  type CurveSample,
  measured,
  partOf,
  readSamples,
  type SeedCurve,
  type StudyCurves,
  sampleOf,
  writeSamples,
} from './samples.ts';
export { type DemonstrationSpec, readTrialSpec, TRIAL_FILES, type TrialSpec, writeTrialSpec } from './spec.ts';
export { EVALUATION_SEED } from './study-trial.ts';
export { runSweep, type SweepOptions, sweepCurves } from './sweep.ts';
export { runTrial, type TrialHooks } from './trial.ts';
export { startFrom } from './trial-agent.ts';
export { type CurvePoint, readCurve, readResult, type TrialResult } from './trial-files.ts';
export { createTrialFolder } from './trial-folder.ts';
export { judge, type Outcome, type Verdict } from './verdict.ts';
