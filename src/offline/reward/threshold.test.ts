import { describe, expect, it } from 'vitest';
import { calibrationOf, chooseThreshold, countAt, type Scored } from './threshold.ts';

const scored = (successes: readonly number[], others: readonly number[]): Scored[] => [
  ...successes.map((probability) => ({ probability, success: true })),
  ...others.map((probability) => ({ probability, success: false })),
];

describe('the threshold of a classifier', () => {
  it('lies in the gap between both kinds, where there is one', () => {
    const at = chooseThreshold(scored([0.9, 0.8], [0.2, 0.1]), 0.95)!;
    expect(at).toBeGreaterThan(0.2);
    expect(at).toBeLessThan(0.8);
  });

  it('finds most successes among those that are precise enough', () => {
    const states = scored([0.9, 0.8, 0.6, 0.5], [0.7, 0.3]);
    const strict = countAt(states, chooseThreshold(states, 0.99)!);
    expect([strict.truePositives, strict.falsePositives]).toEqual([2, 0]);
    const loose = countAt(states, chooseThreshold(states, 0.8)!);
    expect([loose.truePositives, loose.falsePositives]).toEqual([4, 1]);
  });

  it('is none where the most certain state is no success, and never parts states of one probability', () => {
    expect(chooseThreshold(scored([0.8], [0.9]), 0.95)).toBeUndefined();
    expect(chooseThreshold(scored([0.8, 0.8], [0.8]), 0.95)).toBeUndefined();
  });

  it('is told with counts and intervals; none of none is nothing', () => {
    const counts = countAt(scored([0.9, 0.2], [0.7, 0.1, 0.1]), 0.5);
    expect(counts).toMatchObject({ truePositives: 1, falsePositives: 1, falseNegatives: 1, trueNegatives: 2 });
    expect(counts.precision.rate).toBe(0.5);
    expect(counts.precision.low).toBeLessThan(0.5);
    expect(countAt(scored([0.1], [0.1]), 0.5).precision).toEqual({ rate: 0, low: 0, high: 1 });
  });

  it('says how far probabilities are off', () => {
    const good = calibrationOf(scored([0.95, 0.95], [0.05, 0.05]));
    expect(good.brier).toBeCloseTo(0.0025, 10);
    expect(good.error).toBeCloseTo(0.05, 10);
    expect(calibrationOf(scored([0.05], [0.95])).error).toBeCloseTo(0.95, 10);
  });
});
