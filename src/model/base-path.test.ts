import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carBase, diffBase, holonomicBase } from '../../tests/support/robot-models.ts';
import { BasePath } from './base-path.ts';
import type { BaseModel } from './robot-model.ts';

const kinds = [diffBase, holonomicBase, carBase];
const share = fc.double({ min: -1, max: 1, noNaN: true });

/** Pose after a straight path of the axes, in 20 000 steps of the midpoint rule. */
function reckoned(base: BaseModel, from: readonly number[], way: readonly number[]): number[] {
  let [x, y, heading] = [0, 0, 0];
  const steps = 20_000;
  const last = way.length - 1;
  for (let k = 0; k < steps; k++) {
    const steering = from[last]! + ((k + 0.5) / steps) * way[last]!;
    const turn = (base.kind === 'ackermann' ? (way[0]! * Math.tan(steering)) / base.wheelbaseM! : way[last]!) / steps;
    const [ahead, left] = [way[0]! / steps, base.kind === 'holonomic' ? way[1]! / steps : 0];
    const middle = heading + turn / 2;
    x += Math.cos(middle) * ahead - Math.sin(middle) * left;
    y += Math.sin(middle) * ahead + Math.cos(middle) * left;
    heading += turn;
  }
  return [x, y, heading];
}

describe.each(kinds)('the way of $name', ({ base, joints }) => {
  const path = new BasePath(base!);
  const axes = fc
    .array(share, { minLength: joints.length, maxLength: joints.length })
    .map((a) => a.map((x) => 0.4 * x));
  const ways = fc.array(share, { minLength: joints.length, maxLength: joints.length });

  it('ends where many small steps end', () => {
    fc.assert(
      fc.property(axes, ways, (from, way) => {
        // A third of the bases keep their steering angle.
        if (base!.kind === 'ackermann')
          way[1] = Math.abs(way[1]!) < 0.33 ? 0 : 0.4 * way[1]! * Math.sign(-from[1]! || 1);
        const pose = new Float64Array(3);
        const at = Float64Array.from(from);
        const to = from.map((x, i) => x + way[i]!);
        path.travel(pose, at, to);
        expect([...at]).toEqual(to);
        const expected = reckoned(base!, from, way);
        const mostM = base!.kind === 'ackermann' && way[1] !== 0 ? 1e-5 : 1e-7;
        for (let k = 0; k < 3; k++) expect(Math.abs(pose[k]! - expected[k]!)).toBeLessThan(mostM);
      }),
      { numRuns: 60 },
    );
  });

  it('goes back to where it came from', () => {
    fc.assert(
      fc.property(axes, ways, (from, way) => {
        const pose = Float64Array.of(1, 2, 3);
        const at = Float64Array.from(from);
        path.travel(
          pose,
          at,
          from.map((x, i) => x + way[i]!),
        );
        path.travel(pose, at, from);
        for (let k = 0; k < 3; k++) expect(Math.abs(pose[k]! - (k + 1))).toBeLessThan(1e-7);
      }),
    );
  });

  it('is no longer, and turns no more, than it says', () => {
    fc.assert(
      fc.property(axes, ways, fc.constantFrom(1, 4, 16), (from, way, pieces) => {
        path.lay(Float64Array.from(from), Float64Array.from(way));
        const pose = new Float64Array(3);
        for (let piece = 0; piece < pieces; piece++) {
          const before = pose.slice();
          path.advance(pose, piece, pieces);
          const pathM = Math.hypot(pose[0]! - before[0]!, pose[1]! - before[1]!);
          expect(pathM).toBeLessThanOrEqual(path.lengthM / pieces + 1e-9);
          expect(Math.abs(pose[2]! - before[2]!)).toBeLessThanOrEqual(path.turnRad / pieces + 1e-12);
        }
      }),
    );
  });
});

describe('a car', () => {
  it('drives a circle of wheelbase / tan δ', () => {
    const path = new BasePath({ ...carBase.base!, wheelbaseM: 0.5 });
    const pose = new Float64Array(3);
    const radiusM = 0.5 / Math.tan(0.3);
    path.travel(pose, Float64Array.of(0, 0.3), [Math.PI * radiusM, 0.3]);
    expect(pose[0]).toBeCloseTo(0, 6);
    expect(pose[1]).toBeCloseTo(2 * radiusM, 6);
    expect(pose[2]).toBeCloseTo(Math.PI, 12);
  });

  it('has a finite way whatever its steering is said to be, and none without a wheelbase', () => {
    const path = new BasePath(carBase.base!);
    const pose = new Float64Array(3);
    path.travel(pose, Float64Array.of(0, 3), [1, -4]);
    expect(pose.every(Number.isFinite)).toBe(true);
    const { wheelbaseM, ...without } = carBase.base!;
    expect(wheelbaseM).toBeGreaterThan(0);
    expect(() => new BasePath(without)).toThrow('wheelbaseM');
  });
});
