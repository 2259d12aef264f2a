/** Algorithms solve a problem whose best policy is known. */
import { describe, expect, it } from 'vitest';
import { createTransition, Rng } from '../../core/index.ts';
import { Bindings, Session } from '../engine/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../program/index.ts';
import { Replay } from '../replay/index.ts';
import { type Agent, createAgent } from './agent.ts';

const QUICK: Partial<LearnerConfig> = {
  ...{ actorHidden: [32], criticHidden: [32, 32], batchSize: 64, utd: 4, discount: 0.5, targetRate: 0.05 },
  ...{ learningRateActor: 3e-3, learningRateCritic: 3e-3, learningRateTemperature: 3e-3 },
  ...{ demoFraction: 0, bcInitSteps: 0 },
};
const STATES = [-0.9, -0.5, 0, 0.3, 0.7];

/** Random actions at random states; r = −(a − 0.6·s)², so that a = 0.6·s is best. Every other step ends its episode. */
function tracking(seed: number): Replay {
  const replay = new Replay(1, 1, 1000);
  const rng = new Rng(seed);
  for (let i = 0; i < 600; i++) {
    const t = createTransition(1, 1);
    t.observation[0] = rng.uniformIn(-1, 1);
    t.nextObservation[0] = rng.uniformIn(-1, 1);
    t.executed[0] = rng.uniformIn(-1, 1);
    t.reward = -((t.executed[0]! - 0.6 * t.observation[0]!) ** 2);
    t.terminated = i % 2 === 0;
    replay.add(t);
  }
  return replay;
}

/** What the policy does at `state` where it does not explore. */
async function actionAt(agent: Agent, states: readonly number[]): Promise<number[]> {
  const session = await Session.create(agent.exportPolicy());
  const actions: number[] = [];
  for (const state of states) {
    const inputs = new Bindings();
    inputs.set('observation', Float32Array.of(state), [1, 1]);
    if (agent.algorithm.policy(agent.spec).noiseSize > 0) inputs.set('noise', new Float32Array(1), [1, 1]);
    const { action, mean } = await session.evaluate(inputs);
    actions.push(action === undefined ? Math.tanh(Number(mean!.data[0])) : Number(action.data[0]));
  }
  await session.close();
  return actions;
}

describe('learning where the best policy is known', () => {
  it.each(['sac', 'td3'] as const)('%s finds it', async (algorithm) => {
    const config = { ...DEFAULT_LEARNER_CONFIG, ...QUICK, algorithm };
    const agent = await createAgent({ observationSize: 1, actionSize: 1, config, seed: 1 });
    const replay = tracking(2);
    for (let i = 0; i < 200; i++) await agent.update(replay, 600);
    const actions = await actionAt(agent, STATES);
    await agent.close();
    actions.forEach((action, i) => {
      expect(action).toBeCloseTo(0.6 * STATES[i]!, 1);
    });
  });
});
