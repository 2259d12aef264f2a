/** Observations with an image, a base action and privileged numbers. */
import { expect, it } from 'vitest';
import { type ObservationParts, Rng, totalObservationSize } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { ParameterLayout } from '../engine/parameters.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { stateParts } from '../update/state.ts';
import { type Agent, createAgent } from './agent.ts';

const parts: ObservationParts = {
  stateSize: 2,
  image: { channels: 1, height: 8, width: 8 },
  baseActionSize: 1,
  privilegedSize: 3,
};
const O = totalObservationSize(parts);
const config: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  actorHidden: [16],
  criticHidden: [16],
  batchSize: 16,
  utd: 2,
  warmupSteps: 0,
  bcInitSteps: 50,
  encoder: { channels: [4], kernel: 3, stride: 2, embeddings: 0, latent: 6, cropPadding: 1 },
};

const replay = new Replay(O, 1, 100);
const rng = new Rng(2);
for (let i = 0; i < 60; i++) {
  const t = createTransition(O, 1);
  t.source = i < 20 ? 'demo' : 'policy';
  for (const values of [t.observation, t.nextObservation]) for (let j = 0; j < O; j++) values[j] = rng.uniform();
  t.executed[0] = rng.uniformIn(-1, 1);
  t.reward = rng.uniform();
  replay.add(t);
}

const create = (overrides: Partial<LearnerConfig> = {}) =>
  createAgent({ parts, actionSize: 1, config: { ...config, ...overrides }, seed: 3 });

it('trains the encoder by the critics, and by cloning', async () => {
  const agent = await create();
  const weights = async () => {
    const kernel = (await weightsOf(agent)).get('encoder.conv0.kernel')!;
    expect(kernel).toHaveLength(36);
    return kernel;
  };
  const fresh = await weights();
  expect((await agent.pretrain(replay)).steps).toBe(50);
  const cloned = await weights();
  expect(cloned).not.toEqual(fresh);
  await agent.update(replay, 40);
  expect(await weights()).not.toEqual(cloned);
  await agent.close();
});

it('leaves the encoder as it is until the policy moves that looks through it', async () => {
  const agent = await create({ criticOnlySteps: 2 });
  await agent.pretrain(replay);
  const weights = async () => (await weightsOf(agent)).get('encoder.conv0.kernel')!;
  const cloned = await weights();
  for (let call = 0; call < 2; call++) await agent.update(replay, 40);
  expect(await weights()).toEqual(cloned);
  await agent.update(replay, 40);
  expect(await weights()).not.toEqual(cloned);
  await agent.close();
});

it("moves the encoder's slow copy after each update of the critics, by the rate of theirs", async () => {
  const agent = await create({ utd: 1, bcInitSteps: 0, targetRate: 0.1 });
  const before = await partsOf(agent);
  await agent.update(replay, 40);
  const after = await partsOf(agent);
  after('encoder_target').forEach((value, i) => {
    const was = before('encoder_target')[i]!;
    expect(value).toBeCloseTo(was + 0.1 * (after('encoder')[i]! - was), 6);
  });
  expect(after('encoder_target')).not.toEqual(before('encoder_target'));
  await agent.close();
});

it('leaves the encoder as it is where only the actor learns', async () => {
  const agent = await create({ learningRateCritic: 1e-30 });
  const before = await encoderOf(agent);
  await agent.update(replay, 40);
  const after = await encoderOf(agent);
  expect(Math.max(...after.map((value, i) => Math.abs(value - before[i]!)))).toBeLessThan(1e-20);
  await agent.close();
});

it('gives a policy that sees everything but the privileged numbers, and critics that see these', async () => {
  const agent = await create({ normaliseObservations: true });
  await agent.update(replay, 40);
  const session = await Session.create(await agent.exportPolicy());
  const observation = new Float32Array(O - 3).fill(0.5);
  const bindings = new Bindings();
  bindings.set('observation', observation, [1, O - 3]);
  expect((await session.evaluate(bindings))['mean']!.shape).toEqual([1, 1]);
  const whole = new Float32Array(2 * O).fill(0.5);
  whole.fill(0.9, 2 * O - 3);
  const [seen, other] = await agent.criticValues(whole, Float32Array.of(0.1, 0.1));
  expect(seen).not.toBe(other);
  await session.close();
  await agent.close();
});

it('gives the policy the statistics that it trained with, without those of privileged numbers', async () => {
  const agent = await create({ normaliseObservations: true });
  await agent.update(replay, 40);
  const trained = await partsOf(agent);
  const weights = await weightsOf(agent);
  for (const name of ['observation_mean', 'observation_scale']) {
    expect(weights.get(name)).toEqual(trained(name).slice(0, O - 3));
  }
  await agent.close();
});

async function encoderOf(agent: Agent): Promise<number[]> {
  return [...(await weightsOf(agent))].flatMap(([name, values]) => (name.startsWith('encoder.') ? values : []));
}

/** The policy's weights by name. */
async function weightsOf(agent: Agent): Promise<Map<string, number[]>> {
  const { shapes, data } = await agent.actorWeights();
  const { entries, size } = new ParameterLayout(shapes);
  expect(data).toHaveLength(size);
  return partsIn(data, entries);
}

/** Parts of the agent's state by name. */
async function partsOf(agent: Agent): Promise<(name: string) => number[]> {
  const { state } = await agent.snapshot();
  const parts = partsIn(state, new ParameterLayout(stateParts(agent.algorithm, agent.spec)).entries);
  return (name) => parts.get(name)!;
}

function partsIn(data: Float32Array, entries: ParameterLayout['entries']): Map<string, number[]> {
  return new Map(entries.map(({ name, offset, size }) => [name, [...data.subarray(offset, offset + size)]]));
}
