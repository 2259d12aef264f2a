export {
  STOP_TRIALS,
  type StopMeasure,
  type StopTrialName,
  type StopTrialResult,
  type StopTrialsResult,
} from './result.ts';
export { runStopTrials, type StopTrialsOptions } from './run-trials.ts';
export { formatStopTrials } from './table.ts';
