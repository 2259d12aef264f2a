export { ACTIVATIONS, type Activation } from './activation.ts';
export { checkLearnerConfig } from './check.ts';
export {
  ALGORITHMS,
  type AlgorithmName,
  criticOnlyUpdates,
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  PROVIDERS,
  type Provider,
  updatesPerCall,
} from './learner-config.ts';
export * from './settings/index.ts';
