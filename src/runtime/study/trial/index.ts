export { type Actor, openActor } from './actor.ts';
export { type Close, closedAfter } from './closing.ts';
export { holdsTrial, readTrialSpec, TRIAL_FILES, type TrialSpec, writeTrialSpec } from './spec.ts';
export { runTrial, startTrial, type TrialHooks } from './trial.ts';
export { openAgent, openTrialAgent, startFrom } from './trial-agent.ts';
export { type CurvePoint, readCurve, readResult, type TrialResult, writeResult } from './trial-files.ts';
export { freeTrialFolder } from './trial-folder.ts';
export { TrialParts } from './trial-parts.ts';
