import { mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rng } from '../model/index.ts';
import { createTransition, type Transition } from '../rows/index.ts';
import { type Agent, createAgent } from './agent/agent.ts';
import {
  type CheckpointKind,
  decodeCheckpoint,
  encodeCheckpoint,
  readCheckpoint,
  type TrainingState,
  writeCheckpoint,
} from './checkpoint.ts';
import { DEFAULT_LEARNER_CONFIG } from './options/learner-config.ts';
import { Replay } from './replay/replay.ts';

const config = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  actorHidden: [8],
  criticHidden: [8],
  batchSize: 8,
  utd: 2,
  critics: 3,
  warmupSteps: 0,
};
const create = () => createAgent({ parts: { stateSize: 2 }, actionSize: 1, config, seed: 5 });

function journal(count: number): Transition[] {
  const rng = new Rng(8);
  return Array.from({ length: count }, (_, i) => {
    const t = createTransition(2, 1);
    t.source = i < 10 ? 'demo' : i % 7 === 0 ? 'human_correct' : 'policy';
    rng.fillNormal(t.observation);
    rng.fillNormal(t.nextObservation);
    t.executed[0] = rng.uniformIn(-1, 1);
    t.reward = rng.uniform();
    return t;
  });
}

let directory: string;
const messages: string[] = [];
const note = (message: string) => messages.push(message);

beforeEach(async () => {
  messages.length = 0;
  directory = await mkdtemp(join(tmpdir(), 'rein-checkpoint-'));
});
afterEach(() => rm(directory, { recursive: true }));

interface Numbered extends TrainingState {
  readonly number: number;
}
const KIND: CheckpointKind<Numbered> = { unit: 'update', isComplete: ({ number }) => number === 7 };
const checkpointOf = async (agent: Agent, updates = agent.updates): Promise<Numbered> => ({
  number: 7,
  agent: { ...(await agent.snapshot()), updates },
});
const read = async () => (await readCheckpoint(directory, KIND, note))?.checkpoint;
/** Writes one of `agent`, of its updates or of so many. */
async function write(agent: Agent, updates?: number, into = directory): Promise<void> {
  const checkpoint = await checkpointOf(agent, updates);
  await writeCheckpoint(into, KIND, checkpoint.agent.updates, checkpoint);
}

async function threeCheckpoints() {
  const agent = await create();
  const replay = new Replay(2, 1, 100);
  for (const t of journal(30)) replay.add(t);
  for (let i = 0; i < 3; i++) {
    await agent.update(replay, 20);
    await write(agent);
  }
  return { agent, names: (await readdir(directory)).sort() };
}

describe('checkpoints', () => {
  it('resume to the same next losses bit for bit, with replay rebuilt from the journal', async () => {
    const records = journal(60);
    const [agent, replay] = [await create(), new Replay(2, 1, 100)];
    const step = async (a: Agent, r: Replay) => {
      const { criticLoss, actorLoss, entropy, qMean } = (await a.update(r, 10 + a.updates / 2)).values;
      return [criticLoss, actorLoss, entropy, qMean];
    };
    for (const t of records.slice(0, 40)) replay.add(t);
    for (let i = 0; i < 5; i++) await step(agent, replay);
    await write(agent);
    for (const t of records.slice(40)) replay.add(t);
    const expected = [await step(agent, replay), await step(agent, replay), await step(agent, replay)];

    const [again, rebuilt] = [await create(), new Replay(2, 1, 100)];
    const checkpoint = await read();
    await again.restore(checkpoint!.agent);
    for (const t of records) rebuilt.add(t);
    expect([await step(again, rebuilt), await step(again, rebuilt), await step(again, rebuilt)]).toEqual(expected);
    expect(await again.snapshot()).toEqual(await agent.snapshot());
    expect(messages).toEqual([]);
  });

  it('keep the newest three, and remove what a killed process left half-written', async () => {
    await writeFile(join(directory, 'update-000000000001.ckpt.new'), 'REINCKP1');
    const agent = await create();
    for (const updates of [2, 4, 6, 8, 10]) await write(agent, updates);
    const names = (await readdir(directory)).sort();
    expect(names).toEqual([6, 8, 10].map((n) => `update-${String(n).padStart(12, '0')}.ckpt`));
    expect((await read())!.agent.updates).toBe(10);
  });

  it('fall back to the one before where the newest cannot be read at all', async () => {
    const { names } = await threeCheckpoints();
    await rm(join(directory, names[2]!));
    await mkdir(join(directory, names[2]!));
    expect((await read())!.agent.updates).toBe(4);
    expect(messages).toEqual([expect.stringMatching(/it cannot be read \(EISDIR\)\. Trying the one before it\.$/)]);
  });

  it('fall back to the one before, loudly, when the newest is cut short or altered', async () => {
    const { agent, names } = await threeCheckpoints();
    await truncate(join(directory, names[2]!), 500);
    const bytes = await readFile(join(directory, names[1]!));
    bytes[bytes.length - 100]! ^= 1;
    await writeFile(join(directory, names[1]!), bytes);
    const checkpoint = await read();
    expect(checkpoint!.agent.updates).toBe(2);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain(names[2]);
    // Reading leaves them in place; training sets aside those that it did not continue from.
    expect((await readdir(directory)).sort()).toEqual(names);
    await write(agent, 3);
    expect((await readdir(directory)).sort()).toEqual([
      names[0],
      'update-000000000003.ckpt',
      `${names[1]}.damaged`,
      `${names[2]}.damaged`,
    ]);
  });

  it('give one clear error when none can be read, and nothing at all where there is none', async () => {
    const { names } = await threeCheckpoints();
    for (const name of names) await writeFile(join(directory, name), 'not a checkpoint at all');
    const refusal = (files: readonly string[]) =>
      expect(read()).rejects.toMatchObject({
        kind: 'checkpoint',
        message: expect.stringMatching(new RegExp(`^All 3 checkpoints in .* are damaged: ${files.join(', ')}\\.$`)),
        remedy: expect.stringContaining('in another folder, without --resume'),
      });
    // Again the second time, and after they were set aside.
    await refusal(names);
    await refusal(names);
    for (const name of names) await rename(join(directory, name), join(directory, `${name}.damaged`));
    await refusal(names.map((name) => `${name}.damaged`));
    expect(await readCheckpoint(join(directory, 'nowhere'), KIND, note)).toBeUndefined();
  });

  it('leave those of another kind in the same folder alone', async () => {
    const { names } = await threeCheckpoints();
    const agent = await create();
    const steps: CheckpointKind<Numbered> = { ...KIND, unit: 'step' };
    await writeCheckpoint(directory, steps, 1, await checkpointOf(agent));
    expect((await readdir(directory)).sort()).toEqual(['step-000000000001.ckpt', ...names]);
    expect((await readCheckpoint(directory, steps, note))!.path).toBe(join(directory, 'step-000000000001.ckpt'));
  });

  it('turn a failed write into a message and keep the older ones', async () => {
    const { agent } = await threeCheckpoints();
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expect(write(agent, undefined, join(file, 'below'))).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/below.*\.ckpt cannot be written: there is a file where a folder is needed\.$/),
    });
    expect(await read()).toBeDefined();
  });

  it('are refused at every length and after any changed byte', async () => {
    const agent = await create();
    const bytes = encodeCheckpoint(await checkpointOf(agent));
    const isWhole = (given: Uint8Array) => decodeCheckpoint(given, KIND.isComplete).ok;
    expect(isWhole(bytes)).toBe(true);
    expect(decodeCheckpoint(bytes, () => false)).toEqual({ ok: false, error: 'badHeader' });
    const rng = new Rng(1);
    for (let i = 0; i < 200; i++) {
      expect(isWhole(bytes.subarray(0, rng.int(bytes.length)))).toBe(false);
      const changed = bytes.slice();
      changed[rng.int(bytes.length)]! ^= 1 << rng.int(8);
      expect(isWhole(changed)).toBe(false);
    }
  });
});
