/** Settings of a learner that its metrics are interpreted with. */
import type { LearnerFigures } from '../../record/index.ts';
import type { LearnerConfig } from './learner-config.ts';

/** Selects the settings that are written to a run's metrics. */
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
