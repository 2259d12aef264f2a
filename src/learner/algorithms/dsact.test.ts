import { describe, expect, it } from 'vitest';
import { bandit, errorOnBandit } from '../../../tests/support/learner/bandit.ts';
import { callOnce, type OneCall } from '../../../tests/support/learner/one-call.ts';
import {
  type Net,
  netOf,
  noMoments,
  numericGradient,
  plainAdam,
  plainDense,
  worstDifference,
} from '../../../tests/support/learner/plain-reference.ts';
import { mean, Rng } from '../../model/index.ts';
import { gradients } from '../engine/autodiff.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import type { ParameterLayout } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { dsact, meanSpread, returnLoss, sampledReturn } from './dsact.ts';

/** The numbers of each output of a graph without inputs. */
async function evaluated(build: (g: Graph) => Readonly<Record<string, Tensor>>): Promise<Record<string, number[]>> {
  const g = new Graph('golden', 'float64');
  for (const [name, tensor] of Object.entries(build(g))) g.output(name, tensor);
  const session = await Session.create(g.serialize());
  const result = await session.evaluate(new Bindings());
  await session.close();
  return Object.fromEntries(Object.entries(result).map(([name, { data }]) => [name, Array.from(data, Number)]));
}

function expectClose(actual: readonly number[] | undefined, expected: readonly number[], digits = 9): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    expect(actual![i]).toBeCloseTo(value, digits);
  });
}

interface Case {
  readonly q: number;
  readonly sigma: number;
  readonly y: number;
  readonly sample: number;
  readonly b: number;
}

/** Loss, weight and gradients of one critic and one row. */
function lossOf({ q, sigma, y, sample, b }: Case, settings: Partial<LearnerConfig['dsact']> = {}) {
  return evaluated((g) => {
    const [mean, spread] = [q, sigma].map((value) => g.constant([value], [1, 1, 1])) as [Tensor, Tensor];
    const all = { ...DEFAULT_LEARNER_CONFIG.dsact, ...settings };
    const column = (value: number) => g.constant([value], [1, 1]);
    const { loss, weight } = returnLoss({ mean, spread }, column(y), column(sample), g.constant([b], [1, 1, 1]), all);
    const [dq, dsigma] = gradients(loss, [mean, spread]) as [Tensor, Tensor];
    return { loss, weight, dq, dsigma };
  });
}

describe('the target', () => {
  it('takes its sample from the critic with the smaller mean, at most three spreads away', async () => {
    const { z } = await evaluated((g) => ({
      z: sampledReturn(
        { mean: g.constant([1, 5, 4, 2], [2, 2, 1]), spread: g.constant([10, 20, 30, 40], [2, 2, 1]) },
        g.constant([0.5, -7], [2, 1]),
      ),
    }));
    expectClose(z, [1 + 0.5 * 10, 2 - 3 * 40]);
  });

  it('has a running mean of the spread that begins with the first mean of each critic', async () => {
    const spread = (g: Graph) => g.constant([1, 3, 10, 30], [2, 2, 1]);
    const { first, next } = await evaluated((g) => ({
      first: meanSpread(g.constant([-1, -1], [2]), spread(g), 0.1),
      next: meanSpread(g.constant([1, 10], [2]), spread(g), 0.1),
    }));
    expectClose(first, [2, 20]);
    expectClose(next, [1.1, 11]);
  });
});

describe('the loss of one critic', () => {
  it('is what its equation says', async () => {
    // ω = 4/4.1; H(q, y) = ½; y_c = y_z, H = 2; σ·(4 − 2)/2.1.
    const weight = 4 / 4.1;
    const plain = await lossOf({ q: 1, sigma: 2, y: 2, sample: 3, b: 2 });
    expectClose(plain['weight'], [weight]);
    expectClose(plain['loss'], [weight * (0.5 + (2 * 2) / 2.1)]);
    expectClose(plain['dq'], [weight * -1]);
    expectClose(plain['dsigma'], [(weight * 2) / 2.1]);
  });

  it('limits the sample to three running means of the spread', async () => {
    const far = await lossOf({ q: 1, sigma: 2, y: 2, sample: 300, b: 2 });
    // y_c − q = 6, H = 18.
    expectClose(far['dsigma'], [((4 / 4.1) * (4 - 18)) / 2.1]);
    expectClose(far['dq'], [-4 / 4.1]);
  });

  it('counts errors beyond δ linearly and keeps its weight in its limits', async () => {
    const far = await lossOf({ q: 0, sigma: 1, y: 80, sample: 0, b: 9 });
    expectClose(far['weight'], [10]);
    expectClose(far['dq'], [10 * -50]);
    expectClose((await lossOf({ q: 0, sigma: 9, y: 1, sample: 0, b: 1 }))['weight'], [0.1]);
  });

  it('with published constants, drowns returns far below 1 in the bias; in units of their own it does not', async () => {
    const small = { q: 0.01, sigma: 0.02, y: 0.02, sample: 0.03, b: 0.02 };
    expectClose((await lossOf(small))['weight'], [0.1]);
    expectClose((await lossOf(small, { valueScale: 0.01 }))['weight'], [4 / 4.1]);
  });

  it.each([0.01, 100])('in units of the spread, is the same for returns %d times as large', async (scale) => {
    const one = { q: 1, sigma: 2, y: 2, sample: 9, b: 1.5 };
    const all = { q: one.q * scale, sigma: 2 * scale, y: 2 * scale, sample: 9 * scale, b: 1.5 * scale };
    const [a, b] = [await lossOf(one, { valueScale: 0 }), await lossOf(all, { valueScale: 0 })];
    expectClose(b['weight'], a['weight']!);
    expect(b['dq']![0]! / scale).toBeCloseTo(a['dq']![0]!, 9);
    expect(b['dsigma']![0]! / scale).toBeCloseTo(a['dsigma']![0]!, 9);
  });
});

describe('the gradient of the loss', () => {
  // Three rows of two critics. Errors on both sides of δ = 2 and of the limit of the sample.
  const q0 = Float64Array.of(0.3, -1, 2, 0.5, 4, -2);
  const spread = Float64Array.of(0.8, 1.5, 0.4, 2, 0.9, 1.1);
  const [y, sample, b] = [
    [1, -4, 2.2],
    [0.1, 6, 1.5],
    [0.9, 1.4],
  ] as const;

  /** The loss as the paper writes it, at (q, σ), with all that the tilde marks taken from `q0` and `spread`. */
  function heldLoss(q: Float64Array, sigma: Float64Array, settings: LearnerConfig['dsact']): number {
    const { boundSpreads, huberDelta, bias, minWeight, maxWeight, valueScale, huberCorrection } = settings;
    const terms = Array.from(q, (value, i) => {
      const [j, row] = [Math.floor(i / 3), i % 3];
      const unit = valueScale === 0 ? b[j]! : valueScale;
      const delta = huberDelta * unit;
      const huber = (x: number) => (Math.abs(x) <= delta ? 0.5 * x * x : delta * (Math.abs(x) - 0.5 * delta));
      const [held, heldSpread, bound] = [q0[i]!, spread[i]!, boundSpreads * b[j]!];
      const deviation = Math.min(Math.max(sample[row]! - held, -bound), bound);
      const excess = heldSpread ** 2 - (huberCorrection ? 2 : 1) * huber(deviation);
      const weight = b[j]! ** 2 / (heldSpread ** 2 + bias * unit ** 2);
      const limited = Math.min(Math.max(weight, minWeight), maxWeight);
      return limited * (huber(value - y[row]!) + (sigma[i]! * excess) / (heldSpread + bias * unit));
    });
    return mean(terms);
  }

  it.each([
    ['as published', {}],
    ['with the correction', { huberCorrection: true }],
    ['in units of the spread', { valueScale: 0 }],
    ['with weights at their limits', { minWeight: 0.8, maxWeight: 1.2 }],
  ])('is that of central differences, with held parts held: %s', async (_, settings) => {
    const all = { ...DEFAULT_LEARNER_CONFIG.dsact, huberDelta: 2, boundSpreads: 1.5, ...settings };
    const { loss, dq, dsigma } = await evaluated((g) => {
      const live = { mean: g.constant(q0, [2, 3, 1]), spread: g.constant(spread, [2, 3, 1]) };
      const column = (values: readonly number[]) => g.constant(values, [3, 1]);
      const { loss } = returnLoss(live, column(y), column(sample), g.constant(b, [2, 1, 1]), all);
      const [dq, dsigma] = gradients(loss, [live.mean, live.spread]) as [Tensor, Tensor];
      return { loss, dq, dsigma };
    });
    expectClose(loss, [heldLoss(q0, spread, all)]);
    const [q, sigma] = [q0.slice(), spread.slice()];
    const numeric = [
      numericGradient(q, () => heldLoss(q, spread, all)),
      numericGradient(sigma, () => heldLoss(q0, sigma, all)),
    ];
    for (const [i, actual] of [dq!, dsigma!].entries()) {
      const largest = Math.max(...numeric[i]!.map(Math.abs));
      expect(worstDifference(actual, numeric[i]!) / largest).toBeLessThan(1e-6);
    }
  });
});

describe('the spread on synthetic returns', () => {
  /** Fixed point of σ under returns ~ N(0, 2²), as a multiple of their standard deviation. */
  async function restingSpread(settings: Partial<LearnerConfig['dsact']>): Promise<number> {
    const count = 4000;
    const returns = Float64Array.from({ length: count }, (_, i) => 2 * normalQuantile((i + 0.5) / count));
    const g = new Graph('spread', 'float64');
    const spread = g.input('spread', [1, 1, 1]);
    const zero = g.constant(0);
    const all = { ...DEFAULT_LEARNER_CONFIG.dsact, ...settings };
    const { loss } = returnLoss(
      { mean: g.constant([0], [1, 1, 1]), spread },
      zero,
      g.constant(returns, [count, 1]),
      spread,
      all,
    );
    g.output('slope', gradients(loss, [spread])[0]!);
    const session = await Session.create(g.serialize());
    const bindings = new Bindings();
    const sigma = Float64Array.of(1);
    bindings.set('spread', sigma, [1, 1, 1]);
    for (let i = 0; i < 60; i++) {
      const { slope } = await session.evaluate(bindings);
      sigma[0] = sigma[0]! - 0.4 * Number(slope!.data[0]);
    }
    await session.close();
    const deviation = Math.sqrt(returns.reduce((sum, x) => sum + x * x, 0) / count);
    return sigma[0]! / deviation;
  }

  it('rests at 1/√2 of their standard deviation, as published', async () => {
    expect(await restingSpread({ boundSpreads: 100 })).toBeCloseTo(Math.SQRT1_2, 4);
  });
  it('rests at their standard deviation with the correction', async () => {
    expect(await restingSpread({ boundSpreads: 100, huberCorrection: true })).toBeCloseTo(1, 4);
  });
  it('loses a little to the limit of three spreads: 4 % as published, less than 1 % with the correction', async () => {
    expect(await restingSpread({})).toBeCloseTo(0.96 * Math.SQRT1_2, 2);
    expect(await restingSpread({ huberCorrection: true })).toBeGreaterThan(0.99);
  });
});

describe('one whole call', () => {
  const [B, O, A, K] = [4, 3, 2, 2];
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    algorithm: 'dsact',
    batchSize: B,
    actorHidden: [4],
    criticHidden: [5],
    layerNorm: false,
    learningRateCritic: 0.05,
    entropyInTarget: true,
    criticAggregation: 'min',
    initialTemperature: 0.3,
    dsact: { ...DEFAULT_LEARNER_CONFIG.dsact, boundSpreads: 1.5 },
  };
  const spec: LearnerSpec = { parts: { stateSize: O }, actionSize: A, config };
  const relu = (x: number) => Math.max(0, x);

  function policy(net: Net, s: number[], noise: number[]) {
    const h = plainDense(net, 'hidden0', s).map(relu);
    const logStd = plainDense(net, 'logStd', h).map((x) => -1.5 + 3.5 * Math.tanh(x));
    const u = plainDense(net, 'mean', h).map((m, i) => m + Math.exp(logStd[i]!) * noise[i]!);
    const action = u.map(Math.tanh);
    const parts = action.map(
      (a, i) => -0.5 * noise[i]! ** 2 - logStd[i]! - 0.5 * Math.log(2 * Math.PI) - Math.log(1 - a * a),
    );
    return { action, logP: parts.reduce((x, y) => x + y) };
  }

  function critic(net: Net, s: number[], a: number[]) {
    const h = plainDense(net, 'hidden0', [...s, ...a]).map(relu);
    return { q: plainDense(net, 'value', h)[0]!, sigma: Math.log1p(Math.exp(plainDense(net, 'spread', h)[0]!)) };
  }

  const halfHuber = (x: number) => (Math.abs(x) <= 50 ? 0.5 * x * x : 50 * (Math.abs(x) - 25));
  const limit = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

  /** The critics and means of the spread after the loop, in plain numbers. */
  function plainCritics({ state, inputs, metric }: OneCall) {
    const [policyLayout, layout] = dsact.networks(spec).map((network) => network.layout) as [
      ParameterLayout,
      ParameterLayout,
    ];
    const row = (name: string, width: number, k: number, b: number) =>
      Array.from(inputs[name]!.subarray((k * B + b) * width, (k * B + b + 1) * width));
    const [online, target] = [state['critic']!.slice(), state['critic_target']!];
    const means = Array.from(state['spread']!);
    const at = (flat: Float64Array, j: number, s: number[], a: number[]) =>
      critic(netOf(flat, layout, j * layout.size), s, a);
    const alpha = Math.exp(state['temperature']![0]!);
    const moments = noMoments(online.length);
    const rows = [0, 1].flatMap((j) => Array.from({ length: B }, (_, b) => ({ j, b })));
    for (let k = 0; k < K; k++) {
      const now = (j: number, b: number) => at(online, j, row('observation', O, k, b), row('action', A, k, b));
      const held = rows.map(({ j, b }) => {
        const s2 = row('next_observation', O, k, b);
        // The next action is the slow copy's.
        const next = policy(netOf(state['actor_target']!, policyLayout), s2, row('next_noise', A, k, b));
        const twins = [0, 1].map((i) => at(target, i, s2, next.action));
        const least = twins[0]!.q <= twins[1]!.q ? twins[0]! : twins[1]!;
        const z = least.q + limit(inputs['return_noise']![k * B + b]!, -3, 3) * least.sigma;
        const backup = (value: number) =>
          inputs['reward']![k * B + b]! + inputs['discount']![k * B + b]! * (value - alpha * next.logP);
        return { ...now(j, b), y: backup(least.q), yz: backup(z) };
      });
      for (const j of [0, 1]) {
        const average = mean(held.slice(j * B, (j + 1) * B).map(({ sigma }) => sigma));
        means[j] = means[j]! < 0 ? average : means[j]! + config.dsact.spreadRate * (average - means[j]!);
      }
      const loss = () =>
        mean(
          rows.map(({ j, b }, i) => {
            const { q, sigma, y, yz } = held[i]!;
            const bounded = limit(yz - q, -1.5 * means[j]!, 1.5 * means[j]!);
            const weight = limit(means[j]! ** 2 / (sigma ** 2 + 0.1), 0.1, 10);
            const live = now(j, b);
            return weight * (halfHuber(live.q - y) + (live.sigma * (sigma ** 2 - halfHuber(bounded))) / (sigma + 0.1));
          }),
        );
      expect(metric('criticLoss', k)).toBeCloseTo(loss(), 6);
      const gradient = numericGradient(online, loss);
      plainAdam(online, moments, gradient, k + 1, { rate: config.learningRateCritic });
    }
    return { online, means };
  }

  it('equals the reference; the copies stand still in the loop and follow once after it', async () => {
    const call = await callOnce(dsact, spec, dsact.update, K, new Rng(11), {});
    const { online, means } = plainCritics(call);
    expect(worstDifference(call.after('critic'), online)).toBeLessThan(5e-6);
    expect(worstDifference(call.after('spread'), means)).toBeLessThan(1e-9);
    for (const name of ['critic', 'actor']) {
      const before = call.state[`${name}_target`]!;
      const followed = before.map((x, i) => x + config.targetRate * (Number(call.after(name)[i]) - x));
      expect(worstDifference(call.after(`${name}_target`), followed)).toBeLessThan(1e-9);
    }
  });
});

describe('learning', () => {
  it('takes its cloned policy for the target as well, whole', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'dsact',
      batchSize: 4,
      actorHidden: [4],
      criticHidden: [5],
    };
    const small = { parts: { stateSize: 3 }, actionSize: 2, config };
    const { after } = await callOnce(dsact, small, dsact.cloning!, 3, new Rng(4));
    expect(worstDifference(after('actor_target'), Float64Array.from(after('actor'), Number))).toBeLessThan(1e-12);
  });

  it('finds the best action of a bandit', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'dsact',
      actorHidden: [32],
      criticHidden: [32],
      batchSize: 64,
      utd: 2,
      layerNorm: false,
      activation: 'gelu',
      criticAggregation: 'min',
      rewardScale: 10,
      targetEntropyPerDimension: -1,
      learningRateActor: 5e-3,
      learningRateCritic: 5e-3,
    };
    expect(await errorOnBandit(config, bandit(1000, 3), 200)).toBeLessThan(0.1);
  });
});

/** The x with Φ(x) = `p`, by bisection on a series for Φ (Marsaglia, 2004). */
function normalQuantile(p: number): number {
  let [low, high] = [-6, 6];
  for (let i = 0; i < 50; i++) {
    const x = (low + high) / 2;
    let [sum, term] = [x, x];
    for (let k = 3; Math.abs(term) > 1e-15 && k < 400; k += 2) {
      term *= (x * x) / k;
      sum += term;
    }
    if (0.5 + (sum * Math.exp(-0.5 * x * x)) / Math.sqrt(2 * Math.PI) < p) low = x;
    else high = x;
  }
  return (low + high) / 2;
}
