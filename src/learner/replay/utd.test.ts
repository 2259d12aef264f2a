import { describe, expect, it } from 'vitest';
import { AchievedUtd } from './utd.ts';

describe('the achieved ratio of updates to steps', () => {
  it('is that of the last 500 steps: a slow start is forgotten', () => {
    const utd = new AchievedUtd();
    // 300 steps came before the first call; then each step pays for four updates, in one call.
    for (let step = 301; step <= 900; step++) utd.add(4 * (step - 300), step);
    expect(utd.at(900)).toBeCloseTo(4, 9);
  });

  it('falls while steps come and updates do not', () => {
    const utd = new AchievedUtd();
    for (let step = 1; step <= 1000; step++) utd.add(4 * step, step);
    expect(utd.at(1000)).toBeCloseTo(4, 9);
    expect(utd.at(1500)).toBeCloseTo(2, 1);
  });

  it('is nothing before there was an update', () => {
    expect(new AchievedUtd().at(10)).toBe(0);
  });
});
