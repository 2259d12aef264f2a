import { describe, expect, it } from 'vitest';
import { takeRoots } from '../../../tests/support/rootless-moment.ts';
import { Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { createAgent } from './agent.ts';

const small: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  algorithm: 'wsrl',
  actorHidden: [4],
  criticHidden: [4],
  batchSize: 4,
  utd: 2,
  bcInitSteps: 500,
};

const create = (config = small) => createAgent({ parts: { stateSize: 2 }, actionSize: 1, config, seed: 1 });

/** Demonstrations, of which the first `huge` have a reward whose square is not finite. */
function shown(count: number, huge: number): Replay {
  const replay = new Replay(2, 1, count);
  const rng = new Rng(4);
  for (let i = 0; i < count; i++) {
    const t = createTransition(2, 1);
    t.source = 'demo';
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    t.reward = i < huge ? 3e38 : 1;
    t.terminated = true;
    replay.add(t);
  }
  return replay;
}

describe('pre-training', () => {
  it('throws away the calls that are not finite, goes on from before them, and counts them', async () => {
    const run = async () => {
      const agent = await create();
      const report = await agent.pretrainOffline(shown(150, 1), 80);
      const { state, refusedCalls } = await agent.snapshot();
      await agent.close();
      return { report, refusedCalls, state };
    };
    const { report, refusedCalls, state } = await run();
    // 40 calls of two batches of four from 150 demonstrations, one of them huge.
    expect(report.refused).toBeGreaterThan(0);
    expect(report.refused).toBeLessThan(15);
    expect(report.steps).toBe(80 - 2 * report.refused);
    expect(refusedCalls).toBe(report.refused);
    expect(Number.isFinite(report.firstLoss) && Number.isFinite(report.lastLoss)).toBe(true);
    expect(state.every(Number.isFinite)).toBe(true);
    expect(state).toEqual((await run()).state);
  });

  it.each<[string, number, Replay]>([
    ['cloning', 10, shown(10, 0)],
    ['offline', 3, shown(10, 10)],
  ])(
    'of whose calls none is finite (%s) is an error that says what to do, and changes nothing',
    async (phase, calls, replay) => {
      const agent = await create();
      if (phase === 'cloning') await takeRoots(agent, 'actor');
      const { state } = await agent.snapshot();
      await expect(
        phase === 'cloning' ? agent.pretrain(replay) : agent.pretrainOffline(replay, 6),
      ).rejects.toMatchObject({
        name: 'ReinError',
        message: `Pre-training (${phase}) learned nothing: none of its results was finite (calls: ${calls}).`,
        remedy: 'Look for huge rewards or observations in the demonstrations, and lower the learning rates.',
      });
      expect((await agent.snapshot()).state).toEqual(state);
      await agent.close();
    },
  );

  it('reports nothing where there is nothing to learn from', async () => {
    const agent = await create();
    const none = { steps: 0, refused: 0, firstLoss: Number.NaN, lastLoss: Number.NaN };
    expect(await agent.pretrain(new Replay(2, 1, 10))).toEqual(none);
    expect(await agent.pretrainOffline(shown(10, 0), 0)).toEqual(none);
    await agent.close();
  });
});
