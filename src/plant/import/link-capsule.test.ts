import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { type Ball, boundingCapsule } from './link-capsule.ts';

/** Returns how far a ball protrudes from the capsule, m. */
function outsideM({ at, radiusM }: Ball, capsule: ReturnType<typeof boundingCapsule>): number {
  const axis = capsule.toM.map((to, k) => to - capsule.fromM[k]!);
  const length2 = axis.reduce((sum, value) => sum + value * value, 0);
  const along = axis.reduce((sum, value, k) => sum + value * (at[k]! - capsule.fromM[k]!), 0);
  const share = length2 > 0 ? Math.min(1, Math.max(0, along / length2)) : 0;
  const away = Math.hypot(...at.map((value, k) => value - capsule.fromM[k]! - share * axis[k]!));
  return away + radiusM - capsule.radiusM;
}

describe('a capsule around a link', () => {
  it.each([1, 2, 3, 40, 1000])('holds all of %d points and balls', (count) => {
    const rng = new Rng(count);
    const balls = Array.from({ length: count }, (_, i) => ({
      at: [rng.uniformIn(-0.1, 0.1), rng.uniformIn(-0.1, 0.1), rng.uniformIn(-0.4, 0.4)] as const,
      radiusM: i % 7 === 6 ? 0.03 : 0,
    }));
    const capsule = boundingCapsule(balls, []);
    expect(Math.max(...balls.map((ball) => outsideM(ball, capsule)))).toBeLessThan(1e-9);
  });

  it('takes a mesh of 130 000 points, and is not much larger than it', () => {
    const rng = new Rng(5);
    const one = (halfM: number): number => rng.uniformIn(-halfM, halfM);
    const balls = Array.from({ length: 130_000 }, () => ({
      at: [one(0.03), one(0.04), one(0.2)] as const,
      radiusM: 0,
    }));
    const capsule = boundingCapsule(balls, []);
    expect(capsule.radiusM).toBeGreaterThan(0.0495);
    expect(capsule.radiusM).toBeLessThan(0.051);
  });
});
