import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockStepClock, SystemClock } from './clock.ts';

describe('SystemClock', () => {
  it('never goes back, and says the same in both units', () => {
    const clock = new SystemClock();
    let previous = clock.monotonicNs();
    for (let i = 0; i < 1000; i++) {
      const now = clock.monotonicNs();
      expect(now >= previous).toBe(true);
      previous = now;
    }
    const before = Number(clock.monotonicNs()) * 1e-9;
    const seconds = clock.nowS();
    const after = Number(clock.monotonicNs()) * 1e-9;
    // 10 µs of slack: the two clocks are read one after the other when the object is made.
    expect(seconds).toBeGreaterThan(before - 1e-5);
    expect(seconds).toBeLessThan(after + 1e-5);
  });

  it('counts from the machine, so that two processes agree', () => {
    const a = new SystemClock();
    const b = new SystemClock();
    const first = a.nowS();
    const second = b.nowS();
    expect(second).toBeGreaterThan(first - 1e-5);
  });
});

describe('LockStepClock', () => {
  it('passes exactly one period per step, without drift', () => {
    fc.assert(
      fc.property(fc.constantFrom(0.004, 0.01, 0.02, 1 / 128), fc.nat(5000), (periodS, steps) => {
        const clock = new LockStepClock(periodS);
        for (let i = 0; i < steps; i++) clock.step();
        expect(clock.nowS()).toBeCloseTo(steps * periodS, 6);
        expect(clock.monotonicNs()).toBe(BigInt(Math.round(clock.nowS() * 1e9)));
      }),
      { numRuns: 20 },
    );
  });

  it('has the same time between two ticks early and late, to the bit', () => {
    for (const periodS of [0.004, 0.01, 0.02, 1 / 30]) {
      const clock = new LockStepClock(periodS);
      clock.step();
      const firstS = clock.nowS();
      for (let i = 0; i < 100_000; i++) {
        const beforeS = clock.nowS();
        clock.step();
        if (clock.nowS() - beforeS !== firstS)
          expect.fail(`tick ${i} took ${clock.nowS() - beforeS} s, not ${firstS} s`);
      }
    }
  });

  it('refuses a period that is not positive', () => {
    for (const period of [0, -0.01, Number.NaN]) expect(() => new LockStepClock(period)).toThrow(RangeError);
  });
});
