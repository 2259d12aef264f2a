import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepCurves, readCurves, sampleOf } from './samples.ts';

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

it('gives back what was kept, by variant and in the order of seeds, newest of a variant and seed', () => {
  const path = join(folder, 'below', 'study.jsonl');
  const of = (seed: number, ...samples: ReturnType<typeof point>[]) => ({ seed, samples });
  keepCurves(path, {
    a: [of(10, point(0, 0), point(10, 3)), of(2, point(0, 0), point(2, 3))],
    'a-1': [of(0, point(0, null))],
  });
  keepCurves(path, { a: [of(2, point(0, 0))] });
  keepCurves(path, {});
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(3);
  expect(readCurves(path, ['a', 'a-1', 'b'])).toEqual({
    a: [of(2, point(0, 0)), of(10, point(0, 0), point(10, 3))],
    'a-1': [of(0, point(0, null))],
  });
  expect(readCurves(join(folder, 'nothing'), ['a'])).toEqual({});
});
