export { demonstrationPrompt } from './demonstrations.ts';
export { EvaluationPool, type Trial, type TrialResult, trialRates } from './evaluation-pool.ts';
export { abandonRunFolder, createRunFolder, type RunFolder, runIdOf } from './run-folder.ts';
export { RunLog, type RunObserver, toolViewOf } from './run-log.ts';
export {
  evaluationSeed,
  type KeyboardHeard,
  type SimulationOptions,
  type SimulationResult,
  simulate,
} from './simulate.ts';
