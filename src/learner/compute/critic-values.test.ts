/** Critic values against the same network in plain numbers. */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { type Agent, createAgent } from '../agent/agent.ts';
import { criticNetwork } from '../algorithms/sac.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { stateParts } from '../update/state.ts';

const [O, A] = [3, 2];
const tiny: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  actorHidden: [4],
  criticHidden: [5, 4],
  batchSize: 8,
  utd: 1,
  critics: 3,
  targetRate: 0.1,
  learningRateCritic: 0.05,
};

/** Mean over the members of Q(s, a) from the state of a snapshot. */
function plainValue(
  { algorithm, spec, config }: Agent,
  state: Float32Array,
  s: ArrayLike<number>,
  a: ArrayLike<number>,
): number {
  const { layout } = criticNetwork(spec);
  const before = stateParts(algorithm, spec).slice(0, 3);
  const start = before.reduce((sum, { shape }) => sum + shape[0]!, 0);
  let sum = 0;
  for (let member = 0; member < config.critics; member++) {
    const parameter = (name: string) => {
      const { offset, size } = layout.entries.find((entry) => entry.name === name)!;
      const from = start + member * layout.size + offset;
      return Array.from(state.subarray(from, from + size));
    };
    const dense = (name: string, x: number[]) => {
      const [w, b] = [parameter(`${name}.weight`), parameter(`${name}.bias`)];
      return b.map((bias, j) => x.reduce((total, value, i) => total + value * w[i * b.length + j]!, bias));
    };
    let x = [...Array.from(s), ...Array.from(a)];
    config.criticHidden.forEach((_, i) => {
      let y = dense(`hidden${i}`, x);
      if (config.layerNorm) {
        const mean = y.reduce((p, v) => p + v, 0) / y.length;
        const std = Math.sqrt(y.reduce((p, v) => p + (v - mean) ** 2, 0) / y.length + 1e-5);
        const [scale, shift] = [parameter(`hidden${i}.scale`), parameter(`hidden${i}.shift`)];
        y = y.map((v, j) => ((v - mean) / std) * scale[j]! + shift[j]!);
      }
      x = y.map((v) => Math.max(0, v));
    });
    sum += dense('value', x)[0]!;
  }
  return sum / config.critics;
}

function random(count: number, seed: number): Float32Array {
  const values = new Float32Array(count);
  new Rng(seed).fillNormal(values);
  return values;
}

async function expectPlainValues(agent: Agent, count: number): Promise<void> {
  const [observations, actions] = [random(count * O, 1), random(count * A, 2)];
  const values = await agent.criticValues(observations, actions);
  const { state } = await agent.snapshot();
  expect(values.length).toBe(count);
  values.forEach((value, i) => {
    const plain = plainValue(agent, state, observations.subarray(i * O, i * O + O), actions.subarray(i * A, i * A + A));
    expect(value).toBeCloseTo(plain, 4);
  });
}

const replay = new Replay(O, A, 100);
for (let i = 0; i < 50; i++) {
  const t = createTransition(O, A);
  t.observation.set(random(O, 3 * i));
  t.nextObservation.set(random(O, 3 * i + 1));
  t.executed.set(random(A, 3 * i + 2).map(Math.tanh));
  t.reward = i % 5;
  replay.add(t);
}

describe('criticValues', () => {
  it.each([true, false])(
    'is the mean over the critics, of the parameters as they are after each update (layerNorm %s)',
    async (layerNorm) => {
      const config = { ...tiny, layerNorm };
      const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config, seed: 1 });
      await expectPlainValues(agent, 3);
      for (let call = 0; call < 3; call++) {
        await agent.update(replay, 50);
        await expectPlainValues(agent, 5);
      }
      await agent.close();
    },
  );

  it('takes any number of rows', async () => {
    const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config: tiny, seed: 2 });
    for (const count of [0, 1, 64, 65, 150]) await expectPlainValues(agent, count);
    await agent.close();
  });

  it('changes nothing that training depends on', async () => {
    const [asked, left] = [
      await createAgent({ parts: { stateSize: O }, actionSize: A, config: tiny, seed: 3 }),
      await createAgent({ parts: { stateSize: O }, actionSize: A, config: tiny, seed: 3 }),
    ];
    for (let call = 0; call < 3; call++) {
      await asked.criticValues(random(O, 1), random(A, 2));
      await Promise.all([asked.update(replay, 50), left.update(replay, 50)]);
    }
    expect(await asked.snapshot()).toEqual(await left.snapshot());
  });

  it('refuses rows that do not belong together', async () => {
    const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config: tiny, seed: 4 });
    await expect(agent.criticValues(random(2 * O, 1), random(A, 2))).rejects.toThrow(RangeError);
    await expect(agent.criticValues(random(O + 1, 1), random(A, 2))).rejects.toThrow('not rows of 3 and 2');
  });
});
