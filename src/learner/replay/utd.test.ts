import { describe, expect, it } from 'vitest';
import { AchievedUtd } from './utd.ts';

describe('the achieved ratio of updates to steps', () => {
  it('is that of the last 500 steps: a slow start is forgotten', () => {
    const utd = new AchievedUtd(4);
    // 300 steps arrived before the first call; then each step allows four updates, in one call.
    for (let step = 301; step <= 900; step++) utd.add(4 * (step - 300), step);
    expect(utd.at(900)).toBeCloseTo(4, 9);
  });

  it('never reads more than is asked for where a backlog is made up', () => {
    const utd = new AchievedUtd(4);
    // 160 steps arrived while the learner cloned: it catches up.
    for (let call = 1; call <= 400; call++) utd.add(4 * call, Math.max(160, call));
    expect(utd.at(400)).toBe(4);
    utd.add(1604, 400);
    expect(utd.at(400)).toBe(4);
  });

  it('falls while steps come and updates do not', () => {
    const utd = new AchievedUtd(4);
    for (let step = 1; step <= 1000; step++) utd.add(4 * step, step);
    expect(utd.at(1000)).toBeCloseTo(4, 9);
    expect(utd.at(1500)).toBeCloseTo(2, 1);
  });

  it('is nothing before there was an update', () => {
    expect(new AchievedUtd(4).at(10)).toBe(0);
  });
});
