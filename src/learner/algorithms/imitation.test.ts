import { describe, expect, it } from 'vitest';
import { bandit, errorOnBandit } from '../../../tests/support/learner/bandit.ts';
import { createTransition } from '../../rows/index.ts';
import { createAgent } from '../agent/agent.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';

const configOf = (policy: 'gaussian' | 'base', demoFraction: number): LearnerConfig => ({
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,

  algorithm: 'bc',
  actorHidden: [32],
  batchSize: 64,
  utd: 2,
  bcInitSteps: 100,
  learningRateBc: 5e-3,
  demoFraction,
  bc: { policy },
  expo: { ...DEFAULT_LEARNER_CONFIG.expo, baseHidden: [32] },
});

describe('behaviour cloning', () => {
  it.each(['gaussian', 'base'] as const)('does what it was shown, not what it did itself: %s', async (policy) => {
    expect(await errorOnBandit(configOf(policy, 1), bandit(400, 3, 200), 80)).toBeLessThan(0.15);
  });

  it('of everything it did is as bad as that', async () => {
    // Actions were drawn uniformly: their mean is far from the best action where that is far from 0.
    expect(await errorOnBandit(configOf('gaussian', 0), bandit(400, 3), 80)).toBeGreaterThan(0.2);
  });

  it('goes between two good ways with a Gaussian, and takes one of them with the base policy', async () => {
    const replay = new Replay(1, 1, 200);
    for (let i = 0; i < 200; i++) {
      const t = Object.assign(createTransition(1, 1), { source: 'demo', terminated: true });
      t.executed[0] = i % 2 === 0 ? 0.7 : -0.7;
      replay.add(t);
    }
    const actions = async (policy: 'gaussian' | 'base') => {
      const config = { ...configOf(policy, 1), bcInitSteps: 1500, learningRateBc: 0.01 };
      const agent = await createAgent({ parts: { stateSize: 1 }, actionSize: 1, config, seed: 1 });
      await agent.pretrain(replay);
      const { noiseSize } = agent.algorithm.policy(agent.spec);
      const session = await Session.create(await agent.exportPolicy());
      await agent.close();
      const done: number[] = [];
      for (let i = 0; i < 20; i++) {
        const bindings = new Bindings();
        bindings.set('observation', Float32Array.of(0), [1, 1]);
        // Evenly spread, so that no luck is needed.
        if (noiseSize > 0) bindings.set('noise', new Float32Array(noiseSize).fill((i - 9.5) / 8), [1, noiseSize]);
        const { action, mean } = await session.evaluate(bindings);
        done.push(action === undefined ? Math.tanh(Number(mean!.data[0])) : Number(action.data[0]));
      }
      await session.close();
      return done;
    };
    expect(Math.max(...(await actions('gaussian')).map(Math.abs))).toBeLessThan(0.2);
    const base = await actions('base');
    expect(base.filter((a) => Math.abs(Math.abs(a) - 0.7) < 0.3).length).toBeGreaterThan(11);
    expect(Math.min(...base)).toBeLessThan(-0.4);
    expect(Math.max(...base)).toBeGreaterThan(0.4);
  });

  it('has no critics, and says so where they are asked', async () => {
    const agent = await createAgent({
      parts: { stateSize: 1 },
      actionSize: 1,
      config: configOf('gaussian', 1),
      seed: 1,
    });
    await expect(agent.criticValues(Float32Array.of(0), Float32Array.of(0))).rejects.toThrow(
      'bc has no critics to ask',
    );
    await agent.close();
  });
});
