import { describe, expect, it } from 'vitest';
import { banded, chartsOf, KeptLines, type MetricLine, readLines, thinned } from './training-charts.ts';

const episode = (i: number): MetricLine => ({
  kind: 'episode',
  purpose: 'training',
  envStep: 10 * (i + 1),
  tS: i,
  steps: 10,
  interventions: 0,
  interventionSteps: 0,
  returnSum: 1,
  success: i % 2 === 0,
});
const update = (i: number): MetricLine => ({ kind: 'update', envStep: i, tS: i, criticLoss: i });

describe('a long run', () => {
  it('is kept from its first episode to its last, whatever its learner says between', () => {
    const kept = new KeptLines(10_000);
    for (let i = 0; i < 10_000; i++) kept.add([episode(i), update(6 * i), update(6 * i + 3)]);
    const success = chartsOf(kept.all)
      .find(({ title }) => title === 'Success')!
      .series[0]!.points(kept.all);
    expect([success.length, success[0]!.step, success.at(-1)!.step]).toEqual([10_000, 10, 100_000]);
    const updates = kept.all.filter(({ kind }) => kind === 'update');
    expect(updates.length).toBeLessThanOrEqual(10_000);
    expect([updates[0]!.envStep, updates.at(-1)!.envStep]).toEqual([0, 59_994]);
    // Equally dense at its end and its beginning.
    const ways = updates.slice(1).map(({ envStep }, i) => envStep - updates[i]!.envStep);
    expect(new Set(ways).size).toBe(1);
    expect(kept.leftOut).toBe("Of the learner's figures one in 2 is kept.");
  });

  it('that is longer than can be kept says from which step on it is shown', () => {
    const kept = new KeptLines(100);
    kept.add(Array.from({ length: 150 }, (_, i) => episode(i)));
    expect(kept.leftOut).toBe(`Episodes before step ${kept.all[0]!.envStep} are left out.`);
    expect(kept.all.at(-1)!.envStep).toBe(1500);
  });

  it('has nothing in it that no chart reads', () => {
    const text = ['link', 'safety', 'step', 'histogram', 'episode'].map((kind) =>
      JSON.stringify({ kind, envStep: 1, tS: 1 }),
    );
    expect(readLines(text.join('\n')).map(({ kind }) => kind)).toEqual(['episode']);
  });
});

it('curves of several seeds are one: the mean, and a band of those that reach so far', () => {
  const one = [0, 10, 20].map((step) => ({ step, value: 1 }));
  const other = [0, 15].map((step) => ({ step, value: 3 }));
  expect(banded([other, one])).toEqual([
    { step: 0, value: 2, low: 1, high: 3 },
    { step: 10, value: 2, low: 1, high: 3 },
    { step: 20, value: 1, low: 1, high: 1 },
  ]);
});

it('points are thinned to their means, intervals too, and the last is among them', () => {
  const points = Array.from({ length: 1001 }, (_, step) => ({ step, value: 1, low: 0, high: 2 }));
  const few = thinned(points, 100);
  expect(few.length).toBeLessThanOrEqual(100);
  expect(few[0]).toEqual({ step: 5, value: 1, low: 0, high: 2 });
  expect(few.at(-1)!.step).toBeGreaterThan(990);
  expect(thinned(points.slice(0, 100), 100)).toHaveLength(100);
});
