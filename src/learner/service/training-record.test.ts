import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import { UpdateContract } from '../replay/utd.ts';
import { type LearnerState, statusLine, TrainingRecord } from './training-record.ts';

it('counts the updates of a call, which are not those that a transition pays for, and calls that were thrown away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-'));
  const record = new TrainingRecord({
    path: join(folder, 'metrics.jsonl'),
    contract: new UpdateContract(1, 0, 2),
    config: DEFAULT_LEARNER_CONFIG,
    maxSteps: 80,
    onFault: () => undefined,
  });
  record.update({ updates: 2, values: {}, isRefused: false, callMs: 10 }, 2, 1);
  expect(record.updatesPerS).toBeCloseTo(200, 6);
  await record.close();
  expect(JSON.parse(readFileSync(join(folder, 'metrics.jsonl'), 'utf8'))).toMatchObject({ update: 2, refused: 1 });
  rmSync(folder, { recursive: true, force: true });
});

const training: LearnerState = {
  robots: ['arm'],
  counts: { online: 30, demonstrations: 5 },
  updates: 600,
  refused: 0,
  updatesPerS: 80.4,
  waitsFor: undefined,
  version: 3,
  elapsedS: 61.2,
  utd: 19.98,
  utdTarget: 20,
  criticLoss: 0.01234,
  success: { successes: 9, episodes: 12 },
  awaitedDemonstrations: 0,
};

const SUCCESS = '9 of the last 12 episodes without help succeeded';

it.each<[string, Partial<LearnerState>, string]>([
  [
    'training',
    {},
    `1:01 arm: 5 demonstration steps, 30 steps, 600 updates, UTD 19.98 of 20, 80 updates/s, critic loss 0.012, ${SUCCESS}, policy 3`,
  ],
  [
    'some calls not finite',
    { refused: 2, criticLoss: undefined, success: { successes: 0, episodes: 0 } },
    '1:01 arm: 5 demonstration steps, 30 steps, 600 updates, UTD 19.98 of 20, 80 updates/s, calls that were not finite: 2, policy 3',
  ],
  [
    'a checkpoint that has seen more',
    { robots: [], updatesPerS: undefined, waitsFor: { online: 50, demonstrations: 4 } },
    `1:01 no robot: 5 demonstration steps, 30 steps, 600 updates, critic loss 0.012, ${SUCCESS}, waiting for 20 of 54 transitions of the checkpoint, policy 3`,
  ],
  [
    'demonstrations that nobody gives',
    {
      robots: [],
      counts: { online: 0, demonstrations: 0 },
      updates: 0,
      updatesPerS: undefined,
      version: 0,
      criticLoss: undefined,
      success: { successes: 0, episodes: 0 },
      awaitedDemonstrations: 20,
    },
    '1:01 no robot: 0 demonstration steps, 0 steps, 0 updates, policy 0; waiting for 20 demonstrations: a robot gives them with --operator scripted, or you do with --operator keyboard',
  ],
])('gives one line to people, with %s', (_, change, line) => {
  expect(statusLine({ ...training, ...change })).toBe(line);
});
