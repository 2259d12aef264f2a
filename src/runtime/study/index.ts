export type { EnvironmentOptions } from './environments.ts';
export { type DemonstrationSpec, readTrialSpec, TRIAL_FILES, type TrialSpec, writeTrialSpec } from './spec.ts';
export { runTrial, type TrialHooks } from './trial.ts';
export { type CurvePoint, readCurve, readResult, type TrialResult } from './trial-files.ts';
export { createTrialFolder } from './trial-folder.ts';
