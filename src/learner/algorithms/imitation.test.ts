import { describe, expect, it } from 'vitest';
import { createAgent } from '../agent/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../config/index.ts';
import { bandit, errorOnBandit } from './bandit.ts';

const configOf = (policy: 'gaussian' | 'base', demoFraction: number): LearnerConfig => ({
  ...DEFAULT_LEARNER_CONFIG,
  ...{
    algorithm: 'bc',
    actorHidden: [32],
    batchSize: 64,
    utd: 2,
    bcInitSteps: 100,
    learningRateBc: 5e-3,
    demoFraction,
  },
  bc: { policy },
  expo: { ...DEFAULT_LEARNER_CONFIG.expo, baseHidden: [32] },
});

describe('behaviour cloning', () => {
  it.each(['gaussian', 'base'] as const)('does what it was shown, not what it did itself: %s', async (policy) => {
    expect(await errorOnBandit(configOf(policy, 1), bandit(400, 3, 200), 80)).toBeLessThan(0.15);
  });

  it('of everything it did is as bad as that', async () => {
    // Actions were drawn evenly: their mean is far from the best where that is far from 0.
    expect(await errorOnBandit(configOf('gaussian', 0), bandit(400, 3), 80)).toBeGreaterThan(0.2);
  });

  it('has no critics, and says so where they are asked', async () => {
    const agent = await createAgent({ observationSize: 1, actionSize: 1, config: configOf('gaussian', 1), seed: 1 });
    await expect(agent.criticValues(Float32Array.of(0), Float32Array.of(0))).rejects.toThrow(
      'bc has no critics to ask',
    );
    await agent.close();
  });
});
