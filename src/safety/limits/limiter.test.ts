import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { ACCEL_LIMITED, VELOCITY_LIMITED } from '../bits.ts';
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
  it('keeps both limits for every wish and every allowed past', () => {
    const limiter = new Limiter(oddArm3, 0);
    fc.assert(
      fc.property(wanted, previous, period, (u, v, dtS) => {
        limiter.apply(u, v, dtS, 0);
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
        limiter.apply(u, v, dtS, 0);
        const once = u.slice();
        expect(limiter.apply(u, v, dtS, 0)).toBe(0);
        expect(u).toEqual(once);
      }),
    );
  });

  it('leaves a modest wish untouched', () => {
    const limiter = new Limiter(oddArm3, 0);
    const u = Float64Array.of(0.02, -0.01, 0.1);
    expect(limiter.apply(u, new Float64Array(3), 0.02, 0)).toBe(0);
    expect([...u]).toEqual([0.02, -0.01, 0.1]);
  });

  it('keeps the direction from rest, and names the limit', () => {
    const limiter = new Limiter(oddArm3, 0);
    const u = Float64Array.of(0.6, 0.3, 0.9);
    expect(limiter.apply(u, new Float64Array(3), 0.02, 0)).toBe(ACCEL_LIMITED);
    expect(u[0]! / u[1]!).toBeCloseTo(2, 12);
    expect(u[2]! / u[1]!).toBeCloseTo(3, 12);
    expect(limiter.apply(Float64Array.of(50, 0, 0), Float64Array.of(1.19, 0, 0), 0.02, 0)).toBe(VELOCITY_LIMITED);
  });

  it('clips joint by joint where no common factor fits', () => {
    const limiter = new Limiter(oddArm3, 0);
    const u = Float64Array.of(-1, 0.5, 0);
    limiter.apply(u, Float64Array.of(1, 0.5, 0), 0.02, 0);
    expect([...u]).toEqual([1 - 3 * 0.02, 0.5, 0]);
  });

  it('halves the acceleration for a while after a hand-over', () => {
    const limiter = new Limiter(oddArm3, 1);
    limiter.startHandover(5);
    const first = Float64Array.of(1, 0, 0);
    limiter.apply(first, new Float64Array(3), 0.02, 5.99);
    expect(first[0]).toBeCloseTo(0.5 * 3 * 0.02, 12);
    const later = Float64Array.of(1, 0, 0);
    limiter.apply(later, new Float64Array(3), 0.02, 6);
    expect(later[0]).toBeCloseTo(3 * 0.02, 12);
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
