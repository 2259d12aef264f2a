/** Robots get an average of the trained policy, if `policyRate` is below 1. */
import { describe, expect, it } from 'vitest';
import { A, O, smallConfig, taughtReplay } from '../../../tests/support/learner/taught.ts';
import { type Agent, createAgent } from '../agent/agent.ts';
import { ParameterLayout } from '../engine/parameters.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { stateParts } from '../update/state.ts';

const configOf = (algorithm: string, overrides: Partial<LearnerConfig> = {}): LearnerConfig =>
  smallConfig(algorithm, { criticOnlySteps: 1, policyRate: 0.1, ...overrides });

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
      // The policy's file contains the same part.
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
