import { describe, expect, it } from 'vitest';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { callOnce } from '../../../tests/support/learner/one-call.ts';
import {
  type Net,
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
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { costTarget, lagrangian, nextMultiplier, passive } from './passive.ts';
import { sac } from './sac.ts';

/** The numbers of one output of a graph without inputs. */
async function evaluated(build: (g: Graph) => Tensor): Promise<number[]> {
  const g = new Graph('golden', 'float64');
  g.output('y', build(g));
  const session = await Session.create(g.serialize());
  const { y } = await session.evaluate(new Bindings());
  await session.close();
  return Array.from(y!.data, Number);
}

const usual = DEFAULT_LEARNER_CONFIG.passive;

function moved(
  before: readonly number[],
  cost: number,
  settings: Partial<LearnerConfig['passive']>,
): Promise<number[]> {
  const all = { ...usual, budget: 0.5, ...settings };
  return evaluated((g) => nextMultiplier(g.constant([...before], [3]), g.constant(cost), all));
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    expect(actual[i]).toBeCloseTo(value, 12);
  });
}

describe('the multiplier', () => {
  it('integrates what costs exceed the budget by, from 0 to its limit', async () => {
    const plain = { multiplier: 'plain', rate: 0.1, maxMultiplier: 2 } as const;
    expectClose(await moved([1, 0, 0.3], 0.8, plain), [1.03, 0, 0.8]);
    expectClose(await moved([0.01, 0, 0.3], 0, plain), [0, 0, 0]);
    expectClose(await moved([1.99, 0, 0.3], 9, plain), [2, 0, 9]);
  });

  it('as a PID controller adds the excess, its sum, and the rise since the last call, but no fall', async () => {
    const pid = { multiplier: 'pid', proportionalGain: 2, integralGain: 0.1, derivativeGain: 5 } as const;
    expectClose(await moved([7, 1, 0.7], 0.8, pid), [2 * 0.3 + 1.03 + 5 * 0.1, 1.03, 0.8]);
    expectClose(await moved([7, 1, 0.9], 0.8, pid), [2 * 0.3 + 1.03, 1.03, 0.8]);
    // The integral returns from its limit at once.
    expectClose(await moved([7, 3, 0.9], 9, { ...pid, maxMultiplier: 3 }), [3, 3, 9]);
  });

  it('takes its first measurement for no rise', async () => {
    const pid = { multiplier: 'pid', proportionalGain: 0, integralGain: 0, derivativeGain: 5 } as const;
    expectClose(await moved([0, 0, -1], 0.8, pid), [0, 0, 0.8]);
  });
});

describe('the losses', () => {
  it('take the dearest of the cost critics, and nothing after the task has ended', async () => {
    const y = await evaluated((g) =>
      costTarget(g.constant([1, 2], [2, 1]), g.constant([0.9, 0], [2, 1]), g.constant([5, 1, 3, 9], [2, 2, 1])),
    );
    expectClose(y, [1 + 0.9 * 5, 2]);
  });

  it('weigh reward and cost to a sum of one', async () => {
    const costs = (g: Graph) => g.constant([5, 1, 3, 9], [2, 2, 1]);
    expectClose(await evaluated((g) => lagrangian(g.constant(-2), costs(g), g.constant([3], [1]))), [(-2 + 3 * 7) / 4]);
    expectClose(await evaluated((g) => lagrangian(g.constant(-2), costs(g), g.constant([0], [1]))), [-2]);
  });

  it('have the gradients of central differences', async () => {
    const build = ([loss, costs]: readonly Tensor[], g: Graph) => lagrangian(loss!, costs!, g.constant([0.7], [1]));
    expect(await gradientError([{ shape: [] }, { shape: [2, 5, 1] }], new Rng(2), build)).toBeLessThan(1e-6);
  });
});

const [B, O, A, K] = [4, 3, 2, 2];
const config: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  algorithm: 'passive',
  batchSize: B,
  actorHidden: [4],
  criticHidden: [5],
  learningRateCritic: 0.05,
  passive: { ...usual, costUnit: 2, budget: 0.25, multiplier: 'plain', rate: 2 },
};
const spec: LearnerSpec = { parts: { stateSize: O }, actionSize: A, config };

function policy(net: Net, s: readonly number[], noise: readonly number[]) {
  const h = plainDense(net, 'hidden0', s).map((x) => Math.max(0, x));
  const logStd = plainDense(net, 'logStd', h).map((x) => -1.5 + 3.5 * Math.tanh(x));
  const action = plainDense(net, 'mean', h).map((m, i) => Math.tanh(m + Math.exp(logStd[i]!) * noise[i]!));
  const terms = action.map(
    (a, i) => -0.5 * noise[i]! ** 2 - logStd[i]! - 0.5 * Math.log(2 * Math.PI) - Math.log(1 - a ** 2),
  );
  return { action, logP: terms.reduce((sum, x) => sum + x, 0) };
}

describe('one whole call', () => {
  it('equals the reference: costs in their unit, and an actor that the multiplier of this call pulls', async () => {
    const call = await callOnce(passive, spec, passive.update, K, new Rng(11), { measured_cost: [1.25] });
    const { state, inputs, after, metric } = call;
    const initial = state['multiplier']![0]!;
    const nu = Math.max(0, initial + 2 * (1.25 - 0.25));
    const [policyLayout, layout] = passive.networks(spec).map((network) => network.layout) as [never, never];
    const size = (layout as { size: number }).size;
    const row = (name: string, width: number, k: number, b: number) =>
      Array.from(inputs[name]!.subarray((k * B + b) * width, (k * B + b + 1) * width));
    const [actor, cost, target] = ['actor', 'cost_critic', 'cost_critic_target'].map((part) =>
      state[part]!.slice(),
    ) as [Float64Array, Float64Array, Float64Array];
    const rows = Array.from({ length: B }, (_, b) => b);
    const q = (of: ArrayLike<number>, j: number, s: number[], a: number[]) => plainQ(netOf(of, layout, j * size), s, a);
    const worst = (of: ArrayLike<number>, s: number[], a: number[]) => Math.max(...[0, 1].map((j) => q(of, j, s, a)));
    const moments = noMoments(cost.length);
    for (let k = 0; k < K; k++) {
      const y = rows.map((b) => {
        const s2 = row('next_observation', O, k, b);
        const { action } = policy(netOf(actor, policyLayout), s2, row('next_noise', A, k, b));
        return inputs['cost']![k * B + b]! / 2 + inputs['discount']![k * B + b]! * worst(target, s2, action);
      });
      const loss = () =>
        mean(
          [0, 1].flatMap((j) =>
            rows.map((b) => (q(cost, j, row('observation', O, k, b), row('action', A, k, b)) - y[b]!) ** 2),
          ),
        );
      expect(metric('costLoss', k)).toBeCloseTo(loss(), 6);
      plainAdam(cost, moments, numericGradient(cost, loss), k + 1, { rate: config.learningRateCritic });
      target.forEach((value, i) => {
        target[i] = value + config.targetRate * (cost[i]! - value);
      });
    }
    expect(worstDifference(after('cost_critic'), cost)).toBeLessThan(5e-6);
    expect(worstDifference(after('cost_critic_target'), target)).toBeLessThan(5e-6);
    expectClose(Array.from(after('multiplier'), Number), [nu, state['multiplier']![1]!, 1.25]);

    const critic = Float64Array.from(after('critic'), Number);
    const alpha = Math.exp(state['temperature']![0]!);
    const objective = () =>
      mean(
        rows.map((b) => {
          const s = row('observation', O, K - 1, b);
          const { action, logP } = policy(netOf(actor, policyLayout), s, row('noise', A, 0, b));
          const value = mean([0, 1].map((j) => q(critic, j, s, action)));
          return (alpha * logP - value + nu * worst(cost, s, action)) / (1 + nu);
        }),
      );
    expect(metric('actorLoss')).toBeCloseTo(objective(), 5);
    plainAdam(actor, noMoments(actor.length), numericGradient(actor, objective), 1, { rate: config.learningRateActor });
    expect(worstDifference(after('actor'), actor)).toBeLessThan(5e-6);
  });

  it('is SAC while the multiplier is 0', async () => {
    // Costs far below the budget take any multiplier to 0.
    const aware = await callOnce(passive, spec, passive.update, K, new Rng(3), { measured_cost: [-1e3] });
    const same = Object.fromEntries(Object.entries(aware.inputs).map(([name, values]) => [name, Array.from(values)]));
    const plain = await callOnce(sac, spec, sac.update, K, new Rng(3), same);
    for (const part of ['actor', 'critic', 'temperature']) {
      expect(worstDifference(aware.after(part), Float64Array.from(plain.after(part), Number))).toBeLessThan(1e-12);
    }
  });
});

/** Costs 0, 1, 2 … of the online steps, energies ten times that; the action with most reward is the most expensive. */
function costly(count: number): Replay {
  const replay = new Replay(1, 1, 2000);
  const rng = new Rng(4);
  for (let i = 0; i < count; i++) {
    const t = createTransition(1, 1);
    t.executed[0] = rng.uniformIn(-1, 1);
    t.reward = -((t.executed[0] - 0.8) ** 2);
    t.cost = t.executed[0] ** 2;
    t.tankDrainJ = 10 * i;
    t.terminated = true;
    replay.add(t);
  }
  return replay;
}

describe('the learner', () => {
  const small: LearnerConfig = {
    ...config,
    actorHidden: [16],
    criticHidden: [32],
    batchSize: 64,
    utd: 4,
    demoFraction: 0,
    bcInitSteps: 0,
    learningRateActor: 5e-3,
    learningRateCritic: 5e-3,
  };
  const create = (settings: Partial<LearnerConfig['passive']>) =>
    createAgent({
      parts: { stateSize: 1 },
      actionSize: 1,
      seed: 1,
      config: { ...small, passive: { ...usual, ...settings } },
    });

  it('measures the newest steps that count, and none that came after', async () => {
    const agent = await create({ cost: 'tankDrainJ', costUnit: 10, window: 5 });
    const replay = costly(100);
    const { values } = await agent.update(replay, 40);
    expect(values['measuredCost']).toBeCloseTo(37, 4);
    await agent.close();
  });

  it('gives up reward for cost as the multiplier says', async () => {
    // −(a − 0.8)² − ν·a² is largest at 0.8 / (1 + ν).
    const held = { proportionalGain: 1000, budget: 0, maxMultiplier: 1 };
    const agent = await create(held);
    const replay = costly(900);
    for (let i = 0; i < 150; i++) await agent.update(replay, 900);
    const session = await Session.create(await agent.exportPolicy());
    const bindings = new Bindings();
    bindings.set('observation', Float32Array.of(0), [1, 1]);
    const { mean } = await session.evaluate(bindings);
    expect(Math.tanh(Number(mean!.data[0]))).toBeCloseTo(0.4, 1);
    await session.close();
    await agent.close();
  });

  it('goes on from a snapshot with the same multiplier, bit for bit', async () => {
    const replay = costly(100);
    const [agent, other] = [await create({}), await create({})];
    for (let i = 40; i < 43; i++) await agent.update(replay, i);
    await other.restore(await agent.snapshot());
    const [a, b] = [await agent.update(replay, 50), await other.update(replay, 50)];
    expect(a.values['multiplier']).toBeGreaterThan(0);
    expect(b.values).toEqual(a.values);
    expect((await other.snapshot()).state).toEqual((await agent.snapshot()).state);
    await agent.close();
    await other.close();
  });
});
