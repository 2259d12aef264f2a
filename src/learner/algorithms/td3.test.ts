import { describe, expect, it } from 'vitest';
import { bandit, errorOnBandit } from '../../../tests/support/learner/bandit.ts';
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
import { Graph, type Tensor } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { deterministicActorLoss, smoothed, td3 } from './td3.ts';

/** The numbers of one output of a graph without inputs. */
async function evaluated(build: (g: Graph) => Tensor): Promise<number[]> {
  const g = new Graph('golden', 'float64');
  g.output('y', build(g));
  const session = await Session.create(g.serialize());
  const { y } = await session.evaluate(new Bindings());
  await session.close();
  return Array.from(y!.data, Number);
}

describe('TD3', () => {
  it('limits the noise on the target first and the noisy action then', async () => {
    const actions = await evaluated((g) =>
      smoothed(g.constant([0, 0.2, 0.9, -0.9], [4, 1]), g.constant([1, -9, 9, -9], [4, 1]), 0.2, 0.5),
    );
    [0.2, -0.3, 1, -1].forEach((expected, i) => {
      expect(actions[i]).toBeCloseTo(expected, 12);
    });
  });

  it.each([
    ['mean', -4],
    ['min', -2.5],
  ] as const)('has an actor that climbs the %s of the critics', async (aggregation, expected) => {
    const [loss] = await evaluated(
      (g) => deterministicActorLoss(g.constant([5, 1, 4, 6], [2, 2, 1]), aggregation).loss,
    );
    expect(loss).toBeCloseTo(expected, 12);
    const build = ([values]: readonly Tensor[]) => deterministicActorLoss(values!, aggregation).loss;
    expect(await gradientError([{ shape: [3, 4, 1] }], new Rng(2), build)).toBeLessThan(1e-6);
  });

  const CONFIGS: readonly [string, Partial<LearnerConfig>][] = [
    ['twin critics, decay and clipping', { weightDecay: 0.1, gradientClip: 0.5 }],
    [
      'a subset of three, the minimum for the actor, cloning, a cost of saturation',
      {
        critics: 3,
        criticAggregation: 'min',
        bcAuxWeight: 0.3,
        td3: { ...DEFAULT_LEARNER_CONFIG.td3, saturationCost: 0.2 },
      },
    ],
  ];

  it.each(CONFIGS)('one whole call equals the reference: %s', async (_, overrides) => {
    const [B, O, A, K] = [4, 3, 2, 2];
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,

      algorithm: 'td3',
      batchSize: B,
      actorHidden: [4],
      criticHidden: [5],
      learningRateCritic: 0.05,
      ...overrides,
    };
    const spec = { parts: { stateSize: O }, actionSize: A, config };
    const { state, inputs, after, metric } = await callOnce(td3, spec, td3.update, K, new Rng(11));

    const [policyLayout, layout] = td3.networks(spec).map((network) => network.layout) as [never, never];
    const size = (layout as { size: number }).size;
    const row = (name: string, width: number, k: number, b: number) =>
      Array.from(inputs[name]!.subarray((k * B + b) * width, (k * B + b + 1) * width));
    const [actor, actorTarget, critic, target] = ['actor', 'actor_target', 'critic', 'critic_target'].map((name) =>
      state[name]!.slice(),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const q = (of: Float64Array, j: number, s: number[], a: number[]) => plainQ(netOf(of, layout, j * size), s, a);
    const members = Array.from({ length: config.critics }, (__, j) => j);
    const rows = Array.from({ length: B }, (__, b) => b);
    const moments = noMoments(critic.length);
    for (let k = 0; k < K; k++) {
      const subset = config.critics > 2 ? Array.from(inputs['subset']!.subarray(2 * k, 2 * k + 2)) : members;
      const y = rows.map((b) => {
        const s2 = row('next_observation', O, k, b);
        const noise = row('next_noise', A, k, b);
        const a2 = plainMean(netOf(actorTarget, policyLayout), s2).map((u, i) =>
          limit(Math.tanh(u) + limit(config.td3.targetNoise * noise[i]!, config.td3.targetNoiseClip), 1),
        );
        const least = Math.min(...subset.map((j) => q(target, j, s2, a2)));
        return inputs['reward']![k * B + b]! + inputs['discount']![k * B + b]! * least;
      });
      const loss = () =>
        mean(
          members.flatMap((j) =>
            rows.map((b) => (q(critic, j, row('observation', O, k, b), row('action', A, k, b)) - y[b]!) ** 2),
          ),
        );
      expect(metric('criticLoss', k)).toBeCloseTo(loss(), 6);
      const { learningRateCritic: rate, weightDecay, gradientClip: clip } = config;
      plainAdam(critic, moments, numericGradient(critic, loss), k + 1, { rate, weightDecay, clip });
      target.forEach((value, i) => {
        target[i] = value + config.targetRate * (critic[i]! - value);
      });
    }
    expect(worstDifference(after('critic'), critic)).toBeLessThan(5e-6);
    expect(worstDifference(after('critic_target'), target)).toBeLessThan(5e-6);

    const objective = (cloningWeight = config.bcAuxWeight, cost = config.td3.saturationCost) =>
      mean(
        rows.map((b) => {
          const s = row('observation', O, K - 1, b);
          const beforehand = plainMean(netOf(actor, policyLayout), s);
          const action = beforehand.map(Math.tanh);
          const values = members.map((j) => q(critic, j, s, action));
          const shown = row('action', A, K - 1, b);
          // Two of the four rows are demonstrations.
          const cloning = (b % 2) * 2 * mean(action.map((x, i) => (x - shown[i]!) ** 2));
          const value = config.criticAggregation === 'min' ? Math.min(...values) : mean(values);
          return cloningWeight * cloning + cost * mean(beforehand.map((u) => u * u)) - value;
        }),
      );
    expect(metric('actorLoss')).toBeCloseTo(objective(0, 0), 5);
    const { learningRateActor: rate, weightDecay, gradientClip: clip } = config;
    plainAdam(
      actor,
      noMoments(actor.length),
      numericGradient(actor, () => objective()),
      1,
      { rate, weightDecay, clip },
    );
    expect(worstDifference(after('actor'), actor)).toBeLessThan(5e-6);
    // The policy's slow copy follows the new policy, once a call.
    const followed = actorTarget.map((value, i) => value + config.targetRate * (actor[i]! - value));
    expect(worstDifference(after('actor_target'), followed)).toBeLessThan(5e-6);
  });

  it('finds the best action of a bandit', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'td3',
      actorHidden: [32],
      criticHidden: [32],
      batchSize: 64,
      utd: 2,
      learningRateActor: 5e-3,
      learningRateCritic: 5e-3,
      td3: { ...DEFAULT_LEARNER_CONFIG.td3, explorationNoise: 0 },
    };
    expect(await errorOnBandit(config, bandit(1000, 3), 200)).toBeLessThan(0.1);
  });

  it('takes its cloned policy for the target as well, whole', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'td3',
      batchSize: 4,
      actorHidden: [4],
      criticHidden: [5],
    };
    const spec = { parts: { stateSize: 3 }, actionSize: 2, config };
    const { after } = await callOnce(td3, spec, td3.cloning!, 3, new Rng(4));
    expect(worstDifference(after('actor_target'), Float64Array.from(after('actor'), Number))).toBeLessThan(1e-12);
  });
});

function limit(x: number, bound: number): number {
  return Math.min(bound, Math.max(-bound, x));
}
