import { beforeEach, expect, it, vi } from 'vitest';
import { Restarts } from './restarts.ts';

beforeEach(() => void vi.useFakeTimers());

it('waits twice as long from death to death, five seconds at most, and briefly again once it has worked', () => {
  const starts: number[] = [];
  const restarts = new Restarts(50, () => starts.push(Date.now()));
  const waitMs = (): number => {
    const diedAtMs = Date.now();
    restarts.died();
    vi.advanceTimersToNextTimer();
    return starts.at(-1)! - diedAtMs;
  };
  expect(Array.from({ length: 9 }, waitMs)).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  restarts.succeeded();
  expect(waitMs()).toBe(50);
  restarts.died();
  restarts.end();
  vi.runAllTimers();
  expect(starts).toHaveLength(10);
});
