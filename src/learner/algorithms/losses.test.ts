import { describe, expect, it } from 'vitest';
import { gaussian, takeApart } from '../../../tests/support/learner/checked-tensors.ts';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import { Rng } from '../../model/index.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { unpack } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { deterministicActorLayout, gaussianActor, gaussianActorLayout, sampleTanhGaussian } from '../networks/actor.ts';
import { criticLayout, critics } from '../networks/critic.ts';
import { mul, tanh } from '../ops/elements.ts';
import { reshape } from '../ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { cloningLoss, cloningWeight } from './bc.ts';
import { correctionSize } from './residual.ts';
import { actorLoss, criticLoss, criticTarget, entropyOf, sac, temperature, temperatureLoss } from './sac.ts';
import { beforeTanh, saturation } from './td3.ts';

const [policyNet, criticNet] = [gaussianActorLayout(3, [4, 3], 2), criticLayout(3, 2, [4, 3], true)];
const rng = () => new Rng(5);

describe('losses: gradients against central differences in float64', () => {
  it('the log-density and the action of a tanh-Gaussian', async () => {
    const build = ([mean, logStd]: readonly Tensor[], g: Graph) => {
      const { action, logProbability } = sampleTanhGaussian(mean!, logStd!, gaussian(g, [3, 2], 1));
      return actorLoss(logProbability, reshape(action, [2, 3, 1]), g.constant(0.3), 'mean').loss;
    };
    expect(await gradientError([{ shape: [3, 2] }, { shape: [3, 2] }], rng(), build)).toBeLessThan(1e-6);
  });

  it.each([true, false])('the critic loss, every parameter of three critics, layerNorm %s', async (layerNorm) => {
    const layout = criticLayout(3, 2, [4, 3], layerNorm);
    const build = ([flat]: readonly Tensor[], g: Graph) => {
      const values = critics(takeApart(flat!, layout), gaussian(g, [4, 3], 2), gaussian(g, [4, 2], 3));
      return criticLoss(values, gaussian(g, [4, 1], 4)).loss;
    };
    expect(await gradientError([{ shape: [3, layout.size] }], rng(), build)).toBeLessThan(1e-6);
  });

  it.each(['mean', 'min'] as const)('the actor loss through the critics, aggregated by %s', async (aggregation) => {
    const build = ([flat]: readonly Tensor[], g: Graph) => {
      const observation = gaussian(g, [4, 3], 2);
      const { mean, logStd } = gaussianActor(takeApart(flat!, policyNet), observation);
      const { action, logProbability } = sampleTanhGaussian(mean, logStd, gaussian(g, [4, 2], 3));
      const values = critics(unpack(gaussian(g, [2, criticNet.size], 6), criticNet), observation, action);
      return actorLoss(logProbability, values, g.constant(0.2), aggregation).loss;
    };
    expect(await gradientError([{ shape: [policyNet.size] }], rng(), build)).toBeLessThan(1e-6);
  });

  it('the temperature loss', async () => {
    const build = ([logAlpha]: readonly Tensor[], g: Graph) =>
      temperatureLoss(logAlpha!, entropyOf(gaussian(g, [4, 1], 1)), -1);
    expect(await gradientError([{ shape: [1] }], rng(), build)).toBeLessThan(1e-6);
  });

  it('the cloning loss, with and without chosen rows', async () => {
    const all = ([mean]: readonly Tensor[], g: Graph) => cloningLoss(mean!, gaussian(g, [4, 2], 1));
    const some = ([mean]: readonly Tensor[], g: Graph) =>
      cloningLoss(mean!, gaussian(g, [4, 2], 1), g.constant([1, 0, 1, 0], [4, 1]));
    expect(await gradientError([{ shape: [4, 2] }], rng(), all)).toBeLessThan(1e-6);
    expect(await gradientError([{ shape: [4, 2] }], rng(), some)).toBeLessThan(1e-6);
  });
});

describe('losses of deterministic policies: gradients alike', () => {
  it("TD3's cost of saturation, through a policy", async () => {
    const layout = deterministicActorLayout(3, [4], 2);
    const build = ([flat]: readonly Tensor[], g: Graph) =>
      saturation(beforeTanh(takeApart(flat!, layout), gaussian(g, [4, 3], 2)));
    expect(await gradientError([{ shape: [layout.size] }], rng(), build)).toBeLessThan(1e-6);
  });

  it("the residual's penalty", async () => {
    const build = ([f]: readonly Tensor[]) => correctionSize(mul(tanh(f!), 0.3));
    expect(await gradientError([{ shape: [4, 2] }], rng(), build)).toBeLessThan(1e-6);
  });
});

describe('tanh-Gaussian', () => {
  it('has a density that integrates to one and is the Gaussian divided by 1 − a²', async () => {
    const N = 4001;
    const [mu, logSigma] = [0.4, -0.3];
    const noise = Float64Array.from({ length: N }, (_, i) => -8 + (16 * i) / (N - 1));
    const g = new Graph('density', 'float64');
    const { action, logProbability } = sampleTanhGaussian(
      g.constant(new Float64Array(N).fill(mu), [N, 1]),
      g.constant(new Float64Array(N).fill(logSigma), [N, 1]),
      g.input('noise', [N, 1]),
    );
    g.output('action', action);
    g.output('log_probability', logProbability);
    const bindings = new Bindings();
    bindings.set('noise', noise, [N, 1]);
    const session = await Session.create(g.serialize());
    const results = await session.evaluate(bindings);
    const [a, logP] = [results['action']!.data, results['log_probability']!.data].map((x) => Array.from(x, Number));
    let integral = 0;
    for (let i = 1; i < N; i++) {
      integral += 0.5 * (Math.exp(logP![i]!) + Math.exp(logP![i - 1]!)) * (a![i]! - a![i - 1]!);
    }
    expect(integral).toBeCloseTo(1, 4);
    const i = 2200;
    const normal = -0.5 * noise[i]! ** 2 - logSigma - 0.5 * Math.log(2 * Math.PI);
    expect(logP![i]).toBeCloseTo(normal - Math.log(1 - a![i]! ** 2), 9);
  });
});

describe('criticTarget', () => {
  it('bootstraps where the episode was cut, not where it ended, and γ·m multiplies the entropy too', async () => {
    const gamma = 0.9;
    const g = new Graph('target', 'float64');
    const reward = g.constant([1, 0, 0.5], [3, 1]);
    // Rows: terminated, truncated, in the middle. The mask is m = 1 − terminated.
    const discount = g.constant([0, gamma, gamma], [3, 1]);
    const values = g.constant([5, 2, -1, 4, 3, 8], [2, 3, 1]);
    const logProbability = g.constant([-1, -2, 3], [3, 1]);
    g.output('plain', criticTarget(reward, discount, values));
    const alpha = temperature(g.constant([Math.log(0.25)], [1]));
    g.output('soft', criticTarget(reward, discount, values, { temperature: alpha, logProbability }));
    const session = await Session.create(g.serialize());
    const result = await session.evaluate(new Bindings());
    const expected = [1, 0 + gamma * 2, 0.5 + gamma * -1];
    const entropy = [0, gamma * 0.25 * 2, gamma * 0.25 * -3];
    [...result['plain']!.data].forEach((y, i) => {
      expect(y).toBeCloseTo(expected[i]!, 12);
    });
    [...result['soft']!.data].forEach((y, i) => {
      expect(y).toBeCloseTo(expected[i]! + entropy[i]!, 12);
    });
  });
});

describe('the temperature', () => {
  it.each([
    ['never falls below its floor', 3, Math.log(3)],
    ['moves freely above it', 1e-4, undefined],
  ])('%s', async (_, minTemperature, expected) => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'sac',
      batchSize: 4,
      actorHidden: [4],
      criticHidden: [4],
      minTemperature,
    };
    const { state, after } = await callOnce(
      sac,
      { parts: { stateSize: 3 }, actionSize: 2, config },
      sac.update,
      1,
      rng(),
    );
    const [before, now] = [state['temperature']![0]!, Number(after('temperature')[0])];
    // Adam's first step has the size of its rate, whatever the gradient.
    if (expected === undefined) expect(Math.abs(now - before)).toBeCloseTo(config.learningRateTemperature, 6);
    else expect(now).toBeCloseTo(expected, 9);
  });
});

it('halves the weight of cloning beside the actor in so many updates, or keeps it', () => {
  const config = { ...DEFAULT_LEARNER_CONFIG, criticOnlySteps: 0, bcAuxWeight: 2, bcAuxHalvingUpdates: 100 };
  expect([0, 100, 300].map((updates) => cloningWeight(config, updates))).toEqual([2, 1, 0.25]);
  expect(cloningWeight({ ...config, bcAuxHalvingUpdates: 0 }, 300)).toBe(2);
});
