import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from './rng.ts';
import { Ema, mean, pairedDifference, QuantileHistogram, quantile, variance, wilsonInterval } from './statistics.ts';

describe('values at hand', () => {
  it('have a mean and a variance over n − 1; a single one has no spread, and none has no mean', () => {
    expect([mean([1, 2, 6]), variance([1, 2, 6])]).toEqual([3, 7]);
    expect([mean([4]), variance([4])]).toEqual([4, 0]);
    expect(mean([])).toBeNaN();
  });

  it('have quantiles that are among them, by nearest rank, in any order', () => {
    const values = [4, 1, 3, 2];
    expect([0, 0.25, 0.5, 0.51, 0.99, 1].map((q) => quantile(values, q))).toEqual([1, 1, 2, 3, 4, 4]);
    expect(values).toEqual([4, 1, 3, 2]);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('wilsonInterval', () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('gives the published interval for %i of %i', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it('knows nothing without trials, and reaches the ends exactly', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilsonInterval(0, 7).low).toBe(0);
    expect(wilsonInterval(7, 7).high).toBe(1);
  });

  it('holds the observed rate and mirrors when success and failure swap', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (successes, failures) => {
        const trials = successes + failures;
        fc.pre(trials > 0);
        const a = wilsonInterval(successes, trials);
        const b = wilsonInterval(failures, trials);
        expect(a.low).toBeLessThanOrEqual(successes / trials);
        expect(a.high).toBeGreaterThanOrEqual(successes / trials);
        expect(a.low).toBeCloseTo(1 - b.high, 12);
      }),
    );
  });

  it('refuses counts that cannot be', () => {
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
    expect(() => wilsonInterval(-1, 2)).toThrow(RangeError);
    expect(() => wilsonInterval(Number.NaN, 2)).toThrow(RangeError);
  });
});

describe('QuantileHistogram', () => {
  it('gives every quantile within the bucket error', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.01, max: 990, noNaN: true }), { minLength: 1 }), (values) => {
        const histogram = new QuantileHistogram(0.01, 1000, 20);
        for (const value of values) histogram.add(value);
        const sorted = values.toSorted((a, b) => a - b);
        for (const q of [0, 0.1, 0.5, 0.9, 0.99, 1]) {
          const exact = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!;
          const ratio = histogram.quantile(q) / exact;
          expect(Math.abs(Math.log10(ratio))).toBeLessThanOrEqual(1 / 40 + 1e-9);
        }
      }),
    );
  });

  it('counts values outside its range at the ends and ignores NaN', () => {
    const histogram = new QuantileHistogram(1, 100, 10);
    for (const value of [-5, 0, 10, 5000, Number.NaN]) histogram.add(value);
    const data = histogram.toJSON();
    expect(histogram.count).toBe(4);
    expect([data.under, data.over, data.min, data.max]).toEqual([2, 1, -5, 5000]);
    expect(histogram.quantile(0)).toBe(-5);
    expect(histogram.quantile(1)).toBe(5000);
  });

  it('says NaN while empty and refuses a share outside [0, 1]', () => {
    const histogram = new QuantileHistogram(1, 10);
    expect(histogram.quantile(0.5)).toBeNaN();
    expect(() => histogram.quantile(1.1)).toThrow(RangeError);
  });

  it('covers its whole range and no more', () => {
    const histogram = new QuantileHistogram(0.001, 1000, 20);
    expect(histogram.toJSON().counts.length).toBe(120);
    histogram.add(999.999);
    histogram.add(0.001);
    expect(histogram.toJSON().over).toBe(0);
    expect(histogram.toJSON().under).toBe(0);
  });
});

describe('Ema', () => {
  it('starts at the first value and then moves by its weight', () => {
    const ema = new Ema(0.25);
    expect(ema.value).toBeNaN();
    expect(ema.add(8)).toBe(8);
    expect(ema.add(Number.NaN)).toBe(8);
    expect(ema.add(4)).toBe(7);
  });
});

describe('the difference of two that were tried on the same cases', () => {
  const of = (both: number, onlyFirst: number, onlySecond: number, neither: number) =>
    pairedDifference({ both, onlyFirst, onlySecond, neither });

  it('says nothing without cases, and is turned round with the two', () => {
    expect(of(0, 0, 0, 0)).toEqual({ difference: 0, low: -1, high: 1 });
    const [one, other] = [of(50, 20, 5, 25), of(50, 5, 20, 25)];
    expect(one.difference).toBeCloseTo(0.15, 12);
    expect(other.low).toBeCloseTo(-one.high, 12);
    expect(other.high).toBeCloseTo(-one.low, 12);
  });

  it('is that of independent rates where the pairs are not alike, and narrower where they are', () => {
    // p = 0.5 both, no covariance: the square-and-add of two Wilson intervals.
    const loose = of(25, 25, 25, 25);
    const { high } = wilsonInterval(50, 100);
    expect(loose.high).toBeCloseTo(Math.SQRT2 * (high - 0.5), 12);
    const alike = of(48, 2, 2, 48);
    expect(alike.high - alike.low).toBeLessThan(0.5 * (loose.high - loose.low));
  });

  it('holds the truth in about 95 of 100 trials', () => {
    const rng = new Rng(3);
    let held = 0;
    for (let trial = 0; trial < 2000; trial++) {
      const counts = [0, 0, 0, 0] as [number, number, number, number];
      for (let i = 0; i < 60; i++) {
        const u = rng.uniformIn(0, 1);
        counts[u < 0.6 ? 0 : u < 0.8 ? 1 : u < 0.85 ? 2 : 3]!++;
      }
      const { low, high } = of(...counts);
      if (low <= 0.15 && 0.15 <= high) held++;
    }
    expect(held / 2000).toBeGreaterThan(0.93);
    expect(held / 2000).toBeLessThan(0.985);
  });
});
