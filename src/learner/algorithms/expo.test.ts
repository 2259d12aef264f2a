import { describe, expect, it } from 'vitest';
import { bandit, errorOnBandit } from '../../../tests/support/learner/bandit.ts';
import { gaussian, takeApart } from '../../../tests/support/learner/checked-tensors.ts';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import { worstDifference } from '../../../tests/support/learner/plain-reference.ts';
import { Rng } from '../../model/index.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { gaussianActorLayout } from '../networks/actor.ts';
import { criticLayout, critics } from '../networks/critic.ts';
import { denoiserLayout } from '../networks/denoiser.ts';
import { alphas, diffusion } from '../networks/diffusion.ts';
import { flow } from '../networks/flow.ts';
import { add, mul } from '../ops/elements.ts';
import { concat, reduceSum, reshape } from '../ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { editedLogProbability, editLoss, editShare, expo } from './expo.ts';
import { drawEdit } from './on-the-fly.ts';

const [B, O, A, K] = [6, 3, 2, 2];

function specOf(settings: Partial<LearnerConfig['expo']> = {}, overrides: Partial<LearnerConfig> = {}): LearnerSpec {
  const small = { actorHidden: [4], criticHidden: [5], critics: 3, batchSize: B };
  const own = { ...DEFAULT_LEARNER_CONFIG.expo, baseHidden: [4], candidates: 3, edited: 2, steps: 2, ...settings };
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    algorithm: 'expo',
    ...small,
    expo: own,
    ...overrides,
  };
  return { parts: { stateSize: O }, actionSize: A, config };
}

async function evaluated(build: (g: Graph) => Tensor): Promise<number[]> {
  const g = new Graph('golden', 'float64');
  g.output('y', build(g));
  const session = await Session.create(g.serialize());
  const { y } = await session.evaluate(new Bindings());
  await session.close();
  return Array.from(y!.data, Number);
}

describe('the base policy', () => {
  /** Parameters with which the network gives `value` for everything. */
  function constantNetwork(g: Graph, value: number) {
    const layout = denoiserLayout(1, [1], 1);
    return Object.fromEntries(
      layout.entries.map(({ name, shape, size }) => [
        name,
        g.constant(new Float64Array(size).fill(name === 'direction.bias' ? value : 0), shape),
      ]),
    );
  }
  const at = (g: Graph, value: number, rows = 1) => g.constant(new Float64Array(rows).fill(value), [rows, 1]);

  it('as a flow: learns the way from noise to action, and follows it', async () => {
    // (v − (a − x₀))² = (2 − (0.5 + 1.5))²; then 0.3 more, four steps of a quarter of 0.4.
    const loss = await evaluated((g) =>
      flow(1, 4).loss(constantNetwork(g, 2.3), { observation: at(g, 0), action: at(g, 0.5) }, at(g, -1.5), at(g, 0.7)),
    );
    expect(loss[0]).toBeCloseTo(0.09, 12);
    const act = (value: number) => evaluated((g) => flow(1, 4).act(constantNetwork(g, value), at(g, 0), at(g, -0.1)));
    expect((await act(0.4))[0]).toBeCloseTo(0.3, 12);
    expect(await act(9)).toEqual([1]);
  });

  it('as a diffusion: has the published schedule', () => {
    // exp(−0.1/T − ½·9.9·(2i − 1)/T²) for T = 2, i = 1 and 2.
    expect(alphas(2)[0]).toBeCloseTo(Math.exp(-0.05 - 1.2375), 12);
    expect(alphas(2)[1]).toBeCloseTo(Math.exp(-0.05 - 3.7125), 12);
    // After ten steps almost nothing of the action is left.
    expect(alphas(10).reduce((product, a) => product * a)).toBeCloseTo(Math.exp(-0.1 - 4.95), 12);
  });

  it('as a diffusion: learns the noise, and takes it out step by step', async () => {
    const loss = (time: number) =>
      evaluated((g) =>
        diffusion(1, 2).loss(
          constantNetwork(g, 0.5),
          { observation: at(g, 0), action: at(g, 0.2) },
          at(g, -1.5),
          at(g, time),
        ),
      );
    expect((await loss(0.1))[0]).toBeCloseTo(4, 12);
    expect((await loss(0.9))[0]).toBeCloseTo(4, 12);
    const [a1, a2] = alphas(2) as [number, number];
    const limit = (x: number) => Math.max(-1, Math.min(1, x));
    const first = limit((0.4 - ((1 - a2) / Math.sqrt(1 - a1 * a2)) * 0.1) / Math.sqrt(a2) + Math.sqrt(1 - a2) * -2);
    const second = limit((first - Math.sqrt(1 - a1) * 0.1) / Math.sqrt(a1));
    const acted = await evaluated((g) =>
      diffusion(1, 2).act(constantNetwork(g, 0.1), at(g, 0), g.constant([0.4, -2], [1, 2])),
    );
    expect(acted[0]).toBeCloseTo(second, 12);
  });

  it.each([
    ['flow', flow(A, 3)],
    ['diffusion', diffusion(A, 3)],
  ])('has the gradients of central differences: %s', async (_, model) => {
    const layout = denoiserLayout(O, [4, 3], A, 'gelu');
    const build = ([flat]: readonly Tensor[], g: Graph) => {
      const parameters = takeApart(flat!, layout);
      const sample = { observation: gaussian(g, [4, O], 1), action: gaussian(g, [4, A], 2) };
      return model.loss(parameters, sample, gaussian(g, [4, A], 3), g.constant([0.1, 0.4, 0.6, 0.99], [4, 1]));
    };
    expect(await gradientError([{ shape: [layout.size] }], new Rng(5), build)).toBeLessThan(1e-6);
  });

  it('imitates demonstrations alone where that is asked for', async () => {
    const spec = specOf({ baseData: 'demonstrations' });
    const demos = new Array<number>(K * B).fill(0);
    const loss = async (isDemo: readonly number[]) => {
      const call = await callOnce(expo, spec, expo.update, K, new Rng(3), { is_demo: isDemo });
      return { loss: call.metric('baseLoss'), change: worstDifference(call.after('base'), call.state['base']!) };
    };
    // Without demonstrations the base policy stays unchanged.
    expect(await loss(demos)).toEqual({ loss: 0, change: 0 });
    const [one, other] = [await loss(demos.with(K * B - 1, 1)), await loss(demos.with(K * B - 2, 1))];
    expect(one.change).toBeGreaterThan(1e-5);
    const both = await loss(demos.with(K * B - 1, 1).with(K * B - 2, 1));
    expect(both.loss).toBeCloseTo((one.loss + other.loss) / 2, 9);
  });
});

describe('the edit policy', () => {
  it('has a density that is higher by as much as its range is smaller', async () => {
    const [logP] = await evaluated((g) => editedLogProbability(g.constant([-1], [1, 1]), 0.1, 2));
    expect(logP).toBeCloseTo(-1 + 2 * Math.log(10), 12);
  });

  it.each([
    ['mean', 0.5],
    ['min', 0],
  ] as const)(
    'has the loss of its edited action, clipped, in the density of edits, by the %s of the critics',
    async (criticAggregation, more) => {
      const { config } = specOf({ editScale: 0.1 }, { criticAggregation });
      const [loss] = await evaluated((g) => {
        const drawn = { edit: g.constant([0.5, 1, -1, 0], [2, 2]), logProbability: g.constant([-1, -3], [2, 1]) };
        // Edited: [0.25, 1], not 1.05, and [−0.1, 0.3]. Q₁ = 2 + 2·(a₁ + a₂), Q₂ one more.
        const action = g.constant([0.2, 0.95, 0, 0.3], [2, 2]);
        const valuesOf = (a: Tensor) => {
          const first = reshape(add(mul(reduceSum(a, [-1]), 2), 2), [1, 2, 1]);
          return concat([first, add(first, 1)], 0);
        };
        return editLoss(drawn, action, valuesOf, g.constant(0.5), config).loss;
      });
      // log π is −2 on average, less 2·log β; Q₁ is 4.5 and 2.4.
      expect(loss).toBeCloseTo(0.5 * (-2 + 2 * Math.log(10)) - (3.45 + more), 12);
    },
  );

  it.each(['mean', 'min'] as const)(
    'has the gradients of central differences, through the %s of the critics',
    async (criticAggregation) => {
      const { config } = specOf({ editScale: 0.25 }, { criticAggregation });
      const [layout, criticNet] = [gaussianActorLayout(O + A, [4], A), criticLayout(O, A, [4], true)];
      const build = ([flat]: readonly Tensor[], g: Graph) => {
        const observation = gaussian(g, [4, O], 1);
        // Some of these leave the range with their edit, where there is no gradient.
        const action = g.constant([0.1, 0.99, -0.5, 0.2, -0.99, 0.4, 0.7, -0.3], [4, A]);
        const drawn = drawEdit(takeApart(flat!, layout), observation, action, gaussian(g, [4, A], 3));
        const net = takeApart(gaussian(g, [2, criticNet.size], 6), criticNet);
        return editLoss(drawn, action, (a) => critics(net, observation, a), g.constant(0.2), config).loss;
      };
      expect(await gradientError([{ shape: [layout.size] }], new Rng(5), build)).toBeLessThan(1e-6);
    },
  );

  it('is never moved by the base policy, nor the base policy by the critics', async () => {
    const call = (given: Record<string, number[]>, rng = 3) =>
      callOnce(expo, specOf(), expo.update, K, new Rng(rng), given);
    const rewards = (value: number) => ({ reward: new Array<number>(K * B).fill(value) });
    const [a, b] = [await call(rewards(0)), await call(rewards(5))];
    expect(worstDifference(a.after('base'), Array.from(b.after('base'), Number))).toBe(0);
    expect(worstDifference(a.after('edit'), Array.from(b.after('edit'), Number))).toBeGreaterThan(0);
  });

  it.each([
    [true, -1],
    [false, -1.9],
  ])('is as random as asked for, in units of what it can reach or of actions: %s', async (entropyInEditUnits, aim) => {
    const spec = specOf({ entropyInEditUnits, editScale: 0.1 }, { targetEntropyPerDimension: aim });
    const { metric, state, after } = await callOnce(expo, spec, expo.update, K, new Rng(3));
    const goal = A * (aim + (entropyInEditUnits ? Math.log(0.1) : 0));
    const step = Math.sign(goal - metric('entropy')) * spec.config.learningRateTemperature;
    expect(Number(after('temperature')[0])).toBeCloseTo(state['temperature']![0]! + step, 6);
  });

  it('is counted where the choice fell on it', async () => {
    const [share] = await evaluated((g) =>
      editShare(g.constant([1, 0, 0, 0, 0, 1, 0, 0, 1], [3, 3]), specOf({ candidates: 2, edited: 1 }).config.expo),
    );
    expect(share).toBeCloseTo(2 / 3, 12);
  });
});

describe('the critics', () => {
  it('learn towards the choice among all proposals, without an entropy', async () => {
    const spec = specOf({}, { initialTemperature: 1, entropyInTarget: true });
    const { inputs, metric } = await callOnce(expo, spec, expo.update, K, new Rng(3), {
      reward: new Array<number>(K * B).fill(0.5),
      discount: new Array<number>(K * B).fill(0.9),
    });
    for (let k = 0; k < K; k++) {
      expect(metric('targetMean', k)).toBeCloseTo(0.5 + 0.9 * metric('chosenValue', k), 9);
      expect(metric('choiceGain', k)).toBeGreaterThan(0);
    }
    expect(inputs['next_noise']).toHaveLength(K * B * (3 * A + 2 * A));
  });
});

describe('settings that cannot work', () => {
  it.each([
    ['privileged', { ...specOf(), parts: { stateSize: O, privilegedSize: 1 } }, 'privileged numbers'],
    ['more edits than candidates', specOf({ edited: 4 }), 'expo.edited must not exceed'],
    ['no demonstrations', specOf({ baseData: 'demonstrations' }, { demoFraction: 0, bcInitSteps: 0 }), 'never learn'],
    ['an entropy out of reach', specOf({ entropyInEditUnits: false }), 'without end'],
  ])('%s', (_, spec, words) => {
    expect(expo.unfit!(spec)).toContain(words);
    expect(expo.unfit!(specOf())).toBeUndefined();
  });
});

describe('learning', () => {
  const errorAfter = (bcInitSteps: number, settings: Partial<LearnerConfig['expo']>) => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'expo',
      actorHidden: [32],
      criticHidden: [32],
      batchSize: 64,
      utd: 2,
      bcInitSteps,
      learningRateActor: 5e-3,
      learningRateCritic: 5e-3,
      learningRateBc: 5e-3,
      expo: { ...DEFAULT_LEARNER_CONFIG.expo, baseHidden: [32], editScale: 0.2, ...settings },
    };
    return errorOnBandit(config, bandit(1000, 3, 200), 120);
  };

  it('finds the best action of a bandit, shown in one step of five', async () => {
    expect(await errorAfter(100, {})).toBeLessThan(0.15);
  });

  it('finds it with a diffusion', async () => {
    expect(await errorAfter(100, { model: 'diffusion', steps: 5 })).toBeLessThan(0.15);
  });

  it('lags behind where the slow copy of the base policy acts: by default the current one does', async () => {
    const [current, slow] = [await errorAfter(0, {}), await errorAfter(0, { baseCopy: 'slow' })];
    expect(current).toBeLessThan(0.15);
    expect(slow).toBeGreaterThan(1.5 * current);
  });
});
