/** What every number of a learner's configuration has to be for training to make sense. */

import type { LearnerConfig } from './learner-config.ts';

interface Rule {
  readonly keys: readonly (keyof LearnerConfig)[];
  readonly says: string;
  readonly holds: (value: unknown) => boolean;
}

const isReal = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least;

const RULES: readonly Rule[] = [
  {
    keys: [
      'critics',
      'criticSubset',
      'batchSize',
      'utd',
      'nStep',
      'replayCapacity',
      'publishEveryUpdates',
      'checkpointEveryUpdates',
    ],
    says: 'an integer ≥ 1',
    holds: (value) => isCount(value, 1),
  },
  {
    keys: ['bcInitSteps', 'bcAuxHalvingUpdates', 'criticOnlyUpdates', 'warmupSteps', 'updatesPerCall', 'threads'],
    says: 'an integer ≥ 0',
    holds: (value) => isCount(value, 0),
  },
  { keys: ['discount', 'targetRate'], says: 'in (0, 1]', holds: (value) => isReal(value) && value > 0 && value <= 1 },
  { keys: ['demoFraction'], says: 'in [0, 1]', holds: (value) => isReal(value) && value >= 0 && value <= 1 },
  {
    keys: [
      'learningRateActor',
      'learningRateCritic',
      'learningRateTemperature',
      'learningRateBc',
      'initialTemperature',
      'minTemperature',
      'rewardScale',
    ],
    says: '> 0',
    holds: (value) => isReal(value) && value > 0,
  },
  {
    keys: ['weightDecay', 'gradientClip', 'bcAuxWeight', 'filterActivityCost', 'tankDrainCostPerJ'],
    says: '≥ 0',
    holds: (value) => isReal(value) && value >= 0,
  },
  { keys: ['targetEntropyPerDimension', 'rewardShift'], says: 'finite', holds: isReal },
  {
    keys: ['actorHidden', 'criticHidden'],
    says: 'a list of widths ≥ 1',
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every((width) => isCount(width, 1)),
  },
];

/** Throws `RangeError` with the name of the first setting that cannot work. */
export function checkLearnerConfig(config: LearnerConfig): void {
  for (const { keys, says, holds } of RULES) {
    for (const key of keys) {
      if (!holds(config[key]))
        throw new RangeError(`learner configuration: ${key} must be ${says}, got ${config[key]}`);
    }
  }
  const { criticSubset, critics, bcAuxRows, bcAuxWeight } = config;
  if (bcAuxRows === 'better' && bcAuxWeight === 0) {
    throw new RangeError('learner configuration: bcAuxRows: better does nothing where bcAuxWeight is 0');
  }
  if (criticSubset > critics) {
    throw new RangeError(`learner configuration: criticSubset (${criticSubset}) must not exceed critics (${critics})`);
  }
}
