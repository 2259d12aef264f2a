import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSamples, sampleOf, writeSamples } from './samples.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const point = (step: number, successes: number | null) =>
  sampleOf({
    step,
    updates: 2 * step,
    episodes: 3,
    returns: [1, 2, 2],
    cost: 0.1,
    length: 5,
    successes,
    metrics: { a: 1 },
  });

it('keeps the means of an evaluation in six digits', () => {
  expect(point(10, 1)).toEqual({ step: 10, updates: 20, return: 1.66667, success: 0.333333, cost: 0.1 });
  expect(point(10, null).success).toBeNull();
});

it('gives back what was written, by variant and in the order of seeds', () => {
  for (const seed of [10, 2]) writeSamples(folder, 'a', seed, [point(0, 0), point(seed, 3)]);
  writeSamples(folder, 'a-1', 0, [point(0, null)]);
  writeSamples(folder, 'a', 2, [point(0, 0)]);
  expect(readdirSync(folder).sort()).toEqual(['a-1-0.jsonl', 'a-10.jsonl', 'a-2.jsonl']);
  expect(readSamples(folder, ['a', 'a-1', 'b'])).toEqual({
    a: [
      { seed: 2, samples: [point(0, 0)] },
      { seed: 10, samples: [point(0, 0), point(10, 3)] },
    ],
    'a-1': [{ seed: 0, samples: [point(0, null)] }],
  });
  expect(readSamples(join(folder, 'nothing'), ['a'])).toEqual({});
});
