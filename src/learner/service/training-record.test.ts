import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import { UpdateContract } from '../replay/utd.ts';
import { TrainingRecord } from './training-record.ts';

it('counts the updates of a call, which are not those that a transition pays for, and calls that were thrown away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'record-'));
  const record = new TrainingRecord(
    join(folder, 'metrics.jsonl'),
    new UpdateContract(1, 0, 2),
    DEFAULT_LEARNER_CONFIG,
    80,
    () => undefined,
  );
  record.update({ updates: 2, values: {}, isRefused: false, callMs: 10 }, 2, 1);
  expect(record.updatesPerS).toBeCloseTo(200, 6);
  await record.close();
  expect(JSON.parse(readFileSync(join(folder, 'metrics.jsonl'), 'utf8'))).toMatchObject({ update: 2, refused: 1 });
  rmSync(folder, { recursive: true, force: true });
});
