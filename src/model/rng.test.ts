import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from './rng.ts';

const draw = (rng: Rng, count: number): number[] => Array.from({ length: count }, () => rng.nextU32());

describe('Rng', () => {
  it('is xoshiro128** as its authors wrote it', () => {
    // https://prng.di.unimi.it/xoshiro128starstar.c from the state 1, 2, 3, 4.
    expect(draw(new Rng([1, 2, 3, 4]), 10)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });

  it('gives the same numbers for a seed for ever: runs are repeated by their seed', () => {
    expect(draw(new Rng(1), 4)).toEqual(golden.seed1);
    expect(draw(new Rng(2 ** 40 + 1), 4)).toEqual(golden.seed2To40Plus1);
    expect(draw(new Rng(1).fork('policy'), 4)).toEqual(golden.fork);
  });

  it('goes on from a saved state', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(50), (seed, skip) => {
        const rng = new Rng(seed);
        draw(rng, skip);
        const later = new Rng(rng.state());
        expect(draw(later, 5)).toEqual(draw(rng, 5));
      }),
    );
  });

  it('refuses a seed that is not an integer', () => {
    for (const seed of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => new Rng(seed)).toThrow(RangeError);
    }
  });

  it('tells seeds apart, also those that differ above 32 bits only', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        fc.pre(a !== b);
        expect(draw(new Rng(a), 4)).not.toEqual(draw(new Rng(b), 4));
      }),
    );
    expect(draw(new Rng(7), 4)).not.toEqual(draw(new Rng(7 + 2 ** 32), 4));
  });

  it('forks without moving, and each label to numbers of its own', () => {
    const rng = new Rng(42);
    const before = rng.state();
    const first = draw(rng.fork('scene'), 100);
    expect(rng.state()).toEqual(before);
    expect(draw(rng.fork('scene'), 100)).toEqual(first);
    const other = new Set([...draw(rng.fork('policy'), 100), ...draw(rng, 100)]);
    // 200 draws of 2^32 share a value with 100 others once in 200 000 runs; with this seed they share none.
    expect(first.filter((x) => other.has(x))).toEqual([]);
  });

  it('is not shifted by what a fork consumes', () => {
    const untouched = draw(new Rng(5), 10);
    const rng = new Rng(5);
    draw(rng.fork('new consumer'), 1000);
    expect(draw(rng, 10)).toEqual(untouched);
  });

  it('forks streams that are not correlated', () => {
    const root = new Rng(3);
    const a = root.fork('a');
    const b = root.fork('b');
    let sum = 0;
    const n = 20_000;
    for (let i = 0; i < n; i++) sum += a.normal() * b.normal();
    // Standard deviation of the mean product is 1/√n; four of them.
    expect(Math.abs(sum / n)).toBeLessThan(4 / Math.sqrt(n));
  });

  it('draws uniform numbers in [0, 1) and integers in range, evenly', () => {
    const rng = new Rng(11);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 50_000; i++) {
      const u = rng.uniform();
      expect(u >= 0 && u < 1).toBe(true);
      counts[rng.int(10)]!++;
    }
    const chiSquared = counts.reduce((sum, c) => sum + (c - 5000) ** 2 / 5000, 0);
    // 99.9 % quantile with 9 degrees of freedom.
    expect(chiSquared).toBeLessThan(27.9);
  });

  it('draws from the standard normal distribution', () => {
    const rng = new Rng(12);
    const values = new Float64Array(50_001);
    rng.fillNormal(values);
    const mean = values.reduce((s, x) => s + x, 0) / values.length;
    const variance = values.reduce((s, x) => s + (x - mean) ** 2, 0) / values.length;
    const beyondTwo = values.filter((x) => Math.abs(x) > 2).length / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.018);
    expect(Math.abs(variance - 1)).toBeLessThan(0.026);
    expect(Math.abs(beyondTwo - 0.0455)).toBeLessThan(0.004);
    expect(values.every(Number.isFinite)).toBe(true);
    // Box–Muller draws come in pairs: neighbours must be independent.
    let product = 0;
    for (let i = 0; i + 1 < values.length; i += 2) product += values[i]! * values[i + 1]!;
    expect(Math.abs(product / (values.length / 2))).toBeLessThan(4 / Math.sqrt(values.length / 2));
  });
});

/** Recorded once with this code; a change here changes every seeded run. */
const golden = {
  seed1: [393288148, 2174103013, 3814759091, 2092745082],
  seed2To40Plus1: [3385975706, 702119500, 552587566, 1282366440],
  fork: [616143167, 3447492543, 3332568328, 1068896216],
};
