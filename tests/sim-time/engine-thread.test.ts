/** The training engine in a thread of its own against the one in the caller's: the same numbers, bit for bit. */
import { expect, it } from 'vitest';
import type { AgentSpec } from '../../src/learner/agent/agent.ts';
import type { TrainingEngine } from '../../src/learner/compute/training-engine.ts';
import { type createAgent as create, Replay } from '../../src/learner/index.ts';
import { DEFAULT_LEARNER_CONFIG } from '../../src/learner/options.ts';
import { Rng } from '../../src/model/index.ts';
import { createTransition } from '../../src/rows/index.ts';

// A worker thread runs from the built program only.
const { createAgent } = (await import(new URL('../../dist/learner/index.js', import.meta.url).href)) as {
  createAgent: typeof create;
};

const config = {
  ...DEFAULT_LEARNER_CONFIG,
  actorHidden: [16],
  criticHidden: [16],
  batchSize: 16,
  utd: 3,
  critics: 3,
  bcInitSteps: 100,
  warmupSteps: 0,
};
const spec: AgentSpec = { parts: { stateSize: 3 }, actionSize: 2, config, seed: 1 };

const replay = new Replay(3, 2, 1000);
const rng = new Rng(9);
for (let i = 0; i < 200; i++) {
  const t = createTransition(3, 2);
  t.source = i % 3 === 0 ? 'demo' : 'policy';
  rng.fillNormal(t.observation);
  rng.fillNormal(t.nextObservation);
  for (let j = 0; j < 2; j++) t.executed[j] = rng.uniformIn(-1, 1);
  t.reward = rng.uniform();
  replay.add(t);
}

async function train(engine: 'local' | 'thread', isAhead: boolean) {
  const agent = await createAgent({ ...spec, engine });
  await agent.pretrain(replay);
  const losses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const { values } = await agent.update(replay, 20 + i, isAhead ? 21 + i : undefined);
    losses.push(values['criticLoss']!, values['actorLoss']!);
  }
  // With a batch drawn ahead, the generators are further on than the training: a snapshot must not be.
  const snapshot = await agent.snapshot();
  await agent.close();
  return { losses, snapshot };
}

it('gives the same losses and the same snapshot, with batches drawn ahead and without', async () => {
  const local = await train('local', false);
  expect(await train('thread', true)).toEqual(local);
  expect(await train('thread', false)).toEqual(local);
});

it('continues from a snapshot that was taken with a batch drawn ahead', async () => {
  const agent = await createAgent({ ...spec, engine: 'thread' });
  await agent.update(replay, 20, 21);
  const snapshot = await agent.snapshot();
  const next = await agent.update(replay, 21, 22);
  const resumed = await createAgent({ ...spec, engine: 'thread', seed: 5 });
  await resumed.restore(snapshot);
  expect((await resumed.update(replay, 21)).values).toEqual(next.values);
  await Promise.all([agent.close(), resumed.close()]);
});

it('says what is wrong with values of other sizes, and goes on', async () => {
  const agent = await createAgent({ ...spec, engine: 'thread' });
  await expect(agent.criticValues(new Float32Array(4), new Float32Array(2))).rejects.toThrow(/are not rows of 3 and 2/);
  expect((await agent.update(replay, 20)).isRefused).toBe(false);
  await agent.close();
});

it('rejects what is asked of a thread that dies, and closes: nobody waits for ever', async () => {
  const { EngineThread } = (await import(
    new URL('../../dist/learner/compute/engine-thread.js', import.meta.url).href
  )) as {
    EngineThread: new (of: object, hasRobot: boolean) => TrainingEngine;
  };
  const impossible = { parts: { stateSize: 3 }, actionSize: 2, config: { ...config, algorithm: 'none' } };
  const engine = new EngineThread(impossible, false);
  await expect(engine.read()).rejects.toThrow('There is no algorithm "none"');
  await expect(engine.read()).rejects.toThrow('There is no algorithm "none"');
  await engine.close();
});
