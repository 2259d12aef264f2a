/** A pre-trained policy stays unchanged until its critics have been trained too, whatever the algorithm. */
import { describe, expect, it } from 'vitest';
import { A, O, smallConfig, taughtReplay } from '../../../tests/support/learner/taught.ts';
import { Rng } from '../../model/index.ts';
import { createAgent } from '../agent/agent.ts';
import { criticOnlyUpdates, type LearnerConfig } from '../options/learner-config.ts';
import { cloningWeight } from './bc.ts';

const configOf = (algorithm: string, overrides: Partial<LearnerConfig> = {}): LearnerConfig =>
  smallConfig(algorithm, { criticOnlySteps: 3, ...overrides });

describe('the warm-up of critics', () => {
  it.each(['sac', 'rlpd', 'td3', 'dsact', 'passive', 'hil-serl'] as const)(
    'leaves a cloned policy and its temperature as they are until the critics have had their updates: %s',
    async (algorithm) => {
      const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config: configOf(algorithm), seed: 1 });
      const replay = taughtReplay();
      await agent.pretrain(replay);
      const actor = async () => [...(await agent.actorWeights()).data];
      const values = async () => [...(await agent.criticValues(new Float32Array(O).fill(0.1), new Float32Array(A)))];
      const [clone, critics] = [await actor(), await values()];
      const temperatures: (number | undefined)[] = [];
      for (let call = 0; call < 3; call++) temperatures.push((await agent.update(replay, 40)).values['temperature']);
      expect(await actor()).toEqual(clone);
      expect(await values()).not.toEqual(critics);
      expect(new Set(temperatures).size).toBe(1);
      await agent.update(replay, 40);
      expect(await actor()).not.toEqual(clone);
      await agent.close();
    },
  );

  it.each(['sac', 'rlpd', 'td3', 'passive', 'wsrl'] as const)(
    'begins with critics that expect nothing of anything, or an actor would climb their luck: %s',
    async (algorithm) => {
      const config = configOf(algorithm, { criticHidden: [64], actorHidden: [64] });
      const agent = await createAgent({ parts: { stateSize: O }, actionSize: A, config, seed: 1 });
      const rows = 50;
      const rng = new Rng(5);
      const [observations, actions] = [new Float32Array(rows * O), new Float32Array(rows * A)];
      rng.fillNormal(observations);
      for (let i = 0; i < actions.length; i++) actions[i] = rng.uniformIn(-1, 1);
      const values = await agent.criticValues(observations, actions);
      expect(Math.max(...values.map(Math.abs))).toBeLessThan(0.05);
      await agent.close();
    },
  );

  it('is for policies that have something to lose, and for critics that know nothing', () => {
    expect(criticOnlyUpdates(configOf('rlpd'))).toBe(6);
    expect(criticOnlyUpdates(configOf('rlpd', { bcInitSteps: 0 }))).toBe(0);
    expect(criticOnlyUpdates(configOf('residual', { bcInitSteps: 0 }))).toBe(6);
    expect(criticOnlyUpdates(configOf('bc'))).toBe(0);
    expect(criticOnlyUpdates(configOf('wsrl'))).toBe(configOf('wsrl').wsrl.offlineUpdates > 0 ? 0 : 6);
  });

  it("lets the hold of the demonstrations fade from the actor's first update on", () => {
    const config = configOf('rlpd', { bcAuxWeight: 2, bcAuxHalvingUpdates: 100 });
    expect([0, 6, 106].map((updates) => cloningWeight(config, updates))).toEqual([2, 2, 1]);
  });
});
