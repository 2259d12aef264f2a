import { describe, expect, it } from 'vitest';
import { isExcused } from './run-trials.ts';

const times = { beganAtMs: 0, endedAtMs: 1000 };
const bounds = { brakeBegins: 215 };

describe('a trial that missed its bound', () => {
  it('is made again only where the listener was held up for as long as it missed it by', () => {
    expect(isExcused({ ...times, figures: { brakeBegins: 220 } }, bounds, 10)).toBe(true);
    expect(isExcused({ ...times, figures: { brakeBegins: 829 } }, bounds, 10)).toBe(false);
    expect(isExcused({ ...times, figures: { brakeBegins: 220 } }, bounds, 0)).toBe(false);
  });

  it('is not made again for what no listener can be mistaken about', () => {
    const moved = { ...times, figures: { brakeBegins: 220 }, wrong: 'the arm moved again while the flood went on' };
    expect(isExcused(moved, bounds, 10)).toBe(true);
    expect(isExcused({ ...moved, isCertain: true }, bounds, 10)).toBe(false);
    expect(isExcused({ ...moved, figures: { brakeBegins: 829 } }, bounds, 10)).toBe(false);
    // A missing figure counts as late.
    expect(isExcused({ ...moved, figures: {} }, bounds, 10)).toBe(false);
  });
});
