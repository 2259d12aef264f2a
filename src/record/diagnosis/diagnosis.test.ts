import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import type { MetricRecord, SetupRecord, UnstampedRecord, UpdateRecord } from '../metric-records.ts';
import type { Row } from './check.ts';
import { CHECKS } from './checks.ts';
import { Diagnosis } from './diagnosis.ts';

const SETUP: SetupRecord = {
  kind: 'setup',
  tS: 0,
  envStep: 0,
  stateSize: 2,
  actionSize: 2,
  maxSteps: 20,
  periodS: 0.1,
  isRealTime: false,
  demonstrations: 4,
  learner: {
    algorithm: 'rlpd',
    utd: 2,
    warmupSteps: 100,
    publishEverySteps: 10,
    discount: 0.97,
    rewardScale: 1,
    rewardShift: 0,
    normalisesObservations: false,
    entropyTarget: -0.5,
    initialTemperature: 0.01,
  },
};

/** A run of 1 200 steps in episodes of 10 that end with a reward; `step` and `update` may spoil it. A rewarded last step means success. */
interface Spoiled {
  readonly setup?: Partial<SetupRecord>;
  readonly step?: (t: Transition, at: number) => void;
  readonly update?: Partial<UpdateRecord>;
  readonly records?: readonly UnstampedRecord[];
  readonly demonstrations?: number;
  readonly steps?: number;
}

function run({
  setup,
  step = () => undefined,
  update = {},
  records = [],
  demonstrations = 4,
  steps = 1200,
}: Spoiled = {}): {
  readonly diagnosis: Diagnosis;
  readonly written: readonly MetricRecord[];
} {
  const diagnosis = new Diagnosis();
  const written: MetricRecord[] = [];
  const rng = new Rng(1);
  const write = (record: UnstampedRecord): void => {
    const stamped = { ...record, tS: written.length, envStep: 0 } as MetricRecord;
    written.push(stamped);
    diagnosis.add(stamped);
  };
  const make = (at: number, source: Transition['source']): void => {
    const t = createTransition(2, 2);
    t.source = source;
    t.step = at % 10;
    t.episode = Math.floor(at / 10);
    t.observation.set([t.step / 10, Math.sin(at)]);
    t.nextObservation.set([(t.step + 1) / 10, Math.sin(at + 1)]);
    const action = [Math.cos(at), source === 'demo' ? 0.5 : rng.uniformIn(-1, 1)];
    t.policyAction.set(action);
    t.executed.set(action);
    t.policyVersion = 1 + Math.floor(at / 10);
    t.terminated = t.step === 9;
    t.reward = t.terminated ? 1 : 0;
    step(t, at);
    for (const due of diagnosis.step(t)) write(due);
    if ((t.terminated || t.truncated) && source === 'policy') write(episode(t.terminated && t.reward > 0));
  };
  write({ ...SETUP, ...setup });
  for (let at = 0; at < 10 * demonstrations; at++) make(at, 'demo');
  for (let at = 0; at < steps; at++) make(at, 'policy');
  for (const [i, qMean] of [0.1, 0.4, 0.7].entries()) {
    const losses = { criticLoss: 0.01, actorLoss: -0.5, temperature: 0.01, entropy: -1, qMean };
    write({ kind: 'update', update: 1100 * (i + 0) + 2, refused: 0, updatesPerS: 100, utd: 2, ...losses });
  }
  const last = { update: 2200, criticLoss: 0.01, actorLoss: -0.5, temperature: 0.01, entropy: -1, qMean: 0.7 };
  write({ kind: 'update', refused: 0, updatesPerS: 100, utd: 2, ...last, ...update });
  write({ kind: 'calibration', pairs: Array.from({ length: 80 }, () => [0.7, 0.8] as const) });
  for (const record of records) write(record);
  for (const due of diagnosis.rest()) write(due);
  return { diagnosis, written };
}

function bad(rows: readonly Row[]): string[] {
  return rows.filter(({ state }) => state === 'bad').map(({ id }) => id);
}

const pairs = (q: number, realised: number): UnstampedRecord => ({
  kind: 'calibration',
  pairs: Array.from({ length: 240 }, () => [q, realised] as const),
});
const pretraining = (losses: readonly number[], values: readonly number[]): UnstampedRecord[] =>
  losses.map((loss, i) => ({
    kind: 'pretraining',
    phase: values.length > 0 ? 'offline' : 'cloning',
    update: 100 * i,
    loss,
    demonstrationQ: values[i] ?? null,
    demonstrationReturn: values.length > 0 ? 0.8 : null,
  }));
const episode = (success: boolean, mark?: 'success' | 'failure'): UnstampedRecord => ({
  kind: 'episode',
  episode: 0,
  purpose: 'training',
  success,
  steps: 10,
  returnSum: 1,
  interventions: 0,
  interventionSteps: 0,
  filterShare: 0,
  tankDrainJ: 0,
  marginMin: 1,
  policyVersion: 1,
  ...(mark === undefined ? {} : { mark }),
});

/** Every fifth training episode. */
const fails = ({ episode, source }: Transition): boolean => source === 'policy' && episode % 5 === 0;

const shownTimes =
  (factor: number) =>
  (t: Transition): void => {
    if (t.source === 'demo') t.executed[0]! *= factor;
  };

const SPOILED: readonly (readonly [row: string, what: string, spoiled: Spoiled])[] = [
  [
    'reward-never',
    'no step pays',
    {
      step: (t) => {
        t.reward = 0;
      },
    },
  ],
  [
    'reward-never',
    'every step costs the same, and none pays',
    {
      step: (t) => {
        t.reward = -1;
      },
    },
  ],
  [
    'reward-never',
    'the way is paid for, and success never comes',
    {
      step: (t, at) => {
        t.reward = Math.sin(at);
        t.truncated = t.terminated;
        t.terminated = false;
      },
    },
  ],
  [
    'reward-never',
    'failing costs, and success never comes',
    {
      step: (t) => {
        t.reward = t.terminated && t.episode % 5 === 0 && t.source === 'policy' ? -1 : 0;
      },
    },
  ],
  [
    'reward-suspicious',
    'the task ends with the first step',
    {
      step: (t, at) => {
        t.step = 0;
        t.terminated = true;
        t.reward = Math.sin(at);
      },
    },
  ],
  [
    'reward-suspicious',
    'every step pays',
    {
      step: (t) => {
        t.reward = 1;
      },
    },
  ],
  [
    'reward-suspicious',
    'the first step pays',
    {
      step: (t) => {
        t.reward = t.step === 0 ? 1 : 0;
      },
    },
  ],
  [
    'reward-suspicious',
    'demonstrations do not pay',
    {
      step: (t) => {
        t.reward = t.source === 'demo' ? 0 : t.reward;
      },
    },
  ],
  [
    'reward-suspicious',
    'people judge otherwise',
    { records: Array.from({ length: 20 }, () => episode(true, 'failure')) },
  ],
  ['time-limit', 'demonstrations need all of it', { setup: { maxSteps: 11 } }],
  ['discount', 'it forgets within a step', { setup: { learner: { ...SETUP.learner!, discount: 0.2 } } }],
  ['demonstrations-otherwise', 'their actions are turned round', { step: shownTimes(-1) }],
  ['demonstrations-otherwise', 'their actions are in another unit', { step: shownTimes(0.2) }],
  ['demonstrations-missing', 'nobody has given any', { demonstrations: 0 }],
  ['observation-constant', 'nothing changes', { step: (t) => void t.nextObservation.set(t.observation) }],
  [
    'observation-scale',
    'a number is 300 large',
    {
      step: (t) => {
        t.observation[1] = 300;
      },
    },
  ],
  [
    'observation-jumps',
    'a reading leaps',
    {
      step: (t, at) => {
        t.observation[0] = at % 20 === 5 ? 9 : t.step / 100;
        t.nextObservation[0] = at % 20 === 4 ? 9 : (t.step + 1) / 100;
      },
    },
  ],
  ['robot-stopped', 'what is asked for is not done', { step: (t) => void t.executed.fill(0) }],
  [
    'robot-stopped',
    'a stop cuts every episode',
    {
      step: (t) => {
        t.truncated = t.terminated;
        t.terminated = false;
      },
    },
  ],
  [
    'filters',
    'all ticks are changed',
    {
      step: (t) => {
        t.cost = 1;
      },
    },
  ],
  [
    'filters',
    'a fifth of what is asked for is done',
    {
      step: (t) =>
        void t.executed.forEach((_, i, all) => {
          all[i]! *= 0.2;
        }),
    },
  ],
  [
    'saturated',
    'the policy asks for the ends alone',
    { step: (t, at) => void t.policyAction.fill(at % 2 === 0 ? 1 : -1) },
  ],
  ['entropy', 'there is none', { update: { entropy: -30 } }],
  ['entropy', 'the temperature has run away', { update: { temperature: 3 } }],
  [
    'interventions-many',
    'a person drives',
    {
      step: (t) => {
        t.source = t.source === 'demo' ? 'demo' : 'human_correct';
      },
    },
  ],
  [
    'interventions-rare',
    'nobody helps a policy that fails',
    {
      step: (t, at) => {
        t.reward = at > 20 ? 0 : t.reward;
      },
    },
  ],
  ['learner-behind', 'a third of the updates is done', { update: { update: 700 } }],
  [
    'stale-weights',
    'the same weights act',
    {
      step: (t) => {
        t.policyVersion = 1;
      },
    },
  ],
  ['not-finite', 'calls are thrown away', { update: { refused: 40 } }],
  ['q-high', 'Q is far above what came', { records: [pairs(1.9, 0.8)] }],
  ['q-high', 'Q is above the best that can come', { update: { qMean: 60 } }],
  ['q-collapsing', 'Q has fallen', { update: { qMean: 0.1 } }],
  ['q-collapsing', 'Q is below the worst that can come', { update: { qMean: -40 } }],
  ['offline-fit', 'cloning has not learned', { records: pretraining([1, 1, 1, 1], []) }],
  [
    'offline-fit',
    'Q on the data has fallen from its peak',
    { records: pretraining([1, 0.5, 0.3, 0.2], [0.2, 2.5, 1.5, 0.4]) },
  ],
];

describe('a diagnosis', () => {
  it('finds nothing bad or doubtful in a run that learns, and knows it of nearly all checks', () => {
    const rows = run({ records: pretraining([1, 0.5, 0.3, 0.2], []) }).diagnosis.rows();
    expect(rows.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    expect(rows.filter(({ state }) => state === 'bad' || state === 'warn')).toEqual([]);
    expect(rows.filter(({ state }) => state === 'unknown').map(({ id }) => id)).toEqual([]);
  });

  it.each([
    ['failing costs', (t: Transition) => (t.terminated ? (fails(t) ? -1 : 1) : 0)],
    ['failing costs more than each step does', (t: Transition) => (t.terminated ? (fails(t) ? -1 : 1) : -0.01)],
    ['each step costs until it is done', (t: Transition) => (t.terminated ? 0.5 : -1)],
    ['each step pays until it is lost', (t: Transition) => (t.terminated && fails(t) ? 0 : 1)],
  ])('finds nothing bad or doubtful where %s', (_what, rewardOf) => {
    const { diagnosis } = run({
      step: (t) => {
        t.reward = rewardOf(t);
      },
      update: { qMean: 0.7 },
    });
    expect(diagnosis.rows().filter(({ state }) => state === 'bad' || state === 'warn')).toEqual([]);
  });

  it('leaves the first minutes to people, and the first episodes to the time limit', () => {
    const driven = run({
      steps: 700,
      step: (t) => void (t.source === 'policy' && Object.assign(t, { source: 'human_correct' })),
    });
    const limited = (t: Transition, at: number): void => {
      t.reward = Math.sin(at);
      t.truncated = t.terminated && at >= 10;
      t.terminated &&= at < 10;
    };
    const slow = run({ steps: 250, step: limited, setup: { maxSteps: 10 }, demonstrations: 0 });
    const wrong = [driven, slow].flatMap(({ diagnosis }) =>
      diagnosis.rows().filter(({ state }) => /bad|warn/.test(state)),
    );
    const early = ['interventions-many', 'time-limit'];
    expect(wrong.filter(({ id }) => early.includes(id))).toEqual([]);
  });

  it.each(SPOILED)('lights %s where %s', (row, _what, spoiled) => {
    expect(bad(run(spoiled).diagnosis.rows())).toContain(row);
  });

  it('has a case for every check', () => {
    expect(new Set(SPOILED.map(([row]) => row)).add('demonstrations-contradict')).toEqual(
      new Set(CHECKS.map(({ id }) => id)),
    );
  });

  it('sees demonstrations that go opposite ways where they are near, and not those that agree', () => {
    const turned = (t: Transition, at: number): void => {
      if (t.source === 'demo' && Math.floor(at / 10) % 2 === 0) for (let i = 0; i < 2; i++) t.executed[i]! *= -1;
    };
    const row = (spoiled: Spoiled): Row =>
      run(spoiled)
        .diagnosis.rows()
        .find(({ id }) => id === 'demonstrations-contradict')!;
    const same = (t: Transition): void => void t.executed.set([Math.cos(t.step), 0.5]);
    const observed = (t: Transition): void => void t.observation.set([t.step / 10, Math.sin(t.step)]);
    const both = (t: Transition, at: number): void => {
      same(t);
      observed(t);
      turned(t, at);
    };
    expect(row({ step: both }).state).toBe('bad');
    const agreeing = (t: Transition): void => {
      same(t);
      observed(t);
    };
    expect(row({ step: agreeing }).state).toBe('ok');
  });

  it('says the same from what was written as live, and nothing bad of a run of which nothing is known', () => {
    const { diagnosis, written } = run({
      step: (t) => {
        t.reward = 0;
      },
    });
    const later = new Diagnosis();
    for (const record of JSON.parse(JSON.stringify(written)) as MetricRecord[]) later.add(record);
    expect(later.rows()).toEqual(diagnosis.rows());
    expect(new Set(new Diagnosis().rows().map(({ state }) => state))).toEqual(new Set(['unknown']));
  });

  it('tells of each thing that turns bad once', () => {
    const { diagnosis } = run({
      step: (t) => {
        t.cost = 1;
      },
    });
    expect(diagnosis.turnedBad(diagnosis.rows()).map(({ id }) => id)).toEqual(['filters']);
    expect(diagnosis.turnedBad(diagnosis.rows())).toEqual([]);
  });

  it('passes over records that are not whole, whoever sent them', () => {
    const { diagnosis, written } = run();
    const before = diagnosis.rows();
    const kinds = [...written.map(({ kind }) => kind), 'constructor', '__proto__', 'toString'];
    for (const kind of kinds) diagnosis.add({ kind } as MetricRecord);
    expect(diagnosis.rows()).toEqual(before);
    for (const record of written) {
      for (const key of Object.keys(record)) {
        if (key !== 'kind') diagnosis.add({ ...record, [key]: 'x' } as unknown as MetricRecord);
      }
    }
    expect(() => diagnosis.rows()).not.toThrow();
  });

  it('needs no more memory for a long run than for a short one', () => {
    const { diagnosis, written } = run();
    const update = written.find(({ kind }) => kind === 'update')!;
    for (let i = 0; i < 20_000; i++) diagnosis.add({ ...update, update: 2200 } as MetricRecord);
    // 64 kept at most, regardless of the number added.
    expect(JSON.stringify(diagnosis.rows()).length).toBeLessThan(30_000);
  });
});
