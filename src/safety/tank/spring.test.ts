import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { springsJ } from '../../../tests/support/springs.ts';
import { DAMPING, HEADROOM, jointSpringJ, MOVED, SURE, springJ, toDissipatedJ, WITHIN } from './spring.ts';

function dissipatedJ(dampingNmSPerRad: number, headroomNm: number, movedRad: number, dtS: number): number {
  const damper = new Float64Array(5).fill(Number.NaN);
  damper[DAMPING] = dampingNmSPerRad;
  damper[HEADROOM] = headroomNm;
  damper[MOVED] = movedRad;
  damper[WITHIN] = dtS;
  toDissipatedJ(damper);
  return damper[SURE]!;
}

const positive = fc.double({ min: 0.1, max: 3000, noNaN: true });
const real = fc.double({ min: -3, max: 3, noNaN: true });

describe('a spring with a torque limit', () => {
  it('holds ½Ke² up to its knee, and grows straight after it', () => {
    expect(springJ(0.1, 200, 50)).toBeCloseTo(1, 12);
    expect(springJ(-0.25, 200, 50)).toBeCloseTo(6.25, 12);
    expect(springJ(0.5, 200, 50)).toBeCloseTo(6.25 + 50 * 0.25, 12);
    expect(springJ(Number.NaN, 200, 50)).toBeNaN();
  });

  it('is the integral of its torque, and convex', () => {
    fc.assert(
      fc.property(positive, positive, real, real, (k, most, a, b) => {
        let integral = 0;
        const steps = 2000;
        for (let i = 0; i < steps; i++) {
          const e = (a * (i + 0.5)) / steps;
          integral += (Math.max(-most, Math.min(most, k * e)) * a) / steps;
        }
        expect(springJ(a, k, most)).toBeCloseTo(integral, 2);
        const middle = springJ((a + b) / 2, k, most);
        expect(middle).toBeLessThanOrEqual((springJ(a, k, most) + springJ(b, k, most)) / 2 + 1e-9);
        // |U′| ≤ τ_max for any error: the largest cost of a step.
        expect(Math.abs(springJ(a, k, most) - springJ(b, k, most))).toBeLessThanOrEqual(most * Math.abs(a - b) + 1e-9);
      }),
    );
  });

  it('adds up over the joints', () => {
    const q = ur5eLike.homeRad;
    const s = q.map((each, i) => each + 0.01 * i);
    const sum = ur5eLike.joints.reduce((total, joint, i) => total + jointSpringJ(joint, 0.01 * i), 0);
    expect(springsJ(ur5eLike, s, q)).toBeCloseTo(sum, 12);
  });
});

describe('what a damper certainly took out', () => {
  it('is d·Δ²/dt where it stays far from its torque limit', () => {
    expect(dissipatedJ(10, 100, 0.02, 0.01)).toBeCloseTo(0.4, 12);
    expect(dissipatedJ(10, 100, -0.02, 0.01)).toBeCloseTo(0.4, 12);
  });

  it('is nothing without time, headroom or damping, and never negative', () => {
    expect(dissipatedJ(10, 100, 0.02, 0)).toBe(0);
    expect(dissipatedJ(10, 100, 0.02, Number.NaN)).toBe(0);
    expect(dissipatedJ(10, 0, 0.02, 0.01)).toBe(0);
    expect(dissipatedJ(0, 100, 0.02, 0.01)).toBe(0);
    fc.assert(
      fc.property(positive, positive, real, positive, (d, m, moved, dt) => {
        expect(dissipatedJ(d, m, moved, dt)).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(dissipatedJ(10, 1, Number.NaN, 0.01)).toBe(0);
  });

  it('is never more than a servo takes out on any way between two places, saturated or not', () => {
    const shape = fc.record({
      d: fc.double({ min: 0.1, max: 50, noNaN: true }),
      most: fc.double({ min: 0.5, max: 60, noNaN: true }),
      k: fc.double({ min: 1, max: 2000, noNaN: true }),
      setPoint: real,
      places: fc.array(real, { minLength: 3, maxLength: 9 }),
    });
    fc.assert(
      fc.property(shape, ({ d, most, k, setPoint, places }) => {
        const dt = 0.01;
        const clip = (torque: number): number => Math.max(-most, Math.min(most, torque));
        // A path in straight pieces of equal duration: within a piece q̇ is constant and e moves from one end to the other.
        let taken = 0;
        const piece = dt / (places.length - 1);
        for (let i = 1; i < places.length; i++) {
          const speed = (places[i]! - places[i - 1]!) / piece;
          for (let s = 0; s < 400; s++) {
            const e = setPoint - places[i - 1]! - ((s + 0.5) / 400) * (places[i]! - places[i - 1]!);
            taken += ((clip(k * e) - clip(k * e - d * speed)) * speed * piece) / 400;
          }
        }
        const [a, b] = [places[0]!, places.at(-1)!];
        const pull = k * Math.max(Math.abs(setPoint - a), Math.abs(setPoint - b));
        expect(dissipatedJ(d, most - pull, b - a, dt)).toBeLessThanOrEqual(taken * (1 + 1e-2) + 1e-6);
      }),
      { numRuns: 300 },
    );
  });

  it('reaches its bound: a damper cannot have taken out less on the straight way', () => {
    // The damper takes half of the headroom: the two pieces of the bound meet there.
    expect(dissipatedJ(10, 40, 0.02, 0.01)).toBeCloseTo(0.4, 12);
    expect(dissipatedJ(10, 20, 0.02, 0.01)).toBeCloseTo(20 * 0.02 - (20 * 20 * 0.01) / 40, 12);
  });
});
