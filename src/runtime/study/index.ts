export * from './curves/index.ts';
export type { DemonstrationSpec, EnvironmentOptions } from './environments/index.ts';
export * from './policies/index.ts';
export * from './sweep/index.ts';
export {
  type CurvePoint,
  freeTrialFolder,
  readCurve,
  readResult,
  readTrialSpec,
  runTrial,
  startFrom,
  startTrial,
  TRIAL_FILES,
  type TrialHooks,
  type TrialResult,
  type TrialSpec,
  writeTrialSpec,
} from './trial/index.ts';
