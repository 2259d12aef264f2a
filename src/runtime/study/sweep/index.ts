export { EVALUATION_SEED } from './study-trial.ts';
export { runSweep, type SweepOptions, sweepCurves } from './sweep.ts';
