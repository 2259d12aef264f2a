import { describe, expect, it } from 'vitest';
import type { StudyCheck, StudyConfig } from '../../../../src/config/index.ts';
import { differenceInterval, meanInterval, pairedInterval } from './intervals.ts';
import { type CurveSample, partOf, type SeedCurve, type StudyCurves } from './samples.ts';
import { judge } from './verdict.ts';

describe('intervals over seeds', () => {
  it("are Student's for a mean", () => {
    // 1…5: mean 3, standard error √(2.5/5), t(4) = 2.776.
    const { mean, low, high } = meanInterval([1, 2, 3, 4, 5]);
    expect(mean).toBe(3);
    expect(high).toBeCloseTo(3 + 2.776 * Math.sqrt(0.5), 6);
    expect(low).toBeCloseTo(3 - 2.776 * Math.sqrt(0.5), 6);
    expect(meanInterval([7])).toEqual({ mean: 7, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY });
  });

  it('are those of the differences where seeds are shared, however far the seeds lie apart', () => {
    // By hand: 1, 2 and 3: mean 2, standard error √(1/3), t(2) = 4.303. Welch's would be ± 180.
    const { mean, low, high } = pairedInterval([1, 52, 103], [0, 50, 100]);
    expect(mean).toBe(2);
    expect(high).toBeCloseTo(2 + 4.303 * Math.sqrt(1 / 3), 6);
    expect(low).toBeCloseTo(2 - 4.303 * Math.sqrt(1 / 3), 6);
    expect(() => pairedInterval([1, 2], [1])).toThrow(RangeError);
  });

  it("are Welch's for a difference, and wider than with equal spread", () => {
    // By hand: variances 1 and 9, three each: √(10/3), freedom (10/3)² / ((1/3)²/2 + 3²/2) = 2.44, so t(2) = 4.303.
    const { mean, low } = differenceInterval([4, 5, 6], [-3, 0, 3]);
    expect(mean).toBe(5);
    expect(low).toBeCloseTo(5 - 4.303 * Math.sqrt(10 / 3), 6);
    expect(differenceInterval([2, 2], [1, 1])).toEqual({ mean: 1, low: 1, high: 1 });
  });
});

const sample = (step: number, value: number): CurveSample => ({
  step,
  updates: 0,
  return: value,
  success: null,
  cost: -value,
});
const curve = (seed: number, ...values: number[]): SeedCurve => ({
  seed,
  samples: values.map((value, i) => sample(100 * i, value)),
});

describe('a part of a curve', () => {
  it('is its start, its last fifth, all after the start, or the worst after the start', () => {
    const dip = curve(0, 5, 1, 4, 6, 8, 10);
    expect(partOf(dip, 'return', 'start')).toBe(5);
    expect(partOf(dip, 'return', 'end')).toBe(10);
    expect(partOf(dip, 'return', 'all')).toBe(29 / 5);
    expect(partOf(dip, 'return', 'least')).toBe(1);
    expect(partOf(dip, 'cost', 'least')).toBe(-1);
    expect(partOf(dip, 'success', 'end')).toBeUndefined();
  });
});

function verdictOf(check: StudyCheck, curves: StudyCurves): string {
  const variants = { a: { title: 'A' }, b: { title: 'B' } };
  const [verdict] = judge({ checks: [check], variants } as unknown as StudyConfig, curves);
  return `${verdict!.outcome}: ${verdict!.message}`;
}

describe('a verdict', () => {
  const order: StudyCheck = { kind: 'order', better: 'a', worse: 'b', measure: 'return', part: 'end' };
  const seeds = (...ends: number[]) => ends.map((end, seed) => curve(seed, 0, end));

  it('is shown, not reproduced or not decided, as the interval of the difference says', () => {
    expect(verdictOf(order, { a: seeds(10, 11, 12), b: seeds(1, 2, 3) })).toMatch(
      /^shown: A has 9 more return .* \(95 % interval 9 to 9, 3 seeds, paired by seed\) than B\.$/,
    );
    expect(verdictOf(order, { a: seeds(1, 2, 3), b: seeds(10, 11, 12) })).toMatch(
      /^not reproduced: A has 9 less return /,
    );
    expect(verdictOf(order, { a: seeds(1, 5, 9), b: seeds(2, 4, 3) })).toMatch(/^not decided: A has 2 more return /);
    expect(verdictOf({ ...order, measure: 'cost' }, { a: seeds(10, 11, 12), b: seeds(1, 2, 3) })).toMatch(
      /^shown: A has 9 less cost /,
    );
    expect(verdictOf(order, { a: seeds(1) })).toBe('not decided: A against B: runs are missing.');
  });

  it('pairs runs by seed where both have the same, and says so', () => {
    const [low, high] = [seeds(0, 50, 100), seeds(1, 52, 103)];
    expect(verdictOf(order, { a: high, b: low })).toMatch(
      /^not decided: A has 2 more .* 3 seeds, paired by seed\) than B\.$/,
    );
    expect(verdictOf(order, { a: seeds(2, 52, 102), b: seeds(0, 50.1, 100) })).toMatch(/^shown: A has 1\.97 more /);
    const others = [curve(7, 0, 0), curve(8, 0, 50), curve(9, 0, 100)];
    expect(verdictOf(order, { a: seeds(2, 52, 102), b: others })).toMatch(/^not decided: .* 3 and 3 seeds\) than B\.$/);
  });

  it('counts the seeds that came so far in time', () => {
    const reaches: StudyCheck = { kind: 'reaches', variant: 'a', measure: 'return', value: -200, withinSteps: 200 };
    const late = curve(1, -900, -800, -700, -100);
    expect(verdictOf(reaches, { a: [curve(0, -900, -150, -300), curve(1, -900, -400, -199)] })).toBe(
      'shown: A: 2 of 2 seeds have a mean return above −200 within 200 steps, first after 100 to 200.',
    );
    expect(verdictOf(reaches, { a: [curve(0, -900, -150), late] })).toMatch(/^not reproduced: A: 1 of 2 seeds /);
    expect(verdictOf(reaches, {})).toBe('not decided: A: no run yet.');
  });

  it('is not decided by a measure that the environment does not know, and says so', () => {
    const message = 'the environment does not report success.';
    const success = { ...order, measure: 'success' } as const;
    expect(verdictOf(success, { a: seeds(1), b: seeds(2) })).toBe(`not decided: A against B: ${message}`);
    const reaches: StudyCheck = { kind: 'reaches', variant: 'a', measure: 'success', value: 0.5, withinSteps: 200 };
    expect(verdictOf(reaches, { a: seeds(1) })).toBe(`not decided: A: ${message}`);
  });
});
