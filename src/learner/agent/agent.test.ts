import { describe, expect, it } from 'vitest';
import { takeRoots } from '../../../tests/support/rootless-moment.ts';
import { ReinError, Rng } from '../../model/index.ts';
import { createTransition, type Source } from '../../rows/index.ts';
import { ParameterLayout } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { stateParts } from '../update/state.ts';
import { type Agent, createAgent } from './agent.ts';

const small: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  actorHidden: [16],
  criticHidden: [16],
  batchSize: 16,
  utd: 3,
  critics: 3,
  bcInitSteps: 100,
  warmupSteps: 0,
};

/** Random transitions whose demonstrations always act 0.7·sign of the first observation. */
function fill(
  replay: Replay,
  count: number,
  sourceOf: (i: number) => Source = (i) => (i % 3 === 0 ? 'demo' : 'policy'),
): void {
  const rng = new Rng(9);
  for (let i = 0; i < count; i++) {
    const t = createTransition(3, 2);
    t.source = sourceOf(i);
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    for (let j = 0; j < 2; j++) {
      t.executed[j] = t.source === 'demo' ? 0.7 * Math.sign(t.observation[0]!) : rng.uniformIn(-1, 1);
    }
    t.reward = rng.uniform();
    t.terminated = i % 10 === 9;
    replay.add(t);
  }
}

const replayOf = (count: number) => {
  const replay = new Replay(3, 2, 1000);
  fill(replay, count);
  return replay;
};

const create = (config: LearnerConfig = small, seed = 1) =>
  createAgent({ parts: { stateSize: 3 }, actionSize: 2, config, seed });

async function losses(agent: Agent, replay: Replay, calls: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < calls; i++) {
    const metrics = await agent.update(replay, 20 + i);
    expect(metrics.isRefused).toBe(false);
    const { criticLoss, actorLoss, temperature } = metrics.values;
    all.push(criticLoss!, actorLoss!, temperature!);
  }
  return all;
}

describe('Agent', () => {
  it('repeats a training bit for bit from the same seed, and not from another', async () => {
    const run = async (seed: number) => {
      const agent = await create(small, seed);
      const replay = replayOf(200);
      await agent.pretrain(replay);
      const values = await losses(agent, replay, 5);
      return [...values, ...(await agent.actorWeights()).data];
    };
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });

  it('learns the same bit for bit with one thread and with two', async () => {
    // Large enough to be shared among threads.
    const wide = { ...small, actorHidden: [64], criticHidden: [64, 64], batchSize: 64 };
    const replay = replayOf(200);
    const run = async (threads: number) => {
      const agent = await create({ ...wide, threads });
      const values = await losses(agent, replay, 1);
      const { state } = await agent.snapshot();
      await agent.close();
      return { values, state };
    };
    expect(await run(2)).toEqual(await run(1));
  });

  it('learns the same whether transitions came in time or all at once', async () => {
    const late = replayOf(400);
    const inTime = replayOf(60);
    const [a, b] = [await create(), await create()];
    expect(await losses(a, inTime, 10)).toEqual(await losses(b, late, 10));
  });

  it('goes on from a snapshot to the same next losses bit for bit', async () => {
    const replay = replayOf(200);
    const whole = await create();
    await losses(whole, replay, 4);
    const snapshot = await whole.snapshot();
    const next = await losses(whole, replay, 4);
    const resumed = await create(small, 77);
    await resumed.restore(structuredClone(snapshot));
    expect(resumed.updates).toBe(12);
    expect(await losses(resumed, replay, 4)).toEqual(next);
  });

  it('refuses a snapshot of other networks or of another update ratio', async () => {
    const snapshot = await (await create()).snapshot();
    const wider = await create({ ...small, criticHidden: [17] });
    await expect(wider.restore(snapshot)).rejects.toThrow(ReinError);
    const other = await create({ ...small, utd: 2 });
    await expect(other.restore({ ...snapshot, updates: 3 })).rejects.toThrow(/whole calls/);
  });

  // The square of the second is finite, but sums of squares in a moment would not stay finite for long.
  it.each([3e38, 1e18])(
    'refuses a result that is not finite, counts it and keeps its state: a reward of %d',
    async (reward) => {
      const agent = await create();
      const replay = replayOf(100);
      await losses(agent, replay, 1);
      const before = await agent.snapshot();
      const huge = new Replay(3, 2, 100);
      const t = createTransition(3, 2);
      t.reward = reward;
      huge.add(t);
      const metrics = await agent.update(huge, 1);
      expect(metrics.isRefused).toBe(true);
      expect(agent.refusedCalls).toBe(1);
      expect((await agent.snapshot()).state).toEqual(before.state);
      expect((await agent.update(replay, 20)).isRefused).toBe(false);
    },
  );

  it('never keeps, nor publishes, parameters that are not finite, and counts the calls that made them', async () => {
    const replay = replayOf(100);
    for (const network of ['actor', 'critic']) {
      // With one update per call, no later computation of the call would use what it wrote.
      const agent = await create({ ...small, utd: 1 });
      const sane = await agent.snapshot();
      await takeRoots(agent, network);
      const before = await agent.snapshot();
      for (let call = 1; call <= 2; call++) {
        expect((await agent.update(replay, 20)).isRefused).toBe(true);
        expect(agent.refusedCalls).toBe(call);
      }
      const after = await agent.snapshot();
      expect(after.state).toEqual(before.state);
      expect((await agent.actorWeights()).data.every(Number.isFinite)).toBe(true);
      const other = await create({ ...small, utd: 1 });
      await other.restore({ ...after, state: sane.state });
      expect((await other.update(replay, 20)).isRefused).toBe(false);
      expect(other.refusedCalls).toBe(2);
    }
  });

  it('clones the demonstrations, and clones nothing where there are none', async () => {
    const agent = await create({ ...small, bcInitSteps: 800 });
    const replay = new Replay(3, 2, 1000);
    fill(replay, 300, (i) => (i < 200 ? 'demo' : 'policy'));
    const report = await agent.pretrain(replay);
    expect(report.steps).toBe(800);
    expect(report.lastLoss).toBeLessThan(0.2 * report.firstLoss);
    const policy = await policyOf(agent);
    expect((await policy([1.2, 0, 0])).action[0]).toBeGreaterThan(0.4);
    expect((await policy([-1.2, 0, 0])).action[1]).toBeLessThan(-0.4);
    expect((await (await create()).pretrain(new Replay(3, 2, 10))).steps).toBe(0);
  });

  it('begins the training with moments of zero: its first step is not weighed with those of the cloning', async () => {
    const agent = await create();
    await agent.pretrain(replayOf(100));
    const { state } = await agent.snapshot();
    const { entries, size: all } = new ParameterLayout(stateParts(agent.algorithm, agent.spec));
    for (const { name, offset, size } of entries) {
      if (/_(first|second)$/.test(name)) expect(state.subarray(offset, offset + size).every((x) => x === 0)).toBe(true);
    }
    expect(state).toHaveLength(all);
  });

  it('exports one policy with its weights inside and as inputs: the same outputs, with a bounded spread', async () => {
    const agent = await create();
    const replay = replayOf(200);
    await losses(agent, replay, 3);
    const { shapes, data } = await agent.actorWeights();
    const [baked, fed] = [
      await Session.create(await agent.exportPolicy({ robot: 'arm6' })),
      await Session.create(agent.policyGraph()),
    ];
    const input = (withWeights: boolean) => {
      const bindings = new Bindings();
      bindings.set('observation', Float32Array.of(0.3, -1000, 2), [1, 3]);
      for (const { name, shape, offset, size } of new ParameterLayout(withWeights ? shapes : []).entries) {
        bindings.set(name, data.subarray(offset, offset + size), shape);
      }
      return bindings;
    };
    const [a, b] = [await baked.evaluate(input(false)), await fed.evaluate(input(true))];
    for (const name of ['mean', 'log_std']) {
      a[name]!.data.forEach((value, i) => {
        expect(Number(b[name]!.data[i])).toBeCloseTo(Number(value), 4);
      });
    }
    expect(a['mean']!.shape).toEqual([1, 2]);
    for (const logStd of a['log_std']!.data) expect(Math.abs(Number(logStd) + 1.5)).toBeLessThanOrEqual(3.5001);
  });

  it('says what is wrong with a configuration', async () => {
    await expect(create({ ...small, criticSubset: 4 })).rejects.toThrow(
      'criticSubset is 4, but there are only 3 critics',
    );
    await expect(create({ ...small, utd: 0.5 })).rejects.toThrow(
      'utd must be a whole number ≥ 1 and ≤ 100 (updates/step), got 0.5',
    );
    await expect(create({ ...small, discount: Number.NaN })).rejects.toThrow(
      'discount must be a number > 0 and ≤ 1, got NaN',
    );
  });

  it('learns from scratch to drive a point to the middle', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      actorHidden: [32, 32],
      criticHidden: [32, 32],
      batchSize: 64,
      utd: 2,
      warmupSteps: 100,
      discount: 0.9,
      learningRateActor: 2e-3,
      learningRateCritic: 2e-3,
    };
    const agent = await createAgent({ parts: { stateSize: 1 }, actionSize: 1, config, seed: 3 });
    const replay = new Replay(1, 1, 10_000);
    const rng = new Rng(4);
    let policy = await policyOf(agent);
    for (let n = 0; n < 600; n++) {
      const t = createTransition(1, 1);
      const x = rng.uniformIn(-1, 1);
      t.observation[0] = x;
      const { mean, logStd } = await policy([x]);
      t.executed[0] = n < 100 ? rng.uniformIn(-1, 1) : Math.tanh(mean[0]! + Math.exp(logStd[0]!) * rng.normal());
      t.nextObservation[0] = Math.max(-1, Math.min(1, x + 0.2 * t.executed[0]!));
      t.terminated = Math.abs(t.nextObservation[0]!) < 0.1;
      t.reward = t.terminated ? 1 : 0;
      replay.add(t);
      if (n >= config.warmupSteps) await agent.update(replay, n + 1);
      if (n % 50 === 0) policy = await policyOf(agent);
    }
    policy = await policyOf(agent);
    for (const start of [-0.95, -0.6, 0.4, 0.95]) {
      let [x, steps] = [start, 0];
      while (Math.abs(x) >= 0.1 && steps < 20) {
        x = Math.max(-1, Math.min(1, x + 0.2 * Math.tanh((await policy([x])).mean[0]!)));
        steps++;
      }
      // The best possible needs five steps from the farthest start.
      expect(steps).toBeLessThanOrEqual(7);
    }
  });
});

async function policyOf(agent: Agent) {
  const session = await Session.create(await agent.exportPolicy());
  return async (observation: number[]) => {
    const bindings = new Bindings();
    bindings.set('observation', Float32Array.from(observation), [1, observation.length]);
    const { mean, log_std } = await session.evaluate(bindings);
    const means = Array.from(mean!.data, Number);
    return { mean: means, logStd: Array.from(log_std!.data, Number), action: means.map(Math.tanh) };
  };
}

describe('where it computes', () => {
  it('says loudly that a provider is not to be had, and computes the same on the CPU', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.message);
    process.on('warning', note);
    const asked = await create({ ...small, provider: 'cuda' });
    const plain = await create();
    const replay = replayOf(100);
    expect(await losses(asked, replay, 2)).toEqual(await losses(plain, replay, 2));
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings.join()).toMatch(/was to compute with "cuda".*it uses the CPU/);
  });
});
