import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { resolvedConfigText } from '../../config/index.ts';
import { Graph } from '../../learner/engine/graph.ts';
import { reduceMean } from '../../learner/ops/reduce.ts';
import { reshape } from '../../learner/ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../learner/options.ts';
import { openJournal } from '../../link/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import { createTransition } from '../../rows/index.ts';
import type { CollectedData } from '../lab.ts';
import { runPretraining } from './pretrain.ts';
import { collectData, type PretrainingData } from './pretraining-data.ts';

const loadLab = () => import('../../../packages/lab/src/lab.ts');

/** Training data, if other than the request's. */
const given = vi.hoisted(() => ({ data: undefined as CollectedData | undefined }));
vi.mock('./pretraining-data.ts', async (original) => {
  const real = await original<typeof import('./pretraining-data.ts')>();
  return {
    collectData: (...request: Parameters<typeof collectData>) => given.data ?? real.collectData(...request),
  };
});

const SMALL = { actorHidden: [4], criticHidden: [4], batchSize: 4, bcInitSteps: 50 };
const LEARNER: LearnerConfig = { ...DEFAULT_LEARNER_CONFIG, ...SMALL };
const HEADER_BYTES = 128;

let folder: string;
const said: string[] = [];
const say = (message: string): void => void said.push(message);

beforeEach(() => {
  said.length = 0;
  given.data = undefined;
  folder = mkdtempSync(join(tmpdir(), 'pretrain-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A robot's run with `count` transitions, of observations that are `more` numbers longer than its task's. */
async function robotRun(count: number, more = 0): Promise<PretrainingData> {
  const setup = arm6Setup();
  const [observationSize, actionSize] = [setup.observationSize + more, setup.actionSize];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, RUN_FILES.config), resolvedConfigText(setup.config));
  const run = { schemaHash: setup.schemaHash, runId: 'r', observationSize, actionSize };
  const journal = openJournal({ dir: join(folder, 'journal'), ...run });
  for (let i = 0; i < count; i++) journal.append(createTransition(observationSize, actionSize));
  await journal.close();
  return { kind: 'run', folder };
}

/** Overwrites eight bytes of its journal, at this fraction of the records. */
function damage(part: number): void {
  const name = readdirSync(join(folder, 'journal')).find((each) => each.endsWith('.journal'))!;
  const path = join(folder, 'journal', name);
  const bytes = readFileSync(path);
  const at = HEADER_BYTES + Math.floor(part * (bytes.length - HEADER_BYTES));
  bytes.fill(0xa5, at, at + 8);
  writeFileSync(path, bytes);
}

describe('a damaged journal', () => {
  it('is learned from as far as it can be read, and how much is lost is said', async () => {
    const run = await robotRun(10);
    damage(0.65);
    expect((await collectData(run, 1, say, loadLab)).transitions).toHaveLength(9);
    expect(said).toEqual([
      expect.stringMatching(
        /journal is damaged, first in record 7 of epoch-000001-0000\.journal: a record is damaged; lost are 1 transition; 9 are left to learn from\.$/,
      ),
    ]);
  });

  it('is refused where nothing of it can be read', async () => {
    const run = await robotRun(3);
    for (const part of [0.1, 0.5, 0.9]) damage(part);
    await expect(collectData(run, 1, say, loadLab)).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/in record 1 of .* lost are 3 transitions, and nothing is left to learn from\.$/),
    });
    expect(said).toEqual([]);
  });
});

describe('pre-training is refused, before anything is written,', () => {
  const demonstrations = { episodes: 1, skill: {}, onlySuccesses: true, areKept: true };
  const environment = { name: 'point', options: {} };
  const expert: PretrainingData = { kind: 'environment', environment, base: null, demonstrations };
  const refusal = (data: PretrainingData, change: Partial<LearnerConfig>) =>
    expect(
      runPretraining({ data, learner: { ...LEARNER, ...change }, seed: 1, out: join(folder, 'out') }, say, loadLab),
    ).rejects;

  it('where its settings ask for nothing', async () => {
    await refusal(expert, { bcInitSteps: 0 }).toMatchObject({
      message: 'Nothing would be learned: bcInitSteps is 0, and rlpd does not learn offline.',
      remedy: 'Set bcInitSteps above 0.',
    });
    const wsrl = { ...LEARNER.wsrl, offlineUpdates: 0 };
    await refusal(expert, { bcInitSteps: 0, algorithm: 'wsrl', wsrl }).toThrow('wsrl.offlineUpdates is 0.');
  });

  it('where its folder holds anything', async () => {
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, 'out', 'notes.txt'), '');
    await refusal(expert, {}).toThrow(/out is not empty: notes\.txt\.$/);
  });

  it('where the learner cannot work with such observations', async () => {
    await refusal(expert, { algorithm: 'residual' }).toMatchObject({
      kind: 'config',
      message: expect.stringMatching(
        /^The learner cannot learn from point: .*residual corrects a base policy's action/,
      ),
    });
  });

  it("where the transitions have other sizes than the run's task", async () => {
    const run = await robotRun(2, 3);
    const { observationSize: o, actionSize: a } = arm6Setup();
    await refusal(run, {}).toMatchObject({
      message: expect.stringContaining(
        `2 transitions were offered (2 wrongSize): ${folder} holds observations of ${o + 3} numbers and actions of ${a}, where ${o} and ${a} are needed.`,
      ),
    });
  });

  it('where a frozen encoder would not find a whole frame in them', async () => {
    const image = { channels: 1, height: 2, width: 4 };
    const transitions = [createTransition(6, 1), createTransition(9, 2)];
    given.data = { name: 'seen', parts: { stateSize: 1, image }, actionSize: 1, transitions };
    const g = new Graph('encoder');
    g.output('features', reshape(reduceMean(g.input('pixels', [1, 1, 2, 4]), [1, 2]), [1, 4]));
    const file = join(folder, 'encoder.onnx');
    writeFileSync(file, g.serialize());
    const encoder = { ...LEARNER.encoder, frozen: { file, variants: 2, padding: 1 } };
    await refusal(expert, { encoder }).toMatchObject({
      kind: 'storage',
      message:
        'There is nothing to learn from: 2 transitions were offered (2 wrongSize): seen holds observations of 6 numbers and actions of 1, where 9 and 1 are needed.',
    });
  });
});
