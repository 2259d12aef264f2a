import { describe, expect, it } from 'vitest';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import {
  netOf,
  noMoments,
  numericGradient,
  plainAdam,
  plainMean,
  plainQ,
  worstDifference,
} from '../../../tests/support/learner/plain-reference.ts';
import { mean, Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { createAgent } from '../agent/agent.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import type { ParameterLayout } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { critics } from '../networks/critic.ts';
import { initialise } from '../networks/mlp.ts';
import { add, clip, mul, tanh } from '../ops/elements.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { residual } from './residual.ts';
import { deterministicActorLoss } from './td3.ts';

const [B, O, A, K] = [4, 4, 2, 2];
const SETTINGS = {
  ...DEFAULT_LEARNER_CONFIG.residual,
  scale: 0.3,
  penalty: 0.7,
  targetNoise: 0.2,
};

/** Two numbers of state, two of the base's action. */
function specOf(overrides: Partial<LearnerConfig> = {}): LearnerSpec {
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,

    algorithm: 'residual',
    criticOnlySteps: 0,
    batchSize: B,
    utd: K,
    critics: 3,
    criticSubset: 2,
    actorHidden: [4],
    criticHidden: [5],
    learningRateCritic: 0.05,
    learningRateActor: 0.01,
    gradientClip: 1,
    residual: SETTINGS,
    ...overrides,
  };
  return { parts: { stateSize: 2, baseActionSize: A }, actionSize: A, config };
}

/** Action of the policy of `state` at `observation`. */
async function decide(
  spec: LearnerSpec,
  actor: Float32Array,
  observation: readonly number[],
  noise: readonly number[],
) {
  const g = new Graph('policy');
  const { layout } = residual.networks(spec)[0]!;
  const parameters = Object.fromEntries(
    layout.entries.map(({ name, shape, offset, size }) => [
      name,
      g.constant(actor.subarray(offset, offset + size), shape),
    ]),
  );
  const drawn = g.constant(noise, [1, A]);
  const head = residual.policy(spec).build({ actor: parameters }, g.constant(observation, [1, O]), drawn);
  g.output('action', (head as { action: Tensor }).action);
  const session = await Session.create(g.serialize());
  const { action } = await session.evaluate(new Bindings());
  await session.close();
  return Array.from(action!.data, Number);
}

function firstActor(spec: LearnerSpec): Float32Array {
  const { layout, initialise: write } = residual.networks(spec)[0]!;
  const actor = new Float32Array(layout.size);
  (write ?? initialise)(layout, new Rng(3), actor);
  return actor;
}

describe('the residual on a base policy', () => {
  it('begins as the base, exactly', async () => {
    const spec = specOf();
    const actor = firstActor(spec);
    expect(actor.some((weight) => weight !== 0)).toBe(true);
    expect(await decide(spec, actor, [5, -3, 0.25, -0.75], [0, 0])).toEqual([0.25, -0.75]);
  });

  it('stays within c of the base and within the range of actions', async () => {
    const spec = specOf();
    const actor = firstActor(spec).fill(9);
    const [pushed, limited] = await decide(spec, actor, [1, 1, 0.25, 0.9], [0, 0]);
    expect(pushed).toBeCloseTo(0.55, 6);
    expect(limited).toBe(1);
  });

  it('explores with limited noise', async () => {
    const spec = specOf();
    const actions = await decide(spec, firstActor(spec), [0, 0, 0, 0.5], [1, -1000]);
    [0.05, 0.2].forEach((expected, i) => {
      expect(actions[i]).toBeCloseTo(expected, 6);
    });
  });

  it('has a gradient within the range and none where base and residual leave it together', async () => {
    const spec = specOf();
    const { layout } = residual.networks(spec)[1]!;
    const build = ([f]: readonly Tensor[], g: Graph) => {
      const base = g.constant([0.2, 0.95, -0.99, 0], [2, 2]);
      const action = clip(add(base, mul(tanh(f!), 0.3)), -1, 1);
      const values = new Float64Array(3 * layout.size);
      new Rng(5).fillNormal(values);
      const parameters = unpacked(g, layout, values);
      return deterministicActorLoss(critics(parameters, g.constant([1, 2, 3, 4, 5, 6, 7, 8], [2, 4]), action), 'mean')
        .loss;
    };
    // The second number is pushed out of the range, the third into it.
    const x = { shape: [2, 2], values: [0.5, 1, 0.4, -0.3] };
    expect(await gradientError([x], new Rng(1), build)).toBeLessThan(1e-6);
  });

  it.each([
    ['with a penalty, and decay of the critics alone', { weightDecay: 0.5 }],
    ['drawn to corrections', { bcAuxWeight: 0.4, criticAggregation: 'min' as const }],
  ])('one whole call equals the reference: %s', async (_, overrides) => {
    const spec = specOf(overrides);
    const { config } = spec;
    const rng = new Rng(21);
    // Base actions near the ends, so that some sums leave the range.
    const observations = Array.from({ length: K * B * O }, (__, i) =>
      i % O < 2 ? rng.normal() : rng.uniformIn(0.6, 1) * (i % 3 === 0 ? -1 : 1),
    );
    const given = { observation: observations, next_observation: observations.toReversed().map((x) => Math.tanh(x)) };
    const { state, inputs, after, metric } = await callOnce(residual, spec, residual.update, K, rng, given);

    const [policyLayout, layout] = residual.networks(spec).map((network) => network.layout) as [
      ParameterLayout,
      ParameterLayout,
    ];
    const row = (name: string, width: number, k: number, b: number) =>
      Array.from(inputs[name]!.subarray((k * B + b) * width, (k * B + b + 1) * width));
    const [actor, actorTarget, critic, target] = ['actor', 'actor_target', 'critic', 'critic_target'].map((name) =>
      state[name]!.slice(),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const q = (of: Float64Array, j: number, s: number[], a: number[]) =>
      plainQ(netOf(of, layout, j * layout.size), s, a);
    const correction = (of: Float64Array, s: number[]) =>
      plainMean(netOf(of, policyLayout), s).map((f) => SETTINGS.scale * Math.tanh(f));
    const corrected = (of: Float64Array, s: number[], noise: number[]) =>
      correction(of, s).map((a_r, i) => limit(s[2 + i]! + a_r + limit(SETTINGS.targetNoise * noise[i]!, 0.3), 1));
    const members = [0, 1, 2];
    const rows = [0, 1, 2, 3];
    const moments = noMoments(critic.length);
    for (let k = 0; k < K; k++) {
      const y = rows.map((b) => {
        const s2 = row('next_observation', O, k, b);
        const a2 = corrected(actorTarget, s2, row('next_noise', A, k, b));
        const least = Math.min(
          ...row('subset', 1, 0, 2 * k)
            .concat(row('subset', 1, 0, 2 * k + 1))
            .map((j) => q(target, j, s2, a2)),
        );
        return inputs['reward']![k * B + b]! + inputs['discount']![k * B + b]! * least;
      });
      // The mean of squares over the critics, not the square of their mean error: each learns from its own.
      const loss = () =>
        mean(
          members.flatMap((j) =>
            rows.map((b) => (q(critic, j, row('observation', O, k, b), row('action', A, k, b)) - y[b]!) ** 2),
          ),
        );
      expect(metric('criticLoss', k)).toBeCloseTo(loss(), 6);
      const { weightDecay } = config;
      plainAdam(critic, moments, numericGradient(critic, loss), k + 1, { rate: 0.05, clip: 1, weightDecay });
      target.forEach((value, i) => {
        target[i] = value + config.targetRate * (critic[i]! - value);
      });
    }
    expect(worstDifference(after('critic'), critic)).toBeLessThan(5e-6);
    expect(worstDifference(after('critic_target'), target)).toBeLessThan(5e-6);

    const objective = () =>
      mean(
        rows.map((b) => {
          const s = row('observation', O, K - 1, b);
          const a_r = correction(actor, s);
          const values = members.map((j) => q(critic, j, s, corrected(actor, s, [0, 0])));
          const shown = row('action', A, K - 1, b).map((a, i) => limit((a - s[2 + i]!) / SETTINGS.scale, 1));
          // Every other row is a demonstration.
          const cloning = (b % 2) * 2 * mean(a_r.map((x, i) => (x / SETTINGS.scale - shown[i]!) ** 2));
          const value = config.criticAggregation === 'min' ? Math.min(...values) : mean(values);
          return -value + SETTINGS.penalty * a_r.reduce((sum, x) => sum + x * x, 0) + config.bcAuxWeight * cloning;
        }),
      );
    plainAdam(actor, noMoments(actor.length), numericGradient(actor, objective), 1, { rate: 0.01, clip: 1 });
    expect(worstDifference(after('actor'), actor)).toBeLessThan(5e-6);
    const followed = actorTarget.map((value, i) => value + config.targetRate * (actor[i]! - value));
    expect(worstDifference(after('actor_target'), followed)).toBeLessThan(5e-6);
  });

  it('leaves the policy as the base while only critics learn, and moves it then', async () => {
    const settings = { ...SETTINGS, penalty: 0 };
    const spec = specOf({ residual: settings, criticOnlySteps: 3, demoFraction: 0, batchSize: 16, warmupSteps: 0 });
    const agent = await createAgent({
      parts: spec.parts,
      actionSize: A,
      config: spec.config,
      seed: 1,
    });
    const replay = new Replay(O, A, 100);
    const rng = new Rng(2);
    for (let i = 0; i < 50; i++) {
      const t = createTransition(O, A);
      rng.fillNormal(t.observation);
      rng.fillNormal(t.nextObservation);
      t.executed.fill(rng.uniformIn(-1, 1));
      t.reward = t.executed[0]!;
      replay.add(t);
    }
    const { layout } = residual.networks(spec)[0]!;
    const lastLayer = async () => {
      const { data } = await agent.actorWeights();
      return layout.entries
        .filter(({ name }) => name.startsWith('mean.'))
        .flatMap(({ offset, size }) => [...data.slice(offset, offset + size)]);
    };
    for (let call = 0; call < 3; call++) await agent.update(replay, 50);
    expect((await lastLayer()).every((weight) => weight === 0)).toBe(true);
    await agent.update(replay, 50);
    expect((await lastLayer()).some((weight) => weight !== 0)).toBe(true);
    await agent.close();
  });

  it('learns to correct a base that is always wrong by the same 0.2, by more than half', async () => {
    const config: LearnerConfig = {
      ...specOf().config,
      batchSize: 64,
      actorHidden: [32],
      criticHidden: [32],
      learningRateActor: 3e-3,
      learningRateCritic: 5e-3,
      demoFraction: 0,
      residual: { ...SETTINGS, penalty: 0, explorationNoise: 0 },
    };
    const parts = { stateSize: 1, baseActionSize: 1 };
    const agent = await createAgent({ parts, actionSize: 1, config, seed: 1 });
    const replay = new Replay(2, 1, 1000);
    const rng = new Rng(5);
    for (let i = 0; i < 600; i++) {
      const t = createTransition(2, 1);
      // The best action is s/2; the base is 0.2 below.
      const s = rng.uniformIn(-1, 1);
      t.observation.set([s, s / 2 - 0.2]);
      t.executed[0] = t.observation[1]! + rng.uniformIn(-0.3, 0.3);
      t.reward = 1 - 10 * (t.executed[0]! - s / 2) ** 2;
      t.terminated = true;
      replay.add(t);
    }
    for (let call = 0; call < 200; call++) await agent.update(replay, 600);
    const session = await Session.create(await agent.exportPolicy());
    await agent.close();
    for (const s of [-0.8, 0, 0.6]) {
      const bindings = new Bindings();
      bindings.set('observation', Float32Array.of(s, s / 2 - 0.2), [1, 2]);
      bindings.set('noise', new Float32Array(1), [1, 1]);
      const { action } = await session.evaluate(bindings);
      expect(Math.abs(Number(action!.data[0]) - s / 2)).toBeLessThan(0.1);
    }
    await session.close();
  });

  it('warms up around the base, no further than the residual reaches', () => {
    const spec = specOf();
    const rng = new Rng(6);
    const out = new Float32Array(A);
    const offsets: number[] = [];
    for (let i = 0; i < 500; i++) {
      residual.warmUp!(
        { ...spec, parts: { ...spec.parts, privilegedSize: 1 } },
        Float32Array.of(7, 7, 0.5, 0.95, 7),
        out,
        rng,
      );
      offsets.push(out[0]! - 0.5);
      expect(out[1]).toBeGreaterThanOrEqual(0.85 - 1e-6);
      expect(out[1]).toBeLessThanOrEqual(1);
    }
    const { warmupNoise, scale } = spec.config.residual;
    expect(warmupNoise).toBeLessThanOrEqual(scale);
    expect(Math.max(...offsets)).toBeLessThanOrEqual(warmupNoise + 1e-6);
    expect(Math.min(...offsets)).toBeLessThan(-0.9 * warmupNoise);
  });

  it.each([
    [
      { stateSize: 4 },
      {},
      "residual corrects a base policy's action of 2 numbers, and was given observations without one",
    ],
    [{ stateSize: 2, baseActionSize: 3 }, {}, 'was given a base action of 3 numbers in the observations'],
    [
      { stateSize: 2, baseActionSize: 2 },
      { warmupNoise: 0.4 },
      'residual.warmupNoise (0.4) exceeds residual.scale (0.3)',
    ],
  ])('refuses observations %j with settings %j', async (parts, settings, message) => {
    const { config } = specOf({ residual: { ...SETTINGS, ...settings } });
    expect(residual.unfit!({ parts, actionSize: A, config })).toContain(message);
    expect(residual.unfit!({ ...specOf(), actionSize: A })).toBeUndefined();
  });
});

function unpacked(g: Graph, layout: ParameterLayout, values: Float64Array) {
  return Object.fromEntries(
    layout.entries.map(({ name, shape, offset, size }) => {
      const own = [0, 1, 2].flatMap((j) => [
        ...values.subarray(j * layout.size + offset, j * layout.size + offset + size),
      ]);
      return [name, g.constant(own, [3, ...shape])];
    }),
  );
}

function limit(x: number, bound: number): number {
  return Math.min(bound, Math.max(-bound, x));
}
