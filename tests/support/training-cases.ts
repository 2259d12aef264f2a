/** Trainings that learn as they should, and the same broken on purpose: what the thresholds of `src/record/diagnosis` are held against. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { DEFAULT_LEARNER_CONFIG } from '../../src/learner/options.ts';
import { CHECKS } from '../../src/record/diagnosis/checks.ts';
import type { DescribedSpec, Keys } from './described-training.ts';
import type { Breakage, RigResult, RigSpec } from './training-rig.ts';

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
  'insertion, each step costs': {
    environment: 'insert-state',
    learner: 'rlpd',
    set: { ...SMALL, utd: 2 },
    demonstrations: 20,
    steps: 1200,
    broken: { reward: (reward: number) => (reward > 0 ? 1 : -0.02) },
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
  ['insertion, each step costs', 0],
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

/** Turns what was done in demonstrations into something else. */
const shown =
  (change: (executed: Float32Array) => void): NonNullable<Breakage['demonstration']> =>
  ({ executed }) =>
    change(executed);

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
        criticOnlySteps: 0,
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
  {
    ...insertion,
    what: 'all demonstrations have one action turned round',
    row: 'demonstrations-otherwise',
    broken: {
      demonstration: shown((executed) => {
        executed[0]! *= -1;
      }),
    },
  },
  {
    ...insertion,
    what: 'demonstrations have two actions in each other’s place',
    row: 'demonstrations-otherwise',
    broken: { demonstration: shown((executed) => executed.subarray(0, 2).reverse()) },
  },
  {
    ...insertion,
    what: 'demonstrations have their actions in another unit',
    row: 'demonstrations-otherwise',
    broken: {
      demonstration: shown((executed) => {
        for (let i = 0; i < executed.length; i++) executed[i]! *= 0.1;
      }),
    },
  },
  {
    kind: 'point, RLPD',
    what: 'the observation leaves the target out, and demonstrations know it',
    row: 'demonstrations-contradict',
    broken: {
      observe: (o) => {
        o[1] = 0;
      },
    },
  },
  { ...insertion, what: 'the discount is 0.2', row: 'discount', broken: { learner: { discount: 0.2 } } },
  {
    ...insertion,
    what: 'an operator holds the robot still',
    row: 'interventions-many',
    other: { operator: 'holds' },
    broken: {},
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

type Described = Omit<DescribedSpec, 'seed'>;

const OUTSIDE: Keys = { rule: 'outside', place: 'tool', minM: [0.3, -0.22, 0.2], maxM: [0.6, 0.22, 0.5] };
const UNSHOWN: Keys = { demonstrations: 0, demonstrator: undefined };
/** Episodes so short that many fit into a training of seconds. */
const SHORT: Keys = { maxSteps: 20 };
const SEVEN_JOINTS: Keys = {
  kind: 'joint',
  dimensions: [1, 2, 3, 4, 5, 6, 7].map((number) => ({ name: `joint${number}`, scale: 0.1, unit: 'rad' })),
};

/** Those of arm7, with other limits. */
function jointsWith(limits: Keys): readonly Keys[] {
  const arm = parse(readFileSync(new URL('../../config/robots/arm7.yaml', import.meta.url), 'utf8')) as {
    joints: Keys[];
  };
  return arm.joints.map((joint) => ({ ...joint, ...limits }));
}

/** Described tasks that are learned, by what is special of them. */
export const DESCRIBED_HEALTHY: readonly (readonly [what: string, Described])[] = [
  [
    'reach, failing costs 1',
    { task: 'reach', steps: 1200, change: { demonstrations: 10, failure: { penalty: 1, any: [OUTSIDE] } } },
  ],
  ['sweep, paid for the way', { task: 'sweep', steps: 2000, change: {} }],
  [
    'reach by seven joints, paid for the way',
    {
      task: 'reach',
      steps: 2000,
      change: {
        ...UNSHOWN,
        action: SEVEN_JOINTS,
        start: {},
        goal: { atM: [0.45, 0, 0.4], spreadM: [0.05, 0.25, 0.05] },
        observation: { jointVelocities: false, places: [{ place: 'goal', from: 'tool', scaleM: 0.2 }] },
        success: { all: [{ rule: 'near', place: 'tool', to: 'goal', withinM: 0.05 }] },
        reward: { progress: { place: 'tool', perM: 5 } },
      },
    },
  ],
];

export const DESCRIBED_BROKEN: readonly (Described & Pick<BrokenCase, 'what' | 'row'>)[] = [
  {
    // In millimetres it is refused before anything starts.
    what: 'the success box is in decimetres',
    row: 'reward-never',
    task: 'sweep',
    steps: 1100,
    change: {
      ...SHORT,
      success: { all: [{ rule: 'inside', place: 'block', minM: [6, -3, 0], maxM: [8, 3, 1] }] },
    },
  },
  {
    what: 'the first motion leaves the failure box',
    row: 'reward-suspicious',
    task: 'reach',
    steps: 420,
    change: {
      ...UNSHOWN,
      start: { toolM: [0.42, 0, 0.35], spreadM: [0, 0, 0] },
      failure: { any: [{ rule: 'outside', place: 'tool', minM: [0.418, -0.002, 0.348], maxM: [0.422, 0.002, 0.352] }] },
    },
  },
  {
    what: 'success is out of reach, and failing costs 1',
    row: 'reward-never',
    task: 'reach',
    steps: 600,
    change: {
      ...UNSHOWN,
      ...SHORT,
      success: { all: [{ rule: 'near', place: 'tool', to: 'goal', withinM: 0.000001 }] },
      failure: { penalty: 1, any: [OUTSIDE] },
    },
  },
  {
    what: 'the goal is outside the workspace',
    row: 'reward-never',
    task: 'sweep',
    steps: 1100,
    change: {
      ...SHORT,
      goal: { atM: [0.95, 0, 0.03] },
      success: { all: [{ rule: 'inside', place: 'block', minM: [0.9, -0.3, 0], maxM: [1.1, 0.3, 0.1] }] },
    },
  },
  {
    what: 'the observation leaves the goal out',
    row: 'reward-never',
    task: 'reach',
    steps: 1100,
    change: {
      ...UNSHOWN,
      ...SHORT,
      observation: { jointVelocities: false, places: [{ place: 'tool', from: 'base', scaleM: 0.5 }] },
      reward: { progress: { place: 'tool', perM: 2 } },
    },
  },
  {
    what: 'the arm may hardly accelerate',
    row: 'filters',
    task: 'reach',
    steps: 300,
    change: { ...UNSHOWN, ...SHORT },
    robot: { joints: jointsWith({ velocityMaxRadPerS: 0.7, accelMaxRadPerS2: 0.2 }) },
  },
];

/** The worst of each number that something is judged by. */
export function worstOf({ extremes }: Pick<RigResult, 'extremes'>): Record<string, number> {
  const measured = limits().flatMap(({ key, limit }) => {
    const range = extremes.get(key);
    return range === undefined ? [] : [[key, Number(range[limit.side === 'above' ? 1 : 0].toPrecision(3))] as const];
  });
  return Object.fromEntries(measured);
}

/** Numbers that are worse than what is said of healthy runs. */
export function beyondHealthy(result: Pick<RigResult, 'extremes'>): string[] {
  const worst = worstOf(result);
  return limits().flatMap(({ key, limit }) => {
    const value = worst[key];
    if (value === undefined || limit.healthy === undefined) return [];
    const isWorse = limit.side === 'above' ? value > limit.healthy : value < limit.healthy;
    return isWorse ? [`${key}: ${value}`] : [];
  });
}

function limits() {
  return CHECKS.flatMap(({ id, limits: all }) => all.map((limit) => ({ key: `${id}: ${limit.what}`, limit })));
}
