import { describe, expect, it } from 'vitest';
import { bandit } from '../../../tests/support/learner/bandit.ts';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import {
  netOf,
  noMoments,
  numericGradient,
  plainAdam,
  plainDense,
  plainQ,
  worstDifference,
} from '../../../tests/support/learner/plain-reference.ts';
import { mean, Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { createAgent } from '../agent/agent.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import type { ParameterLayout } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { add, mul } from '../ops/elements.ts';
import { reshape } from '../ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig, updatesPerCall } from '../options/learner-config.ts';
import { UpdateContract } from '../replay/utd.ts';
import { createReplay } from '../training.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { calibrated, conservativeLoss, wsrl } from './wsrl.ts';

const [B, O, A, K, N] = [4, 3, 2, 1, 2];

function specOf(overrides: Partial<LearnerConfig['wsrl']> = {}): LearnerSpec {
  const config: LearnerConfig = {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    algorithm: 'wsrl',
    batchSize: B,
    critics: 2,
    criticSubset: 1,
    actorHidden: [4],
    criticHidden: [5],
    learningRateCritic: 0.05,
    wsrl: { ...DEFAULT_LEARNER_CONFIG.wsrl, actionSamples: N, conservatism: 0.5, ...overrides },
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

describe('the conservative loss', () => {
  it('is log Σ eˣ of what was drawn less the value of the data, over critics and batch', async () => {
    // One critic, two draws, two rows: log(e⁰ + e⁰) = log 2, and log(e¹ + e³).
    const [loss] = await evaluated((g) =>
      conservativeLoss(g.constant([0, 1, 0, 3], [1, 2, 2]), g.constant([2, 4], [1, 2, 1])),
    );
    expect(loss).toBeCloseTo((Math.LN2 + Math.log(Math.exp(1) + Math.exp(3))) / 2 - 3, 12);
  });

  it('does not push a value below what the data returned, where that is known', async () => {
    const values = await evaluated((g) =>
      calibrated(g.constant([1, 5, -2, 0, 1, 2], [1, 2, 3]), g.constant([3, -1e38, -1], [3, 1])),
    );
    expect(values).toEqual([3, 5, -1, 3, 1, 2]);
  });

  it('has the right gradient, none where the return holds a value up', async () => {
    const build = ([x]: readonly Tensor[], g: Graph) => {
      const drawn = calibrated(x!, g.constant([0.1, -1e38, 9], [3, 1]));
      return conservativeLoss(drawn, mul(reshape(add(x!, 1), [2, 12, 1]), 0.5));
    };
    expect(await gradientError([{ shape: [2, 4, 3] }], new Rng(3), build)).toBeLessThan(1e-6);
  });
});

describe('WSRL', () => {
  it.each([true, false])('one whole offline call equals the reference, calibrated: %s', async (isCalibrated) => {
    const spec = specOf({ isCalibrated });
    const { config } = spec;
    // The third row's episode is not complete.
    const returns = Array.from({ length: K * B }, (_, i) => (i % 4 === 2 ? -3e38 : 0.3 * i - 1));
    const given = { monte_carlo_return: returns };
    const { state, inputs, after, metric } = await callOnce(wsrl, spec, wsrl.offline!, K, new Rng(8), given);

    const [policyLayout, layout] = wsrl.networks(spec).map((network) => network.layout) as [
      ParameterLayout,
      ParameterLayout,
    ];
    const row = (name: string, width: number, k: number, b: number) =>
      Array.from(inputs[name]!.subarray((k * B + b) * width, (k * B + b + 1) * width));
    const policy = netOf(state['actor']!, policyLayout);
    const [critic, target] = [state['critic']!.slice(), state['critic_target']!.slice()];
    const q = (of: Float64Array, j: number, s: number[], a: number[]) =>
      plainQ(netOf(of, layout, j * layout.size), s, a);
    const members = [0, 1];
    const rows = [0, 1, 2, 3];
    const moments = noMoments(critic.length);
    for (let k = 0; k < K; k++) {
      const y = rows.map((b) => {
        const s2 = row('next_observation', O, k, b);
        const { action } = drawn(policy, s2, row('next_noise', A, k, b));
        const j = inputs['subset']![k]!;
        return inputs['reward']![k * B + b]! + inputs['discount']![k * B + b]! * q(target, j, s2, action);
      });
      const temporal = () =>
        mean(
          members.flatMap((j) =>
            rows.map((b) => (q(critic, j, row('observation', O, k, b), row('action', A, k, b)) - y[b]!) ** 2),
          ),
        );
      const noiseOf = (name: string, n: number, b: number) => {
        const at = ((k * N + n) * B + b) * A;
        return Array.from(inputs[name]!.subarray(at, at + A));
      };
      const gap = () =>
        mean(
          members.flatMap((j) =>
            rows.map((b) => {
              const s = row('observation', O, k, b);
              const floor = isCalibrated ? returns[k * B + b]! : Number.NEGATIVE_INFINITY;
              const terms = Array.from({ length: N }, (_, n) => {
                const here = drawn(policy, s, noiseOf('observation_sample_noise', n, b));
                const next = drawn(
                  policy,
                  row('next_observation', O, k, b),
                  noiseOf('next_observation_sample_noise', n, b),
                );
                const even = noiseOf('uniform_action', n, b).map((u) => 2 * u - 1);
                return [
                  Math.max(q(critic, j, s, here.action), floor) - here.logP,
                  Math.max(q(critic, j, s, next.action), floor) - next.logP,
                  q(critic, j, s, even) - Math.log(0.5 ** A),
                ];
              }).flat();
              const sum = terms.reduce((total, x) => total + Math.exp(x), 0);
              return Math.log(sum) - q(critic, j, s, row('action', A, k, b));
            }),
          ),
        );
      expect(metric('criticLoss', k)).toBeCloseTo(temporal(), 6);
      expect(metric('conservativeLoss', k)).toBeCloseTo(gap(), 6);
      const gradient = numericGradient(critic, () => temporal() + config.wsrl.conservatism * gap());
      plainAdam(critic, moments, gradient, k + 1, { rate: 0.05 });
      target.forEach((value, i) => {
        target[i] = value + config.targetRate * (critic[i]! - value);
      });
    }
    expect(worstDifference(after('critic'), critic)).toBeLessThan(5e-6);
    expect(worstDifference(after('critic_target'), target)).toBeLessThan(5e-6);
  });

  it('finds the best action of a bandit from what was stored, and keeps values of actions that were not low', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      algorithm: 'wsrl',
      actorHidden: [32],
      criticHidden: [32],
      batchSize: 64,
      utd: 2,
      bcInitSteps: 0,
      learningRateActor: 5e-3,
      learningRateCritic: 5e-3,
    };
    const replayOf = (demonstrations: number) => bandit(demonstrations, 3, 1);
    const spec = { parts: { stateSize: 1 }, actionSize: 1, config, seed: 1 };
    const valuesAt = async (conservatism: number) => {
      const agent = await createAgent({ ...spec, config: { ...config, wsrl: { ...config.wsrl, conservatism } } });
      const report = await agent.pretrainOffline(replayOf(300), 201);
      expect(report.steps).toBe(202);
      expect(report.lastLoss).toBeLessThan(report.firstLoss);
      // Offline updates do not count as updates owed for the robot's steps.
      expect(agent.updates).toBe(0);
      // The best action at 0, the only one demonstrated, and one far from it.
      const values = await agent.criticValues(Float32Array.of(0, 0), Float32Array.of(0.2, -0.9));
      await agent.close();
      return values[0]! - values[1]!;
    };
    const cautious = await valuesAt(1);
    expect(cautious).toBeGreaterThan(0.3);
    expect(cautious).toBeGreaterThan((await valuesAt(0)) + 0.2);
  });

  it.each([
    ['ended by the task', { terminated: true }, -5 + 0.5 * 5],
    // −5 forever after: a time limit does not forgive the cost of a failure.
    ['cut', { truncated: true }, -5 + 0.5 * (5 + 0.5 * -10)],
  ])(
    'holds values against returns of the reward that critics learn: scaled, shifted, discounted, %s',
    (_, end, expected) => {
      const config: LearnerConfig = {
        ...DEFAULT_LEARNER_CONFIG,
        criticOnlySteps: 0,
        algorithm: 'wsrl',
        rewardScale: 10,
        rewardShift: -5,
        discount: 0.5,
      };
      const replay = createReplay({ algorithm: wsrl, spec: { parts: { stateSize: 1 }, actionSize: 1, config } });
      for (const step of [0, 1]) {
        const fields = { source: 'demo' as const, seq: step, step, reward: step, ...(step === 1 ? end : {}) };
        const t = Object.assign(createTransition(1, 1), fields);
        t.observation.fill(step);
        t.nextObservation.fill(step + 1);
        replay.add(t);
      }
      const one = () => new Float32Array(1);
      const batch = {
        observation: one(),
        nextObservation: one(),
        action: one(),
        reward: one(),
        filterActivity: one(),
        tankDrainJ: one(),
        bootstrap: one(),
        monteCarloReturn: one(),
      };
      replay.demonstrations.copyRow(0, batch, 0);
      expect(batch.monteCarloReturn[0]).toBe(expected);
    },
  );

  it('changes no weight while the policy warms replay up, and changes them then', async () => {
    const { config } = specOf();
    const warm = { ...config, warmupSteps: 5, utd: 2, demoFraction: 0 };
    const agent = await createAgent({ parts: { stateSize: 1 }, actionSize: 1, config: warm, seed: 1 });
    const replay = bandit(20, 3, 20);
    expect((await agent.pretrainOffline(replay, 10)).steps).toBeGreaterThan(0);
    const contract = new UpdateContract(warm.utd, warm.warmupSteps, updatesPerCall(warm));
    const { state: offline } = await agent.snapshot();
    for (let step = 0; step < 6; step++) {
      expect((await agent.snapshot()).state).toEqual(offline);
      replay.add(Object.assign(createTransition(1, 1), { source: 'policy', terminated: true }));
      // As in trials and in the learner's process.
      while (agent.updates + updatesPerCall(warm) <= contract.updatesAllowed(replay.counts().online)) {
        await agent.update(replay, contract.visibleTo(agent.updates + 1));
      }
    }
    expect((await agent.snapshot()).state).not.toEqual(offline);
    await agent.close();
  });

  it('pays for no update while the policy warms replay up', () => {
    const contract = new UpdateContract(4, 5000);
    expect(contract.updatesAllowed(5000)).toBe(0);
    expect(contract.updatesAllowed(5001)).toBe(4);
    expect(contract.visibleTo(1)).toBe(5001);
  });
});

/** A draw of the policy, with its log-density. */
function drawn(net: ReturnType<typeof netOf>, s: number[], noise: number[]) {
  const h = plainDense(net, 'hidden0', s).map((x) => Math.max(0, x));
  const mean = plainDense(net, 'mean', h);
  const logStd = plainDense(net, 'logStd', h).map((x) => -1.5 + 3.5 * Math.tanh(x));
  const action = mean.map((m, i) => Math.tanh(m + Math.exp(logStd[i]!) * noise[i]!));
  const logP = action.reduce(
    (sum, a, i) => sum - 0.5 * noise[i]! ** 2 - logStd[i]! - 0.5 * Math.log(2 * Math.PI) - Math.log(1 - a * a),
    0,
  );
  return { action, logP };
}
