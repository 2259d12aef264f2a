import { describe, expect, it } from 'vitest';
import { printedBound, upperBound95 } from './upper-bound.ts';

describe('the 95 % upper bound of a rate', () => {
  it('is 3/N for none in N', () => {
    expect(upperBound95(0, 100_000)).toBe(3e-5);
    expect(upperBound95(0, 1_000_000)).toBe(3e-6);
    expect(upperBound95(0, 2)).toBe(1);
    expect(upperBound95(0, 0)).toBe(1);
  });

  // One-sided 95 % bounds: the p at which P(X ≤ k) = 0.05, from the binomial sum itself.
  it.each([
    [1, 10],
    [3, 10],
    [9, 10],
    [1, 100],
    [5, 50],
    [27, 60],
  ])('is the p at which %i or fewer in %i have probability 5 %%', (count, trials) => {
    const p = upperBound95(count, trials);
    let sum = 0;
    for (let k = 0; k <= count; k++) sum += choose(trials, k) * p ** k * (1 - p) ** (trials - k);
    expect(sum).toBeCloseTo(0.05, 9);
  });

  it('agrees with published values, also for many trials', () => {
    // Exact one-sided limits: 1 in 10 → 0.3942; and Poisson's 4.7439 and 19.4426 / N for 1 and 12 in very many.
    expect(upperBound95(1, 10)).toBeCloseTo(0.3942, 4);
    expect(upperBound95(1, 1e6) * 1e6).toBeCloseTo(4.7439, 3);
    expect(upperBound95(12, 1e7) * 1e7).toBeCloseTo(19.4426, 2);
    expect(upperBound95(100_000, 100_000)).toBe(1);
    expect(upperBound95(99_999, 100_000)).toBeLessThan(1);
  });

  it('grows with the count and shrinks with the trials', () => {
    for (let k = 1; k < 20; k++) expect(upperBound95(k, 1000)).toBeLessThan(upperBound95(k + 1, 1000));
    expect(upperBound95(3, 1000)).toBeGreaterThan(upperBound95(3, 2000));
  });

  it('refuses counts that cannot be', () => {
    expect(() => upperBound95(2, 1)).toThrow(RangeError);
    expect(() => upperBound95(-1, 1)).toThrow(RangeError);
    expect(() => upperBound95(Number.NaN, 1)).toThrow(RangeError);
  });
});

function choose(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= k; i++) product *= (n - k + i) / i;
  return product;
}

describe('printed bounds', () => {
  it('never promise more than was shown, and keep what two digits hold', () => {
    expect(printedBound(3 / 100_000)).toBe(3e-5);
    expect(printedBound(3 / 2080)).toBe(1.5e-3);
    expect(printedBound(3 / 7)).toBe(0.43);
    expect([printedBound(0), printedBound(1), printedBound(0.999)]).toEqual([0, 1, 1]);
    for (let n = 1; n < 3000; n++) {
      expect(printedBound(3 / n)).toBeGreaterThanOrEqual(Math.min(1, 3 / n) * (1 - 1e-9));
      expect(printedBound(3 / n)).toBeLessThanOrEqual(Math.min(1, 3 / n) * 1.11);
    }
  });
});
