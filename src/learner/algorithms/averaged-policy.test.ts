/** Robots get an average of the policy that is trained, where `policyRate` is below 1. */
import { describe, expect, it } from 'vitest';
import { createTransition, Rng } from '../../core/index.ts';
import { type Agent, createAgent } from '../agent/agent.ts';
import { ParameterLayout } from '../engine/parameters.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { stateParts } from '../update/state.ts';

const [O, A] = [3, 2];

const configOf = (algorithm: string, overrides: Partial<LearnerConfig> = {}): LearnerConfig => ({
  ...DEFAULT_LEARNER_CONFIG,
  algorithm,
  actorHidden: [8],
  criticHidden: [8],
  batchSize: 8,
  utd: 2,
  warmupSteps: 0,
  bcInitSteps: 50,
  criticOnlySteps: 1,
  policyRate: 0.1,
  ...overrides,
});

function taughtReplay(): Replay {
  const replay = new Replay(O, A, 100);
  const rng = new Rng(2);
  for (let i = 0; i < 60; i++) {
    const t = createTransition(O, A);
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    t.executed.fill(rng.uniformIn(-1, 1));
    t.reward = t.executed[0]!;
    t.source = i < 20 ? 'demo' : 'policy';
    replay.add(t);
  }
  return replay;
}

async function partOf(agent: Agent, part: string): Promise<Float32Array> {
  const { state } = await agent.snapshot();
  const { offset, size } = new ParameterLayout(stateParts(agent.algorithm, agent.spec)).entries.find(
    ({ name }) => name === part,
  )!;
  return state.slice(offset, offset + size);
}

describe('the policy that robots get', () => {
  it.each([
    ['sac', {}],
    ['rlpd', {}],
    ['wsrl', { wsrl: { ...DEFAULT_LEARNER_CONFIG.wsrl, offlineUpdates: 0 } }],
    ['hil-serl', {}],
    ['hil-serl', { hilSerl: { ...DEFAULT_LEARNER_CONFIG.hilSerl, gripperObservations: [1] } }],
  ] as const)(
    'is the clone, then follows the trained one by a tenth of what lies between: %s %j',
    async (algorithm, more) => {
      const config = configOf(algorithm, more);
      const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config, seed: 1 });
      const replay = taughtReplay();
      await agent.pretrain(replay);
      const clone = await partOf(agent, 'actor');
      expect(await partOf(agent, 'actor_target')).toEqual(clone);
      await agent.update(replay, 40);
      expect(await partOf(agent, 'actor_target')).toEqual(clone);
      let expected = clone;
      for (let call = 0; call < 5; call++) {
        await agent.update(replay, 40);
        const trained = await partOf(agent, 'actor');
        expected = expected.map((before, i) => before + 0.1 * (trained[i]! - before));
      }
      const got = (await agent.actorWeights()).data.subarray(0, clone.length);
      expect(got).not.toEqual(clone);
      got.forEach((value, i) => void expect(value).toBeCloseTo(expected[i]!, 5));
      // The file of the policy is built of the same part.
      expect((await agent.exportPolicy()).length).toBeGreaterThan(0);
      await agent.close();
    },
  );

  it('is the trained one where nothing is averaged, and has no copy', async () => {
    const config = configOf('rlpd', { policyRate: 1 });
    const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config, seed: 1 });
    expect(stateParts(agent.algorithm, agent.spec).map(({ name }) => name)).not.toContain('actor_target');
    await agent.close();
  });

  it.each(['td3', 'expo', 'passive', 'bc'])('is the trained one of %s, whatever is asked for', async (algorithm) => {
    const config = configOf(algorithm);
    const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config, seed: 1 });
    expect(agent.algorithm.policy(agent.spec).networks).not.toContain('actor_target');
    await agent.close();
  });
});
