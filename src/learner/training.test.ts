import { describe, expect, it } from 'vitest';
import { Rng } from '../model/index.ts';
import { createTransition, type Transition } from '../rows/index.ts';
import type { AgentSpec } from './agent/agent.ts';
import { DEFAULT_LEARNER_CONFIG } from './options/learner-config.ts';
import { Training } from './training.ts';

const SPEC: AgentSpec = {
  parts: { stateSize: 2 },
  actionSize: 1,
  seed: 5,
  config: {
    ...DEFAULT_LEARNER_CONFIG,

    actorHidden: [8],
    criticHidden: [8],
    batchSize: 8,
    utd: 2,
    warmupSteps: 3,
    bcInitSteps: 0,
    criticOnlySteps: 0,
  },
};

function drawn(rng: Rng): Transition {
  const t = createTransition(2, 1);
  rng.fillNormal(t.observation);
  rng.fillNormal(t.nextObservation);
  t.executed[0] = rng.uniformIn(-1, 1);
  t.reward = rng.uniform();
  return t;
}

/** A training that has taken `count` transitions and done all updates that they allow. */
async function trained(count: number): Promise<{ training: Training; visible: number[] }> {
  const training = await Training.open(SPEC);
  const visible: number[] = [];
  const rng = new Rng(8);
  for (let i = 0; i < count; i++) {
    training.take(drawn(rng));
    for (let call = await training.update(); call !== undefined; call = await training.update()) {
      visible.push(call.visible);
    }
  }
  return { training, visible };
}

describe('a training', () => {
  it('has seen no step before its first update', async () => {
    const { training } = await trained(2);
    expect([training.updates, training.seenSteps]).toEqual([0, 0]);
    await training.close();
  });

  it('does the updates that its transitions pay for, each on those that paid for it', async () => {
    const { training, visible } = await trained(6);
    expect(visible).toEqual([4, 5, 6]);
    expect(training.updates).toBe(6);
    // Later transitions that allowed no update have been seen by none.
    for (const rng = new Rng(9); training.replay.counts().online < 20; ) training.take(drawn(rng));
    expect(training.seenSteps).toBe(6);
    await training.close();
  });

  it('that begins with the networks of another counts its own updates, and not those that were refused there', async () => {
    const { training: first } = await trained(5);
    const state = await first.state();
    const second = await Training.open({ ...SPEC, seed: 6 });
    await second.beginWith('there', { agent: { ...state.agent, refusedCalls: 2 } }, undefined);
    expect([second.updates, second.updatesBefore, second.agent.refusedCalls]).toEqual([0, 4, 0]);
    expect(await second.stateDigest()).toBe(await first.stateDigest());
    // Random numbers come from its own seed: the same transitions give another result.
    const rng = new Rng(9);
    for (let i = 0; i < 4; i++) {
      const t = drawn(rng);
      for (const training of [first, second]) training.take(t);
    }
    for (const training of [first, second]) while ((await training.update()) !== undefined);
    expect(second.updates).toBe(2);
    expect(await second.stateDigest()).not.toBe(await first.stateDigest());
    for (const training of [first, second]) await training.close();
  });

  it('refuses the state of another, naming every difference', async () => {
    const training = await Training.open(SPEC);
    const state = await training.state();
    const refusal = (change: object) => expect(training.restore('x.ckpt', { ...state, ...change })).rejects;
    const other = { ...state.agent, observationSize: 7, actionSize: 2, state: new Float32Array(9) };
    await refusal({ agent: other }).toMatchObject({
      kind: 'checkpoint',
      message: `The checkpoint x.ckpt has 7 observation numbers instead of 2 and 2 action numbers instead of 1 and other networks (9 numbers instead of ${training.agent.stateSize}).`,
    });
    const wild = state.agent.state.slice().fill(Number.NaN, 3, 4);
    await refusal({ agent: { ...state.agent, state: wild } }).toThrow('x.ckpt has a state that is not finite.');
    await refusal({ encoderDigest: 'ab'.repeat(32) }).toThrow(
      'The networks in x.ckpt were trained through an encoder (SHA-256 abababababababab), not through no frozen encoder.',
    );
    await training.close();
  });
});
