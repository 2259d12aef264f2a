export { EVALUATION_SEED } from './study-trial.ts';
export { checkRuns, runSweep, type SweepOptions, sweepCurves } from './sweep.ts';
