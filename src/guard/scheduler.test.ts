import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../tests/support/fake-clock.ts';
import type { Clock } from '../model/index.ts';
import { Lateness, runAtDeadlines } from './scheduler.ts';

const PERIOD_S = 0.01;

describe('ticks at absolute deadlines', () => {
  it('keep their phase although every tick takes a while', () => {
    const { startsMs, lateness } = run((clock) => clock.advanceMs(3), 50);
    for (const [i, startMs] of startsMs.entries()) expect(startMs).toBeCloseTo(10 * (i + 1), 0);
    expect(lateness.overruns).toBe(0);
  });

  it('are told how late they begin, before they do', () => {
    const { latesMs } = run((clock, tick) => clock.advanceMs(tick === 1 ? 13 : 1), 4);
    expect(latesMs.map((ms) => Math.round(ms))).toEqual([0, 0, 3, 0]);
  });

  it('leave out the periods that a slow tick missed, and count the overrun', () => {
    const { startsMs, lateness } = run((clock, tick) => clock.advanceMs(tick === 2 ? 34 : 1), 6);
    expect(startsMs.map((ms) => Math.round(ms / 10))).toEqual([1, 2, 3, 6, 7, 8]);
    expect(lateness.overruns).toBe(1);
    expect(lateness.summary().workMaxUs).toBeGreaterThan(33_000);
  });
});

/** Runs ticks on a clock that advances slightly on each read. */
function run(work: (clock: FakeClock, tick: number) => void, ticks: number) {
  const fake = new FakeClock();
  const clock: Clock = {
    monotonicNs: () => fake.monotonicNs(),
    wallMs: () => fake.wallMs(),
    nowS: () => {
      fake.advanceMs(0.05);
      return fake.nowS();
    },
  };
  const lateness = new Lateness();
  const startsMs: number[] = [];
  const latesMs: number[] = [];
  runAtDeadlines({
    periodS: PERIOD_S,
    clock,
    lateness,
    tick: () => {
      startsMs.push(fake.nowS() * 1e3);
      latesMs.push(lateness.lateS * 1e3);
      work(fake, startsMs.length - 1);
    },
    shouldGoOn: () => startsMs.length < ticks,
  });
  return { startsMs, latesMs, lateness };
}
