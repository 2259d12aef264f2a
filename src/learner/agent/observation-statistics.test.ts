import { describe, expect, it } from 'vitest';
import { type ObservationParts, Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { STATISTICS } from '../update/network-inputs.ts';
import { createAgent } from './agent.ts';
import { observationStatistics } from './observation-statistics.ts';

const parts: ObservationParts = {
  stateSize: 2,
  image: { channels: 1, height: 1, width: 2 },
  baseActionSize: 1,
  privilegedSize: 1,
};
const O = 6;

/** `count` online steps: number i of an observation is i + 10·step, the first stays at 3. */
function replayOf(count: number): Replay {
  const replay = new Replay(O, 1, 1000);
  for (let step = 0; step < count; step++) {
    const t = createTransition(O, 1);
    for (let i = 0; i < O; i++) t.observation[i] = i === 0 ? 3 : i + 10 * step;
    replay.add(t);
  }
  return replay;
}

describe('what observations are normalised with', () => {
  it('is mean and spread of state and privileged numbers; images and base actions stay, as they have their range', () => {
    const [mean, scale] = [new Float32Array(O), new Float32Array(O).fill(1)];
    observationStatistics(parts, replayOf(9), 3, mean, scale);
    // Steps 0, 1, 2 count: 10 on average, with a standard deviation of √(200/3). Constant values are not amplified.
    const spread = Math.sqrt(200 / 3);
    expect(Array.from(mean)).toEqual([3, 11, 0, 0, 0, 15]);
    [100, 1 / spread, 1, 1, 1, 1 / spread].forEach((value, i) => {
      expect(scale[i]! / value).toBeCloseTo(1, 5);
    });
  });

  it('is taken at the first update and never again, also by an agent that goes on from there', async () => {
    const config: LearnerConfig = {
      ...DEFAULT_LEARNER_CONFIG,
      criticOnlySteps: 0,
      actorHidden: [4],
      criticHidden: [4],
      batchSize: 4,
      utd: 1,
      bcInitSteps: 0,
      normaliseObservations: true,
    };
    const create = () => createAgent({ parts: { stateSize: 2 }, actionSize: 1, config, seed: 1 });
    const [agent, other] = [await create(), await create()];
    const replay = new Replay(2, 1, 100);
    const rng = new Rng(1);
    const add = (around: number) => {
      const t = createTransition(2, 1);
      t.observation.set([around + rng.normal(), around + rng.normal()]);
      replay.add(t);
    };
    const statistics = async (of: typeof agent) => {
      const { shapes, data } = await of.actorWeights();
      expect(shapes.slice(-2).map(({ name }) => name)).toEqual([STATISTICS.mean, STATISTICS.scale]);
      return Array.from(data.subarray(-4));
    };
    for (let i = 0; i < 20; i++) add(5);
    await agent.update(replay, 20);
    const frozen = await statistics(agent);
    expect(frozen[0]).toBeCloseTo(5, 0);
    for (let i = 0; i < 20; i++) add(-50);
    await agent.update(replay, 40);
    expect(await statistics(agent)).toEqual(frozen);
    await other.restore(await agent.snapshot());
    await other.update(replay, 40);
    expect(await statistics(other)).toEqual(frozen);
    await agent.close();
    await other.close();
  });
});
