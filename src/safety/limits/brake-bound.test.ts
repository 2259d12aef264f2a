import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import { JOINT_BRAKE } from '../bits.ts';
import { brakeStep, writeBrakePath, writeBrakeRate } from './brake.ts';
import { BrakeBound, JointBrakeBound } from './brake-bound.ts';

/** The bound of one joint. */
function brakeBound(distanceRad: number, accelRadPerS2: number, dtS: number, shortestS: number): number {
  const room = Float64Array.of(distanceRad);
  new BrakeBound(shortestS).writeSpeeds(room, room, Float64Array.of(accelRadPerS2), times(dtS));
  return room[0]!;
}

const distance = fc.double({ min: 0, max: 10, noNaN: true });
const accel = fc.double({ min: 0.1, max: 100, noNaN: true });
const period = fc.double({ min: 1e-3, max: 0.1, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('the brake bound', () => {
  it('is u ≤ −A·dt/2 + √(2Ad) for a constant period', () => {
    fc.assert(
      fc.property(distance, accel, period, (d, a, dt) => {
        expect(brakeBound(d, a, dt, dt)).toBeCloseTo(Math.max(0, -a * dt * 0.5 + Math.sqrt(2 * a * d)), 9);
      }),
    );
  });

  faultRow(35, 'fake', 'lemma: feasible now implies feasible next, whatever the periods from s to 4s', () => {
    fc.assert(
      fc.property(distance, accel, period, share, share, share, (d, a, shortest, requested, first, second) => {
        const dt = shortest * (1 + 3 * first);
        const next = shortest * (1 + 3 * second);
        const u = requested * brakeBound(d, a, dt, shortest);
        const left = d - u * dt;
        expect(left).toBeGreaterThanOrEqual(-1e-12);
        // The hardest allowed braking step must itself be allowed.
        expect(Math.max(0, u - a * next)).toBeLessThanOrEqual(brakeBound(left, a, next, shortest) + 1e-9 * (1 + u));
      }),
      { numRuns: 5000 },
    );
  });

  it('is tight: the fastest allowed start ends within a tick of the limit', () => {
    const a = 3;
    const dt = 0.02;
    let room = 0.5;
    let u = brakeBound(room, a, dt, dt);
    while (u > 0) {
      room -= u * dt;
      u = Math.max(0, u - a * dt);
    }
    expect(room).toBeGreaterThanOrEqual(0);
    expect(room).toBeLessThanOrEqual((a * dt * dt) / 8 + 1e-12);
  });

  it('grows with the room and allows nothing without', () => {
    expect(brakeBound(0, 5, 0.01, 0.01)).toBe(0);
    expect(brakeBound(-1, 5, 0.01, 0.005)).toBe(0);
    expect(brakeBound(Number.NaN, 5, 0.01, 0.005)).toBe(0);
    fc.assert(
      fc.property(distance, distance, accel, period, (d, e, a, dt) => {
        expect(brakeBound(Math.max(d, e), a, dt, dt / 2)).toBeGreaterThanOrEqual(
          brakeBound(Math.min(d, e), a, dt, dt / 2),
        );
      }),
    );
  });

  it('clips only joints that could not stop, on both sides', () => {
    const stage = new JointBrakeBound(oddArm3, 0.01);
    const u = Float64Array.of(1, -0.9, 0.5);
    expect(stage.apply(u, Float64Array.of(1.0, -0.8, -0.5), times(0.02))).toBe(JOINT_BRAKE);
    expect(u[0]).toBeCloseTo(brakeBound(1.1 - 0.05 - 1.0, 3, 0.02, 0.01), 12);
    expect(u[1]).toBeCloseTo(-brakeBound(0.9 - 0.05 - 0.8, 1.5, 0.02, 0.01), 12);
    expect(u[2]).toBe(0.5);
    expect(stage.apply(u, Float64Array.of(0, 0, -0.5), times(0.02))).toBe(0);
  });
});

describe('a box narrowed by the brake bound', () => {
  it('is what the stage lets through, and never empty', () => {
    const stage = new JointBrakeBound(oddArm3, 0.01);
    const at = fc.tuple(
      ...oddArm3.joints.map((j) => fc.double({ min: j.positionMinRad, max: j.positionMaxRad, noNaN: true })),
    );
    const ends = fc.tuple(share, share, share);
    fc.assert(
      fc.property(at, ends, ends, share, (joints, a, b, inside) => {
        const q = Float64Array.from(joints);
        const low = Float64Array.from(a, (x, i) => 2 * Math.min(x, b[i]!) - 1);
        const high = Float64Array.from(b, (x, i) => 2 * Math.max(x, a[i]!) - 1);
        const was = [low.slice(), high.slice()] as const;
        stage.narrow(low, high, q, times(0.02));
        const u = low.map((x, i) => Math.min(x + inside * (high[i]! - x), high[i]!));
        expect(stage.apply(u.slice(), q, times(0.02))).toBe(0);
        for (let i = 0; i < 3; i++) {
          expect(low[i]).toBeLessThanOrEqual(high[i]!);
          // The stage clips only what it forbids.
          for (const x of [was[0][i]!, was[1][i]!]) {
            const through = new Float64Array(3);
            through[i] = x;
            if (stage.apply(through, q, times(0.02)) !== 0) continue;
            expect(x >= low[i]! - 1e-12 && x <= high[i]! + 1e-12).toBe(true);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

function brakeRate(velocity: Float64Array): number {
  const rate = new Float64Array(1);
  writeBrakeRate(rate, oddArm3, velocity);
  return rate[0]!;
}

describe('the brake manoeuvre', () => {
  const speeds = fc.tuple(
    ...oddArm3.joints.map((j) => fc.double({ min: -j.velocityMaxRadPerS, max: j.velocityMaxRadPerS, noNaN: true })),
  );

  it('comes to rest on a straight line within its path length, with no joint above its acceleration', () => {
    const out = new Float64Array(3);
    fc.assert(
      fc.property(speeds, fc.array(period, { minLength: 1, maxLength: 8 }), period, (start, periods, dtS) => {
        const v = Float64Array.from(start);
        const rate = brakeRate(v);
        const way = new Float64Array(3);
        writeBrakePath(way, oddArm3, v, times(dtS));
        let travelled = 0;
        const lead = start.findIndex((s) => Math.abs(s) === Math.max(...start.map(Math.abs)));
        const speed = Math.abs(start[lead]!);
        const path = Math.abs(way[lead]!) - speed * dtS;
        for (let k = 0; brakeRate(v) < Number.POSITIVE_INFINITY; k++) {
          const tickS = periods[k % periods.length]!;
          brakeStep(out, oddArm3, v, times(tickS));
          for (let i = 0; i < 3; i++) {
            const change = Math.abs(out[i]! - v[i]!);
            expect(change).toBeLessThanOrEqual(oddArm3.joints[i]!.accelMaxRadPerS2 * tickS * (1 + 1e-9));
            expect(out[i]! * start[lead]!).toBeCloseTo(out[lead]! * start[i]!, 9);
          }
          travelled += Math.abs(out[lead]!) * tickS;
          v.set(out);
          expect(k * Math.min(...periods)).toBeLessThanOrEqual(1 / rate + Math.max(...periods));
        }
        expect(travelled).toBeLessThanOrEqual(path + 1e-9 * speed);
      }),
      // So slow that the motion of a tick rounds to zero.
      { examples: [[[0, 0, 5e-324], [0.001], 0.001]] },
    );
  });

  it('stays at rest', () => {
    const out = Float64Array.of(9, 9, 9);
    brakeStep(out, oddArm3, new Float64Array(3), times(0.02));
    expect([...out]).toEqual([0, 0, 0]);
    writeBrakePath(out, oddArm3, new Float64Array(3), times(0.02));
    expect([...out]).toEqual([0, 0, 0]);
  });
});
