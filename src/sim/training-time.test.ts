import { expect, it } from 'vitest';
import { TrainingTime } from './training-time.ts';

it('counts from the start of the demonstrations, and not what it waited for a hand', () => {
  let nowS = 100;
  const time = new TrainingTime({ limitS: 80, startedS: 90, nowS: () => nowS });
  expect([time.usedS, time.leftS]).toEqual([10, 70]);
  nowS = 150;
  time.pause(15);
  expect([time.usedS, time.leftS, time.pacedS]).toEqual([45, 35, 15]);
  expect(time.isOver).toBe(false);
  nowS = 185;
  expect(time.isOver).toBe(true);
});

it('is never over where nobody gave a limit, however slow the machine', () => {
  const time = new TrainingTime({ limitS: undefined, startedS: 0, nowS: () => 1e9 });
  expect([time.isOver, time.leftS]).toEqual([false, Number.POSITIVE_INFINITY]);
});
