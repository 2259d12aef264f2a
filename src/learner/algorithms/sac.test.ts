/** One whole training call against a second implementation in plain numbers, with numeric gradients. */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { adamStep } from '../engine/optimiser.ts';
import type { ParameterLayout } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { stateParts } from '../update/state.ts';
import { buildUpdateGraph } from '../update/update-graph.ts';
import { criticNetwork, gaussianActorNetwork, sac } from './sac.ts';

const [B, O, A, K] = [4, 3, 2, 2];
const GAMMA = 0.9;

type Net = (name: string) => number[];

/** Parameters by name out of a flat vector. */
function reader(flat: ArrayLike<number>, layout: ParameterLayout, offset = 0): Net {
  return (name) => {
    const entry = layout.entries.find((e) => e.name === name)!;
    return Array.from({ length: entry.size }, (_, i) => flat[offset + entry.offset + i]!);
  };
}

function dense(net: Net, name: string, x: number[]): number[] {
  const [w, b] = [net(`${name}.weight`), net(`${name}.bias`)];
  return b.map((bias, j) => x.reduce((sum, value, i) => sum + value * w[i * b.length + j]!, bias));
}

function policyOf(net: Net, s: number[], noise: number[]) {
  const h = dense(net, 'hidden0', s).map((x) => Math.max(0, x));
  const mean = dense(net, 'mean', h);
  const logStd = dense(net, 'logStd', h).map((x) => -1.5 + 3.5 * Math.tanh(x));
  const u = mean.map((m, i) => m + Math.exp(logStd[i]!) * noise[i]!);
  const action = u.map(Math.tanh);
  const logP = u.reduce(
    (sum, _, i) =>
      sum - 0.5 * noise[i]! ** 2 - logStd[i]! - 0.5 * Math.log(2 * Math.PI) - Math.log(1 - action[i]! ** 2),
    0,
  );
  return { action, logP, mode: mean.map(Math.tanh) };
}

function q(net: Net, s: number[], a: number[]): number {
  const y = dense(net, 'hidden0', [...s, ...a]);
  const mean = y.reduce((x, v) => x + v, 0) / y.length;
  const variance = y.reduce((x, v) => x + (v - mean) ** 2, 0) / y.length;
  const [scale, shift] = [net('hidden0.scale'), net('hidden0.shift')];
  const h = y.map((v, i) => Math.max(0, ((v - mean) / Math.sqrt(variance + 1e-5)) * scale[i]! + shift[i]!));
  return dense(net, 'value', h)[0]!;
}

function numericGradient(x: Float64Array, f: () => number): Float64Array {
  return x.map((value, i) => {
    x[i] = value + 1e-6;
    const above = f();
    x[i] = value - 1e-6;
    const below = f();
    x[i] = value;
    return (above - below) / 2e-6;
  });
}

/** Adam of the paper with clipping and decoupled decay; changes `w`, `m` and `v`. */
function adamReference(
  w: Float64Array,
  m: Float64Array,
  v: Float64Array,
  g: Float64Array,
  t: number,
  config: LearnerConfig,
  rate: number,
) {
  const norm = Math.hypot(...g);
  const factor = config.gradientClip > 0 ? Math.min(1, config.gradientClip / (norm + 1e-6)) : 1;
  for (let i = 0; i < w.length; i++) {
    m[i] = 0.9 * m[i]! + 0.1 * g[i]! * factor;
    v[i] = 0.999 * v[i]! + 0.001 * (g[i]! * factor) ** 2;
    const step = m[i]! / (1 - 0.9 ** t) / (Math.sqrt(v[i]! / (1 - 0.999 ** t)) + 1e-8);
    w[i] = w[i]! * (1 - rate * config.weightDecay) - rate * step;
  }
}

const CONFIGS: readonly [string, Partial<LearnerConfig>][] = [
  ['defaults', {}],
  ['three critics, subset of two, entropy in the target', { critics: 3, criticSubset: 2, entropyInTarget: true }],
  [
    'minimum for the actor, cloning, decay and clipping',
    { criticAggregation: 'min', bcAuxWeight: 0.3, weightDecay: 0.1, gradientClip: 0.5 },
  ],
  ['cloning of what was better, too', { bcAuxWeight: 0.3, bcAuxRows: 'better' }],
];

describe('one training call', () => {
  it.each(CONFIGS)('equals the reference: %s', async (_, overrides) => {
    const config = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      ...overrides,
      batchSize: B,
      utd: K,
      actorHidden: [4],
      criticHidden: [5],
      layerNorm: true,
      discount: GAMMA,
      learningRateCritic: 0.05,
    };
    const spec = { parts: { stateSize: O }, actionSize: A, config };
    const rng = new Rng(11);
    const draw = (n: number, scale = 1) => {
      const x = new Float64Array(n);
      rng.fillNormal(x);
      return x.map((v) => v * scale);
    };
    const bindings = new Bindings();
    const feed = (name: string, data: Float64Array | BigInt64Array, shape: readonly number[]) => {
      bindings.set(name, data, shape);
      return data as Float64Array;
    };
    const state = Object.fromEntries(
      stateParts(sac, spec).map(({ name, shape }) => {
        const size = shape.reduce((a, b) => a * b, 1);
        const isMoment = name.endsWith('first') || name.endsWith('second');
        return [name, feed(name, isMoment ? new Float64Array(size) : draw(size, 0.5), shape)];
      }),
    ) as Record<string, Float64Array>;
    const s = feed('observation', draw(K * B * O), [K, B, O]);
    const a = feed('action', draw(K * B * A).map(Math.tanh), [K, B, A]);
    const r = feed('reward', draw(K * B), [K, B, 1]);
    const d = feed('discount', Float64Array.of(GAMMA, 0, GAMMA, GAMMA, 0, GAMMA, GAMMA, GAMMA), [K, B, 1]);
    const s2 = feed('next_observation', draw(K * B * O), [K, B, O]);
    const nextNoise = feed('next_noise', draw(K * B * A), [K, B, A]);
    const noise = feed('noise', draw(B * A), [B, A]);
    const isDemo = [1, 1, 0, 0];
    if (config.bcAuxWeight > 0) {
      feed('is_demo', Float64Array.from([0, 0, 0, 0, ...isDemo]), [K, B, 1]);
      feed('cloning_weight', Float64Array.of(config.bcAuxWeight), []);
    }
    const subset =
      config.criticSubset < config.critics
        ? [
            [2, 0],
            [1, 2],
          ]
        : [
            [0, 1],
            [0, 1],
          ];
    if (config.criticSubset < config.critics) feed('subset', BigInt64Array.from(subset.flat(), BigInt), [K, 2]);
    const steps = Array.from({ length: K }, (__, k) => adamStep(k + 1, config.learningRateCritic));
    feed(
      'critic_step',
      Float64Array.from(steps, (x) => x.step),
      [K],
    );
    feed(
      'critic_epsilon',
      Float64Array.from(steps, (x) => x.epsilon),
      [K],
    );
    for (const name of ['actor', 'temperature'] as const) {
      const rate = name === 'actor' ? config.learningRateActor : config.learningRateTemperature;
      feed(`${name}_step`, Float64Array.of(adamStep(1, rate).step), []);
      feed(`${name}_epsilon`, Float64Array.of(adamStep(1, rate).epsilon), []);
    }
    feed('updates', BigInt64Array.of(BigInt(K)), []);
    feed('last', BigInt64Array.of(BigInt(K - 1)), []);
    const updateGraph = buildUpdateGraph(sac, spec, sac.update, 'float64');
    const session = await Session.create(updateGraph.graph.serialize());
    const result = await session.evaluate(bindings);
    const outer = (name: string) => result['outer_metrics']!.data[updateGraph.outerMetrics.indexOf(name)];
    await session.close();

    // The reference works on copies: the arrays above are the graph's inputs.
    const [policyLayout, layout] = [gaussianActorNetwork(spec).layout, criticNetwork(spec).layout];
    const copy = (name: string) => Float64Array.from(state[name]!);
    const row = (x: Float64Array, width: number, k: number, b: number) =>
      Array.from(x.subarray((k * B + b) * width, (k * B + b + 1) * width));
    const policy = reader(state['actor']!, policyLayout);
    const critic = copy('critic');
    const target = copy('critic_target');
    const [m, v] = [new Float64Array(critic.length), new Float64Array(critic.length)];
    const alpha = Math.exp(state['temperature']![0]!);
    const members = Array.from({ length: config.critics }, (__, j) => j);
    for (let k = 0; k < K; k++) {
      const y = Array.from({ length: B }, (__, b) => {
        const next = policyOf(policy, row(s2, O, k, b), row(nextNoise, A, k, b));
        const least = Math.min(
          ...subset[k]!.map((j) => q(reader(target, layout, j * layout.size), row(s2, O, k, b), next.action)),
        );
        const entropy = config.entropyInTarget ? alpha * next.logP : 0;
        return r[k * B + b]! + d[k * B + b]! * (least - entropy);
      });
      const errors = () =>
        members.flatMap((j) =>
          y.map((yb, b) => q(reader(critic, layout, j * layout.size), row(s, O, k, b), row(a, A, k, b)) - yb),
        );
      const loss = () => errors().reduce((sum, e) => sum + e * e, 0) / (B * config.critics);
      const metrics = Array.from(result['inner_metrics']!.data.subarray(k * 5, k * 5 + 5), Number);
      expect(metrics[0]).toBeCloseTo(loss(), 6);
      expect(metrics[2]).toBeCloseTo(y.reduce((x, z) => x + z) / B, 6);
      expect(metrics[3]).toBeCloseTo(errors().reduce((x, e) => x + Math.abs(e), 0) / (B * config.critics), 6);
      adamReference(critic, m, v, numericGradient(critic, loss), k + 1, config, config.learningRateCritic);
      target.forEach((value, i) => {
        target[i] = value + config.targetRate * (critic[i]! - value);
      });
    }
    expectNear(result['critic_next']!.data, critic);
    expectNear(result['critic_target_next']!.data, target);

    const actor = copy('actor');
    const drawn = (b: number) => policyOf(reader(actor, policyLayout), row(s, O, K - 1, b), row(noise, A, 0, b));
    const valuesAt = (b: number, action: number[]) =>
      members.map((j) => q(reader(critic, layout, j * layout.size), row(s, O, K - 1, b), action));
    const isBetter = isDemo.map((_, b) => {
      const [shown, own] = [row(a, A, K - 1, b), drawn(b).action].map((action) => {
        return valuesAt(b, [...action]).reduce((x, z) => x + z);
      });
      return shown! > own!;
    });
    if (config.bcAuxRows === 'better') expect(new Set(isBetter.slice(2)).size).toBe(2);
    const chosen = isDemo.map((demo, b) => (config.bcAuxRows === 'better' && isBetter[b]! ? 1 : demo));
    const counted = chosen.reduce((x, z) => x + z);
    const objective = (cloningWeight = config.bcAuxWeight) => {
      let sum = 0;
      for (let b = 0; b < B; b++) {
        const { action, logP, mode } = drawn(b);
        const values = valuesAt(b, [...action]);
        const value =
          config.criticAggregation === 'min' ? Math.min(...values) : values.reduce((x, z) => x + z) / values.length;
        sum += (alpha * logP - value) / B;
        const cloning = mode.reduce((x, z, i) => x + (z - row(a, A, K - 1, b)[i]!) ** 2, 0);
        sum += (cloningWeight * chosen[b]! * cloning) / (counted * A);
      }
      return sum;
    };
    const entropy = -Array.from({ length: B }, (__, b) => drawn(b).logP).reduce((x, z) => x + z) / B;
    // With the critics as the loop left them, not as they came in.
    expect(Number(outer('actorLoss'))).toBeCloseTo(objective(0), 5);
    const [m1, v1] = [new Float64Array(actor.length), new Float64Array(actor.length)];
    adamReference(
      actor,
      m1,
      v1,
      numericGradient(actor, () => objective()),
      1,
      config,
      config.learningRateActor,
    );
    expectNear(result['actor_next']!.data, actor);
    // The temperature: gradient α(H − H*), and Adam's first step is the learning rate times its sign.
    const sign = Math.sign(alpha * (entropy - config.targetEntropyPerDimension * A));
    expect(Number(result['temperature_next']!.data[0])).toBeCloseTo(
      state['temperature']![0]! - config.learningRateTemperature * sign,
      7,
    );
    expect(Number(outer('entropy'))).toBeCloseTo(entropy, 9);
  });
});

function expectNear(actual: ArrayLike<number | bigint>, expected: Float64Array): void {
  let worst = 0;
  for (let i = 0; i < expected.length; i++) worst = Math.max(worst, Math.abs(Number(actual[i]) - expected[i]!));
  // A hundredth of one step of the optimiser.
  expect(worst).toBeLessThan(5e-6);
}
