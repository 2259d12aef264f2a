/** A problem that every algorithm must solve in a second: one step, one number to see, one to act with. For tests. */

import { createAgent } from '../../../src/learner/agent/agent.ts';
import { Bindings, Session } from '../../../src/learner/engine/session.ts';
import type { LearnerConfig } from '../../../src/learner/options/learner-config.ts';
import { Replay } from '../../../src/learner/replay/replay.ts';
import { Rng } from '../../../src/model/index.ts';
import { createTransition } from '../../../src/rows/index.ts';

/** The best action at `s` in [−1, 1]. */
function best(s: number): number {
  return 0.2 + 0.6 * s;
}

/**
 * `count` steps with actions drawn uniformly; the reward is 1 − (a − best)². The first
 * `demonstrations` are the best actions, shown by somebody.
 */
export function bandit(count: number, seed: number, demonstrations = 0): Replay {
  const replay = new Replay(1, 1, count);
  const rng = new Rng(seed);
  for (let i = 0; i < count; i++) {
    const t = createTransition(1, 1);
    const s = rng.uniformIn(-1, 1);
    const isDemo = i < demonstrations;
    t.source = isDemo ? 'demo' : 'policy';
    t.observation[0] = s;
    t.executed[0] = isDemo ? best(s) : rng.uniformIn(-1, 1);
    t.reward = 1 - (t.executed[0] - best(s)) ** 2;
    t.terminated = true;
    replay.add(t);
  }
  return replay;
}

/** Mean distance of the policy from the best actions after `calls` training calls on `replay`. */
export async function errorOnBandit(config: LearnerConfig, replay: Replay, calls: number): Promise<number> {
  const agent = await createAgent({ parts: { stateSize: 1 }, actionSize: 1, config, seed: 1 });
  await agent.pretrain(replay);
  for (let i = 0; i < calls; i++) {
    const { isRefused } = await agent.update(replay, replay.counts().online);
    if (isRefused) throw new Error('a call was refused');
  }
  const { noiseSize } = agent.algorithm.policy(agent.spec);
  const session = await Session.create(await agent.exportPolicy());
  await agent.close();
  const rng = new Rng(7);
  const places = [-0.8, -0.4, 0, 0.4, 0.8];
  let sum = 0;
  for (const s of places) {
    const bindings = new Bindings();
    bindings.set('observation', Float32Array.of(s), [1, 1]);
    if (noiseSize > 0) {
      const noise = new Float32Array(noiseSize);
      rng.fillNormal(noise);
      bindings.set('noise', noise, [1, noiseSize]);
    }
    const { action, mean } = await session.evaluate(bindings);
    sum += Math.abs((action === undefined ? Math.tanh(Number(mean!.data[0])) : Number(action.data[0])) - best(s));
  }
  await session.close();
  return sum / places.length;
}
