/** What a learner's settings are for those who hold its figures against them. */
import type { LearnerFigures } from '../../record/index.ts';
import type { LearnerConfig } from './learner-config.ts';

/** As it stands in a run's metrics. */
export function learnerFigures(config: LearnerConfig): LearnerFigures {
  return {
    algorithm: config.algorithm,
    utd: config.utd,
    warmupSteps: config.warmupSteps,
    publishEverySteps: config.publishEveryUpdates / config.utd,
    discount: config.discount,
    rewardScale: config.rewardScale,
    rewardShift: config.rewardShift,
    normalisesObservations: config.normaliseObservations,
    entropyTarget: config.targetEntropyPerDimension,
    initialTemperature: config.initialTemperature,
  };
}
