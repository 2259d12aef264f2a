import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { cloningWeight } from '../algorithms/bc.ts';
import { sac } from '../algorithms/sac.ts';
import { adamStep } from '../engine/optimiser.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { buildUpdateGraph } from './update-graph.ts';
import { inputArrays, UpdateInputs } from './update-inputs.ts';

const config = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,

  utd: 3,
  batchSize: 8,
  actorHidden: [4],
  criticHidden: [4],
  critics: 5,
  criticSubset: 2,
  discount: 0.9,
  bcAuxWeight: 1,
  demoFraction: 0.25,
};

/** Rewards name the rows: negative for demonstrations; every third transition ends its episode. */
function filled(call: number, online = 50, costs: Partial<LearnerConfig> = {}): Record<string, number[]> {
  const replay = new Replay(2, 1, 100);
  for (let i = 0; i < 20 + online; i++) {
    const t = createTransition(2, 1);
    t.source = i < 20 ? 'demo' : 'policy';
    t.reward = i < 20 ? -1 - i : 1 + i - 20;
    t.observation.fill(t.reward);
    t.nextObservation.fill(10 * t.reward);
    t.executed.fill(t.reward / 100);
    t.terminated = i % 3 === 0;
    t.cost = i / 100;
    t.tankDrainJ = i / 10;
    replay.add(t);
  }
  const spec = { parts: { stateSize: 2 }, actionSize: 1, config: { ...config, ...costs } };
  const updateGraph = buildUpdateGraph(sac, spec);
  const arrays = inputArrays(updateGraph, 3);
  const inputs = new UpdateInputs(updateGraph, spec, 3, arrays);
  const random = { batch: new Rng(1), noise: new Rng(2), subset: new Rng(3) };
  inputs.fill({ replay, visibleCount: online, demoFraction: config.demoFraction, call, random });
  return Object.fromEntries(
    Object.entries(arrays).map(([name, data]) => [name, Array.from(data as Float32Array, Number)]),
  );
}

describe('UpdateInputs', () => {
  it('gives every slice its own batch in the asked-for mix, demonstrations first', () => {
    const { reward } = filled(0);
    const slices = [0, 1, 2].map((k) => reward!.slice(8 * k, 8 * k + 8));
    for (const slice of slices) expect(slice.map((r) => r < 0)).toEqual([true, true, ...new Array(6).fill(false)]);
    expect(slices[0]).not.toEqual(slices[1]);
  });

  it('keeps the columns of a row together, with a discount of γ where the episode goes on and 0 where it ended', () => {
    const { reward, observation, next_observation, action, discount } = filled(0);
    reward!.forEach((r, i) => {
      expect(observation!.slice(2 * i, 2 * i + 2)).toEqual([r, r]);
      expect(next_observation!.slice(2 * i, 2 * i + 2)).toEqual([10 * r, 10 * r]);
      expect(action![i]).toBeCloseTo(r / 100, 6);
      const number = r < 0 ? -1 - r : r + 19;
      expect(discount![i]).toBeCloseTo(number % 3 === 0 ? 0 : 0.9, 6);
    });
  });

  it('deducts what filters and tank cost in a step from its reward, and nothing where that costs nothing', () => {
    const plain = filled(0)['reward']!;
    const costly = filled(0, 50, { filterActivityCost: 2, tankDrainCostPerJ: 0.5 })['reward']!;
    expect(plain.every(Number.isInteger)).toBe(true);
    plain.forEach((r, i) => {
      const number = r < 0 ? -1 - r : r + 19;
      expect(costly[i]).toBeCloseTo(r - 2 * (number / 100) - 0.5 * (number / 10), 5);
    });
  });

  it('halves the weight of cloning in the updates that the configuration says, or keeps it', () => {
    const fading = { ...config, bcAuxWeight: 2, bcAuxHalvingUpdates: 300 };
    expect(cloningWeight(fading, 0)).toBe(2);
    expect(cloningWeight(fading, 300)).toBeCloseTo(1, 12);
    expect(cloningWeight(fading, 900)).toBeCloseTo(0.25, 12);
    expect(cloningWeight({ ...fading, bcAuxHalvingUpdates: 0 }, 900)).toBe(2);
  });

  it('marks the demonstrations of every slice', () => {
    expect(filled(0)['is_demo']!.slice(16)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
    expect(filled(0, 1)['is_demo']!.slice(0, 8)).toEqual([1, 1, 1, 1, 1, 1, 1, 0]);
  });

  it('draws a subset of different critics for every slice', () => {
    const { subset } = filled(0);
    for (let k = 0; k < 3; k++) {
      const [a, b] = subset!.slice(2 * k, 2 * k + 2);
      expect(a).not.toBe(b);
      expect(Math.max(a!, b!)).toBeLessThan(5);
    }
    expect(new Set(subset).size).toBeGreaterThan(2);
  });

  it('counts the steps of every optimiser through the calls', () => {
    const { critic_step, critic_epsilon, actor_step, temperature_epsilon } = filled(7);
    for (let k = 0; k < 3; k++) {
      const { step, epsilon } = adamStep(7 * 3 + k + 1, config.learningRateCritic);
      expect(critic_step![k]).toBeCloseTo(step, 9);
      expect(critic_epsilon![k]).toBeCloseTo(epsilon, 9);
    }
    expect(actor_step![0]).toBeCloseTo(adamStep(8, config.learningRateActor).step, 9);
    expect(temperature_epsilon![0]).toBeCloseTo(adamStep(8, config.learningRateTemperature).epsilon, 9);
  });

  it('draws fresh standard normal noise', () => {
    const { noise, next_noise } = filled(0);
    const all = [...noise!, ...next_noise!];
    expect(new Set(all).size).toBe(all.length);
    expect(Math.abs(all.reduce((a, b) => a + b) / all.length)).toBeLessThan(0.6);
  });
});

describe('rows of several steps', () => {
  const spec = {
    parts: { stateSize: 1 },
    actionSize: 1,
    config: { ...config, nStep: 3, rewardScale: 2, rewardShift: 1 },
  };

  it('adds up scaled and shifted rewards, and discounts what follows by the steps that the row really spans', () => {
    const replay = new Replay(1, 1, 100);
    // One episode of four steps with reward 1 each, which the task ends.
    for (let step = 0; step < 4; step++) {
      const t = createTransition(1, 1);
      Object.assign(t, { step, seq: step, reward: 1, terminated: step === 3 });
      t.observation[0] = step;
      t.nextObservation[0] = step + 1;
      replay.add(t);
    }
    const updateGraph = buildUpdateGraph(sac, spec);
    const arrays = inputArrays(updateGraph, 1);
    const random = { batch: new Rng(1), noise: new Rng(2), subset: new Rng(3) };
    new UpdateInputs(updateGraph, spec, 1, arrays).fill({ replay, visibleCount: 4, demoFraction: 0, call: 0, random });
    const seen = new Set<number>();
    for (let i = 0; i < 8; i++) {
      const step = arrays['observation']![i] as number;
      seen.add(step);
      const spans = Math.min(3, 4 - step);
      const weights = [1, 0.9, 0.81].slice(0, spans).reduce((a, b) => a + b);
      expect(arrays['reward']![i]).toBeCloseTo(weights * (2 * 1 + 1), 5);
      expect(arrays['discount']![i]).toBeCloseTo(step + spans === 4 ? 0 : 0.9 ** spans, 6);
      expect(arrays['next_observation']![i]).toBe(step + spans);
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});
