import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fencedBases } from '../../../tests/support/guarded-robots.ts';
import { BasePath, type RobotModel } from '../../model/index.ts';
import { Fence } from './fence.ts';

function fenceOf({ base, joints }: RobotModel): Fence {
  return new Fence(base!, base!.fence!, joints.length);
}

const share = fc.double({ min: -1, max: 1, noNaN: true });

describe.each(fencedBases)('the fence of $name', (model) => {
  const n = model.joints.length;
  const shares = fc.array(share, { minLength: n, maxLength: n });
  const { minM, maxM, radiusM } = model.base!.fence!;

  it('lets through only ways that stay inside at any of 400 places, and most of those that do', () => {
    let proved = 0;
    let refused = 0;
    fc.assert(
      fc.property(shares, shares, fc.constantFrom(0.2, 1, 3), (start, direction, size) => {
        const fence = fenceOf(model);
        const axes = Float64Array.from(start, (x, i) => (i === n - 1 ? 0.35 * x : 0.5 * x));
        fence.seed(new Float64Array(n));
        fence.follow(axes, new Float64Array(n));
        fc.pre(fence.roomM > 0);
        const way = Float64Array.from(direction, (x, i) => (i === n - 1 ? 0.3 * x * size : x * size));
        if (model.base!.kind === 'ackermann') way[1] = -axes[1]! * Math.abs(direction[1]!);
        const isProved = fence.keeps(way);
        const path = new BasePath(model.base!);
        const pose = fence.pose.slice();
        path.lay(axes, way);
        let leastM = Number.POSITIVE_INFINITY;
        for (let piece = 0; piece < 400; piece++) {
          path.advance(pose, piece, 400);
          for (let k = 0; k < 2; k++) leastM = Math.min(leastM, pose[k]! - minM[k]!, maxM[k]! - pose[k]!);
        }
        if (isProved) {
          proved++;
          expect(leastM).toBeGreaterThanOrEqual(radiusM);
        } else if (leastM > radiusM + 0.001) refused++;
      }),
      { numRuns: 400 },
    );
    expect(proved).toBeGreaterThan(50);
    expect(refused).toBeLessThan(0.02 * proved);
  });

  it('goes on at the next seed from where the base was measured since the first', () => {
    const fence = fenceOf(model);
    const at = (x: number): number[] => [10 + x, ...new Array(n - 1).fill(0)];
    fence.seed(at(0));
    expect([...fence.pose]).toEqual([0, 0, 0]);
    fence.follow(at(0.5), at(0.4));
    expect(fence.pose[0]).toBeCloseTo(0.5, 12);
    fence.seed(at(0.5));
    expect(fence.pose[0]).toBeCloseTo(0.5, 12);
    fence.follow(at(0.5), at(0.3));
    fence.follow(at(0.5), [Number.NaN, ...new Array(n - 1).fill(0)]);
    fence.follow(at(0.5), []);
    fence.seed(at(0.3));
    expect(fence.pose[0]).toBeCloseTo(0.3, 12);
    expect(fence.roomM).toBeCloseTo(0.5, 5);
  });

  it('lets a base that stands outside come back, and go no farther', () => {
    const fence = fenceOf(model);
    fence.follow(new Float64Array(n).fill(1), new Float64Array(n));
    expect([...fence.pose]).toEqual([0, 0, 0]);
    fence.seed(new Float64Array(n));
    const outside = new Float64Array(n);
    outside[0] = 1.3;
    fence.seed(outside);
    expect(fence.roomM).toBeLessThan(0);
    const way = new Float64Array(n);
    expect(fence.keeps(way)).toBe(true);
    way[0] = -0.1;
    expect(fence.keeps(way)).toBe(true);
    way[0] = 0.001;
    expect(fence.keeps(way)).toBe(false);
    way[0] = Number.NaN;
    expect(fence.keeps(way)).toBe(false);
  });
});

describe('a fence', () => {
  const { base } = fencedBases[0]!;

  it('refuses walls without room for the base', () => {
    const build = (radiusM: number) => () => new Fence(base!, { ...base!.fence!, radiusM }, 2);
    expect(build(0.9)).toThrow('no room');
    expect(build(-0.1)).toThrow(RangeError);
    expect(build(Number.NaN)).toThrow(RangeError);
  });

  it('proves a long spin on the spot, and not one of many turns along a wall', () => {
    const fence = fenceOf(fencedBases[0]!);
    fence.seed([0, 0]);
    expect(fence.keeps(Float64Array.of(0, 1e6))).toBe(true);
    expect(fence.keeps(Float64Array.of(40, 100))).toBe(false);
  });
});
