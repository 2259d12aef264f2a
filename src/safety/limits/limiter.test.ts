import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cartesianSpec, jointSpec } from '../../../tests/support/adversary.ts';
import { Bench } from '../../../tests/support/chain-bench.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { oddArm3, ur5eLike } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import type { RobotModel } from '../../model/index.ts';
import { ACCEL_LIMITED, JERK_LIMITED, VELOCITY_LIMITED } from '../bits.ts';
import { Limiter } from './limiter.ts';
import { fitIntoBox } from './velocity-box.ts';

const vmax = oddArm3.joints.map((j) => j.velocityMaxRadPerS);
const amax = oddArm3.joints.map((j) => j.accelMaxRadPerS2);
const any = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const wanted = fc.tuple(any, any, any).map((v) => Float64Array.from(v));
const share = fc.double({ min: -1, max: 1, noNaN: true });
const previous = fc.tuple(share, share, share).map((s) => Float64Array.from(s, (x, i) => x * vmax[i]!));
const period = fc.double({ min: 0.01, max: 0.04, noNaN: true });

describe('the velocity and acceleration limiter', () => {
  faultRow(36, 'fake', 'keeps both limits for every request and every allowed past', () => {
    const limiter = new Limiter(oddArm3, 0);
    fc.assert(
      fc.property(wanted, previous, period, (u, v, dtS) => {
        limiter.apply(u, v, times(dtS, 0));
        for (let i = 0; i < 3; i++) {
          expect(Math.abs(u[i]!)).toBeLessThanOrEqual(vmax[i]!);
          expect(Math.abs(u[i]! - v[i]!)).toBeLessThanOrEqual(amax[i]! * dtS * (1 + 1e-12));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing when filtering twice', () => {
    const limiter = new Limiter(oddArm3, 0);
    fc.assert(
      fc.property(wanted, previous, period, (u, v, dtS) => {
        limiter.apply(u, v, times(dtS, 0));
        const once = u.slice();
        expect(limiter.apply(u, v, times(dtS, 0))).toBe(0);
        expect(u).toEqual(once);
      }),
    );
  });

  it('leaves a modest request untouched', () => {
    const limiter = new Limiter(oddArm3, 0);
    const u = Float64Array.of(0.02, -0.01, 0.1);
    expect(limiter.apply(u, new Float64Array(3), times(0.02, 0))).toBe(0);
    expect([...u]).toEqual([0.02, -0.01, 0.1]);
  });

  it('keeps the direction from rest, and names the limit', () => {
    const limiter = new Limiter(oddArm3, 0);
    const u = Float64Array.of(0.6, 0.3, 0.9);
    expect(limiter.apply(u, new Float64Array(3), times(0.02, 0))).toBe(ACCEL_LIMITED);
    expect(u[0]! / u[1]!).toBeCloseTo(2, 12);
    expect(u[2]! / u[1]!).toBeCloseTo(3, 12);
    expect(limiter.apply(Float64Array.of(50, 0, 0), Float64Array.of(1.19, 0, 0), times(0.02, 0))).toBe(
      VELOCITY_LIMITED,
    );
  });

  it('clips joint by joint where no common factor fits', () => {
    const limiter = new Limiter(oddArm3, 0);
    const u = Float64Array.of(-1, 0.5, 0);
    limiter.apply(u, Float64Array.of(1, 0.5, 0), times(0.02, 0));
    expect([...u]).toEqual([1 - 3 * 0.02, 0.5, 0]);
  });

  it('halves the acceleration for a while after a hand-over', () => {
    const limiter = new Limiter(oddArm3, 1);
    limiter.startHandover(times(0.02, 5));
    const first = Float64Array.of(1, 0, 0);
    limiter.apply(first, new Float64Array(3), times(0.02, 5.99));
    expect(first[0]).toBeCloseTo(0.5 * 3 * 0.02, 12);
    const later = Float64Array.of(1, 0, 0);
    limiter.apply(later, new Float64Array(3), times(0.02, 6));
    expect(later[0]).toBeCloseTo(3 * 0.02, 12);
  });
});

const withJerk = (model: RobotModel, jerkMaxRadPerS3: number): RobotModel => ({
  ...model,
  joints: model.joints.map((j) => ({ ...j, jerkMaxRadPerS3 })),
});

describe('the jerk limit', () => {
  const jerk = 40;
  const jerky = withJerk(oddArm3, jerk);
  const accels = fc.tuple(share, share, share).map((s) => s.map((x, i) => x * amax[i]!));

  /** A limiter whose last tick had these accelerations. */
  function after(model: RobotModel, v: Float64Array, accel: readonly number[], dtS: number): Limiter {
    const limiter = new Limiter(model, 1);
    limiter.record(
      v,
      v.map((x, i) => x - accel[i]! * dtS),
      times(dtS),
    );
    return limiter;
  }

  it('lets the acceleration grow by J·dt a tick; slowing down and going on as before are free', () => {
    fc.assert(
      fc.property(wanted, previous, accels, period, (u, v, accel, dtS) => {
        after(jerky, v, accel, dtS).apply(u, v, times(dtS, 0));
        for (let i = 0; i < 3; i++) {
          const slack = 1e-9;
          expect(Math.abs(u[i]! - v[i]!)).toBeLessThanOrEqual(amax[i]! * dtS * (1 + 1e-12));
          const [growth, drift] = [jerk * dtS * dtS, accel[i]! * dtS];
          expect(u[i]!).toBeLessThanOrEqual(
            Math.max(v[i]! + drift + growth, v[i]!, Math.min(0, v[i]! + amax[i]! * dtS)) + slack,
          );
          expect(u[i]!).toBeGreaterThanOrEqual(
            Math.min(v[i]! + drift - growth, v[i]!, Math.max(0, v[i]! - amax[i]! * dtS)) - slack,
          );
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing when filtering twice', () => {
    fc.assert(
      fc.property(wanted, previous, accels, period, (u, v, accel, dtS) => {
        const limiter = after(jerky, v, accel, dtS);
        limiter.apply(u, v, times(dtS, 0));
        const once = u.slice();
        expect(limiter.apply(u, v, times(dtS, 0))).toBe(0);
        expect(u).toEqual(once);
      }),
    );
  });

  it('never holds up what only slows down, whatever the acceleration was', () => {
    fc.assert(
      fc.property(previous, accels, period, fc.double({ min: 0, max: 1, noNaN: true }), (v, accel, dtS, rest) => {
        const slower = v.map((x, i) => x * Math.max(rest, 1 - (amax[i]! * dtS) / Math.max(1e-9, Math.abs(x))));
        const u = slower.slice();
        expect(after(jerky, v, accel, dtS).apply(u, v, times(dtS, 0))).toBe(0);
        for (let i = 0; i < 3; i++) expect(u[i]).toBeCloseTo(slower[i]!, 12);
      }),
    );
  });

  it('is monotone: one joint never comes less near to its request with more jerk', () => {
    const one = { ...oddArm3, joints: [oddArm3.joints[0]!] };
    fc.assert(
      fc.property(share, share, share, share, period, (requested, speed, accel, more, dtS) => {
        const v = Float64Array.of(speed * vmax[0]!);
        const miss = (j: number): number => {
          const u = Float64Array.of(3 * requested);
          after(withJerk(one, j), v, [accel * amax[0]!], dtS).apply(u, v, times(dtS, 0));
          return Math.abs(u[0]! - 3 * requested);
        };
        expect(miss(jerk * (1 + Math.abs(more)))).toBeLessThanOrEqual(miss(jerk) + 1e-12);
      }),
    );
  });

  it('is named, beside the acceleration where that was too much, too; a new decider has half of it', () => {
    const still = new Float64Array(3);
    const limiter = new Limiter(jerky, 1);
    const u = Float64Array.of(0.03, 0, 0);
    expect(limiter.apply(u, still, times(0.02, 0))).toBe(JERK_LIMITED);
    expect(u[0]).toBeCloseTo(jerk * 0.02 * 0.02, 12);
    expect(limiter.apply(Float64Array.of(1, 0, 0), still, times(0.02, 0))).toBe(ACCEL_LIMITED | JERK_LIMITED);
    limiter.startHandover(times(0.02, 5));
    const half = Float64Array.of(0.03, 0, 0);
    limiter.apply(half, still, times(0.02, 5.5));
    expect(half[0]).toBeCloseTo((jerk * 0.02 * 0.02) / 2, 12);
    limiter.record(Float64Array.of(0.02, 0, 0), still, times(0.02));
    limiter.reset();
    const again = Float64Array.of(0.03, 0, 0);
    limiter.apply(again, still, times(0.02, 7));
    expect(again[0]).toBeCloseTo(jerk * 0.02 * 0.02, 12);
  });

  it('leaves the brake in the box for the barrier, in the hand-over as well', () => {
    fc.assert(
      fc.property(previous, accels, period, fc.boolean(), (v, accel, dtS, isNew) => {
        const limiter = after(jerky, v, accel, dtS);
        if (isNew) limiter.startHandover(times(0.02, 0));
        const [low, high] = [new Float64Array(3), new Float64Array(3)];
        limiter.writeBox(low, high, v, times(dtS, 0.5));
        for (let i = 0; i < 3; i++) {
          const full = amax[i]! * dtS;
          expect(low[i]).toBeGreaterThanOrEqual(v[i]! - full * (1 + 1e-12));
          expect(high[i]).toBeLessThanOrEqual(v[i]! + full * (1 + 1e-12));
          expect(low[i]).toBeLessThanOrEqual(v[i]! > 0 ? Math.max(0, v[i]! - full) : v[i]!);
          expect(high[i]).toBeGreaterThanOrEqual(v[i]! < 0 ? Math.min(0, v[i]! + full) : v[i]!);
          if (isNew && v[i]! > 0) expect(high[i]).toBeLessThanOrEqual(v[i]! + full / 2 + 1e-12);
        }
      }),
    );
  });

  it.each([
    ['joint', jointSpec(ur5eLike, 0.05)],
    ['cartesian', cartesianSpec(0.008, 0.05)],
  ] as const)('makes the action map neither overshoot nor hunt: %s', (_kind, spec) => {
    for (const limit of [60, 300, 2500]) {
      const bench = new Bench(withJerk(ur5eLike, limit), spec);
      const zero = spec.dimensions.map(() => 0);
      const shortfall = new Float64Array(zero.length);
      // A few steps one way, then a command to stay: only arrival and standstill remain.
      for (let step = 0; step < 6; step++) {
        bench.issue(0.9, ...zero.slice(1));
        bench.run(10);
      }
      bench.chain.writeShortfall(shortfall);
      const lateness = Math.abs(shortfall[0]!);
      expect(lateness).toBeLessThan(limit < 100 ? 1.5 : 0.3);
      bench.issue(...zero);
      let turns = 0;
      let last = 0;
      for (let k = 0; k < 100; k++) {
        bench.command.issuedAtS = bench.nowS;
        bench.tick();
        const speed = bench.chain.referenceVelocityRadPerS[0]!;
        if (speed * last < -1e-9) turns++;
        last = speed;
      }
      expect(turns).toBeLessThanOrEqual(1);
      bench.chain.writeShortfall(shortfall);
      expect(Math.abs(shortfall[0]!)).toBeLessThan(1e-3);
      expect(bench.speed()).toBeLessThan(1e-4);
    }
  });
});

describe('fitting a velocity into a box', () => {
  const bound = fc.double({ min: 0, max: 5, noNaN: true });
  it('always ends inside the box, and keeps what was inside', () => {
    fc.assert(
      fc.property(wanted, fc.array(fc.tuple(share, bound), { minLength: 3, maxLength: 3 }), (u, box) => {
        const low = Float64Array.from(box, ([at]) => at);
        const high = Float64Array.from(box, ([at, width]) => at + width);
        const before = u.slice();
        const fit = fitIntoBox(u, low, high);
        for (let i = 0; i < 3; i++) {
          expect(u[i]).toBeGreaterThanOrEqual(low[i]!);
          expect(u[i]).toBeLessThanOrEqual(high[i]!);
          if (fit === 'unchanged') expect(u[i]).toBeCloseTo(before[i]!, 11);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('does not scale where one joint could not slow down as much', () => {
    const u = Float64Array.of(1, 1);
    expect(fitIntoBox(u, Float64Array.of(0.8, 0), Float64Array.of(2, 0.5))).toBe('clipped');
    expect([...u]).toEqual([1, 0.5]);
  });

  it('clips a joint that must keep moving although it should stand', () => {
    const u = Float64Array.of(0, 1);
    expect(fitIntoBox(u, Float64Array.of(0.2, -2), Float64Array.of(0.4, 2))).toBe('clipped');
    expect([...u]).toEqual([0.2, 1]);
  });
});
