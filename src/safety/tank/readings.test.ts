import { describe, expect, it } from 'vitest';
import { isPlausible, isStill } from './readings.ts';

describe('a reading', () => {
  it('is of as many joints as there are, finite, and not so far out that its square is none', () => {
    expect(isPlausible([0, -3], 2)).toBe(true);
    expect(isPlausible([1e6, -1e6], 2)).toBe(true);
    for (const reading of [[0], [0, 0, 0], [0, Number.NaN], [Number.POSITIVE_INFINITY, 0], [0, -1.01e6], [1e160, 0]]) {
      expect(isPlausible(reading, 2)).toBe(false);
    }
  });
});

describe('speeds', () => {
  it('are still where each of them is 0', () => {
    expect(isStill([0, -0, 0])).toBe(true);
    expect(isStill([])).toBe(true);
    for (const speeds of [
      [1e-12, 0],
      [0, -0.1],
      [0, Number.NaN],
    ])
      expect(isStill(speeds)).toBe(false);
  });
});
