/** Trainings that learn as they should, and the same broken on purpose: what the thresholds of `src/record/diagnosis` are held against. */
import { DEFAULT_LEARNER_CONFIG } from '../../src/learner/options.ts';
import type { Breakage, RigSpec } from './training-rig.ts';

const SMALL = { batchSize: 64, actorHidden: [64, 64], criticHidden: [64, 64] };

/** By name; seeds are of their own. */
const KINDS = {
  'point, RLPD': {
    environment: 'point',
    learner: 'rlpd',
    set: { utd: 2, bcInitSteps: 200, discount: 0.9, publishEveryUpdates: 20 },
    demonstrations: 20,
    skill: { actionNoise: 0.3 },
    steps: 800,
  },
  'insertion, small': {
    environment: 'insert-state',
    learner: 'rlpd',
    set: { ...SMALL, utd: 2 },
    demonstrations: 20,
    steps: 1200,
  },
  'insertion, RLPD': { environment: 'insert-state', learner: 'rlpd', demonstrations: 10, steps: 1600 },
  'insertion, HIL-SERL': {
    environment: 'insert-state',
    learner: 'hil-serl',
    set: { ...SMALL, utd: 2, bcInitSteps: 1000 },
    demonstrations: 5,
    operator: 'overseer',
    steps: 1600,
  },
  'pendulum, SAC': {
    environment: 'pendulum',
    learner: 'sac',
    set: { actorHidden: [64, 64], criticHidden: [64, 64], utd: 4 },
    steps: 1600,
  },
  'reacher, TD3': { environment: 'reacher', learner: 'td3', steps: 2000 },
  'insertion, WSRL': {
    environment: 'insert-state',
    learner: 'wsrl',
    set: {
      wsrl: { ...DEFAULT_LEARNER_CONFIG.wsrl, offlineUpdates: 2000 },
      critics: 4,
      ...SMALL,
      warmupSteps: 300,
      rewardScale: 10,
      discount: 0.97,
      initialTemperature: 0.01,
      bcAuxWeight: 10,
    },
    demonstrations: 20,
    steps: 1200,
  },
} satisfies Record<string, Omit<RigSpec, 'seed'>>;

export type Kind = keyof typeof KINDS;

export const HEALTHY: readonly (readonly [Kind, number])[] = [
  ['point, RLPD', 0],
  ['point, RLPD', 1],
  ['point, RLPD', 2],
  ['insertion, small', 0],
  ['insertion, small', 1],
  ['insertion, RLPD', 0],
  ['insertion, RLPD', 1],
  ['insertion, RLPD', 2],
  ['insertion, HIL-SERL', 3],
  ['insertion, HIL-SERL', 4],
  ['pendulum, SAC', 0],
  ['pendulum, SAC', 1],
  ['reacher, TD3', 0],
  ['reacher, TD3', 1],
  ['insertion, WSRL', 0],
];

export function specOf(kind: Kind, seed: number, broken?: Breakage): RigSpec {
  return { ...(KINDS[kind] as Omit<RigSpec, 'seed'>), seed, ...(broken === undefined ? {} : { broken }) };
}

export interface BrokenCase {
  /** What was done. */
  readonly what: string;
  /** The row that has to be bad. */
  readonly row: string;
  readonly kind: Kind;
  readonly other?: Partial<RigSpec>;
  readonly broken: Breakage;
}

const insertion = { kind: 'insertion, small' } as const;

export const BROKEN: readonly BrokenCase[] = [
  { ...insertion, what: 'the reward is always 0', row: 'reward-never', broken: { reward: () => 0 } },
  { ...insertion, what: 'the reward is always 1', row: 'reward-suspicious', broken: { reward: () => 1 } },
  {
    ...insertion,
    what: 'the classifier fires at the start pose',
    row: 'reward-suspicious',
    broken: { reward: (reward, { step }) => (step === 0 ? 1 : reward) },
  },
  {
    ...insertion,
    what: 'the observation is frozen',
    row: 'observation-constant',
    broken: {
      observe: (o, { first }) => o.set(first),
    },
  },
  {
    ...insertion,
    what: 'one number is in another unit',
    row: 'observation-scale',
    broken: {
      observe: (o) => {
        o[1]! *= 1000;
      },
    },
  },
  {
    ...insertion,
    what: 'readings jump',
    row: 'observation-jumps',
    broken: {
      observe: (o, { rng }) => {
        if (rng.uniform() < 0.08) o[0]! += 4;
      },
    },
  },
  { ...insertion, what: 'the safety chain clips everything', row: 'filters', broken: { actionLimit: 0.02 } },
  {
    ...insertion,
    what: 'the critics run after themselves',
    row: 'q-high',
    broken: {
      learner: {
        learningRateCritic: 0.003,
        layerNorm: false,
        targetRate: 1,
        criticSubset: 1,
        discount: 0.999,
        criticOnlyUpdates: 0,
      },
    },
  },
  {
    kind: 'pendulum, SAC',
    what: 'the actor learns far too fast',
    row: 'saturated',
    other: { steps: 2800 },
    broken: {
      learner: { learningRateActor: 0.1, rewardScale: 100, initialTemperature: 0.0001, minTemperature: 0.0001 },
    },
  },
  {
    kind: 'pendulum, SAC',
    what: 'the entropy target cannot be reached',
    row: 'entropy',
    broken: { learner: { targetEntropyPerDimension: 1, learningRateTemperature: 0.01 } },
  },
  {
    kind: 'pendulum, SAC',
    what: 'the policy loses its noise',
    row: 'entropy',
    broken: { learner: { learningRateActor: 0.1, initialTemperature: 0.0001, minTemperature: 0.0001 } },
  },
  { ...insertion, what: 'the learner is slow', row: 'learner-behind', broken: { learnerSpeed: 0.2 } },
  { ...insertion, what: 'weights are never published', row: 'stale-weights', broken: { publishes: false } },
  {
    ...insertion,
    what: 'the operator never lets go',
    row: 'interventions-many',
    other: { operator: 'always' },
    broken: {},
  },
  {
    ...insertion,
    what: 'nobody ever helps a policy that fails',
    row: 'interventions-rare',
    other: { demonstrations: 0, learner: 'sac' },
    broken: {},
  },
  {
    ...insertion,
    what: 'every second demonstration has its actions turned round',
    row: 'demonstrations-contradict',
    broken: {
      demonstration: (t, episode) => {
        if (episode % 2 === 0) for (let i = 0; i < 3; i++) t.executed[i]! *= -1;
      },
    },
  },
  { ...insertion, what: 'the time limit is too short', row: 'time-limit', broken: { maxSteps: 12 } },
  {
    ...insertion,
    what: 'the reward stops coming',
    row: 'q-collapsing',
    other: { steps: 2000 },
    broken: {
      reward: (reward, { steps }) => (steps > 800 ? 0 : reward),
      learner: { demoFraction: 0, replayCapacity: 300, targetRate: 0.02, learningRateCritic: 0.001 },
    },
  },
  { ...insertion, what: 'a stop cuts every episode', row: 'robot-stopped', broken: { stopsAfter: 4 } },
  {
    ...insertion,
    what: 'the demonstrations are not given',
    row: 'demonstrations-missing',
    broken: { demonstrations: 0 },
  },
  {
    ...insertion,
    what: 'a reward is beyond all numbers',
    row: 'not-finite',
    broken: { reward: (reward) => (reward > 0 ? 1e30 : 0) },
  },
  { ...insertion, what: 'cloning does not learn', row: 'offline-fit', broken: { learner: { learningRateBc: 1e-7 } } },
];
