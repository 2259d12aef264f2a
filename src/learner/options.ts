/** The learner's settings with their defaults, without the engine that uses them. */
export { learnerSchema } from './options/algorithms.ts';
export { learnerFigures } from './options/figures.ts';
export { type InterventionRule, interventionRule } from './options/interventions.ts';
export {
  DEFAULT_LEARNER_CONFIG,
  type LearnerConfig,
  learnerProblems,
  standsStill,
  updatesPerCall,
} from './options/learner-config.ts';
