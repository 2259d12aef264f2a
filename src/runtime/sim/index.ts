export { EvaluationPool, type Trial, type TrialResult, trialRates } from './evaluation-pool.ts';
export { abandonRunFolder, createRunFolder, type RunFolder, runIdOf } from './run-folder.ts';
export { RunLog, type RunObserver, toolViewOf } from './run-log.ts';
export {
  evaluationSeed,
  type SimulationOptions,
  type SimulationResult,
  simulate,
} from './simulate.ts';
