import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tried } from '../../../tests/support/cases.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { guardedArm } from '../../../tests/support/guarded-robots.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { Clearances } from '../avoidance/clearances.ts';
import { ClearPath } from './clear-path.ts';

const arm = new ArmKinematics(guardedArm);
const clearances = new Clearances(guardedArm);
const path = new ClearPath(guardedArm);

function measure(q: ArrayLike<number>): Clearances {
  arm.forward(q);
  clearances.measure(arm);
  return clearances;
}

const anyJoints = fc.tuple(
  ...guardedArm.joints.map((j) => fc.double({ min: j.positionMinRad, max: j.positionMaxRad, noNaN: true })),
);
const size = fc.constantFrom(0.01, 0.1, 0.5);
const anyWay = fc
  .tuple(size, fc.tuple(...guardedArm.joints.map(() => fc.double({ min: -1, max: 1, noNaN: true }))))
  .map(([scale, way]) => way.map((x) => scale * x));

describe('a path that is proved clear', () => {
  faultRow(
    [38, 39],
    'fake',
    'keeps every clearance at any of 100 places on it, or as much as there was at the start',
    () => {
      let proved = 0;
      let near = 0;
      fc.assert(
        fc.property(anyJoints, anyWay, (q, way) => {
          const from = Float64Array.from(q);
          const floors = measure(from).h.map((h) => Math.min(h, 0));
          if (!path.keeps(Float64Array.from(way), from, clearances)) return;
          proved++;
          let least = 0;
          for (let k = 1; k <= 100; k++) {
            const { h } = measure(from.map((x, i) => x + (way[i]! * k) / 100));
            for (let r = 0; r < h.length; r++) {
              least = Math.min(least, h[r]! - floors[r]!);
              if (h[r]! < floors[r]! + 0.002) near++;
            }
          }
          expect(least).toBeGreaterThanOrEqual(-1e-12);
        }),
        // Failures are not shrunk: each attempt checks a hundred poses.
        { numRuns: 400, endOnFailure: true },
      );
      expect(proved).toBeGreaterThan(tried(100));
      expect(near).toBeGreaterThan(tried(100));
    },
    120_000,
  );

  it('is found wherever there is some room: few that are clear by a millimetre are refused', () => {
    let clear = 0;
    let refused = 0;
    fc.assert(
      fc.property(anyJoints, anyWay, (q, way) => {
        const from = Float64Array.from(q);
        fc.pre(measure(from).h.every((h) => h > 0.001));
        const isProved = path.keeps(Float64Array.from(way), from, clearances);
        for (let k = 1; k <= 50; k++) {
          if (!measure(from.map((x, i) => x + (way[i]! * k) / 50)).h.every((h) => h > 0.001)) return;
        }
        clear++;
        if (!isProved) refused++;
      }),
      { numRuns: 300 },
    );
    expect(clear).toBeGreaterThan(tried(100));
    expect(refused).toBeLessThan(0.02 * clear);
  });
});

describe('at its limit', () => {
  const still = { name: 'still', link: 'base', fromM: [0, 0.58, 0.2], toM: [0, 0.58, 0.2], radiusM: 0.1 } as const;
  const ball = { name: 'ball', link: 'turn', fromM: [0, 0.45, 0], toM: [0, 0.45, 0], radiusM: 0.1 } as const;
  const block = { name: 'block', minM: [-1, 0.5, -1], maxM: [1, 1, 1], capsules: ['ball'] } as const;
  const alone = { capsules: [still, ball], pairs: [], clearanceM: 0.005 };
  const roomy = { ...guardedArm, points: [], workspace: { minM: [-5, -5, -5], maxM: [5, 5, 5] } } as const;
  const models: Readonly<Record<string, RobotModel>> = {
    pair: { ...roomy, collision: { ...alone, pairs: [['ball', 'still']] } },
    keepOut: { ...roomy, collision: { ...alone, keepOut: [block] } },
  };

  function measuredOf(model: RobotModel, q: ArrayLike<number>): Clearances {
    const kinematics = new ArmKinematics(model);
    const room = new Clearances(model);
    kinematics.forward(q);
    room.measure(kinematics);
    return room;
  }

  /** True if the path is proved clear from the joints `q`. */
  function mayGo(kind: string, q: readonly number[], way: readonly number[]): boolean {
    const model = models[kind]!;
    return new ClearPath(model).keeps(Float64Array.from(way), Float64Array.from(q), measuredOf(model, q));
  }

  /** Finds, by bisection, where turning the ball away makes the clearance exactly `least`. */
  function turnTo(kind: string, least: number): number[] {
    let [low, high] = [0.2, 1.5];
    for (let k = 0; k < 60; k++) {
      const middle = (low + high) / 2;
      if (measuredOf(models[kind]!, [0, middle, 0, 0, 0, 0]).h.at(-1)! < least) low = middle;
      else high = middle;
    }
    return [0, (low + high) / 2, 0, 0, 0, 0];
  }

  it.each(['pair', 'keepOut'])('a %s lets the arm leave, and other joints move, and the arm not go nearer', (kind) => {
    for (const least of [0, -0.002]) {
      const q = turnTo(kind, least);
      expect(measuredOf(models[kind]!, q).h.at(-1)).toBeCloseTo(least, 9);
      expect(mayGo(kind, q, [0, 0.2, 0, 0, 0, 0])).toBe(true);
      expect(mayGo(kind, q, [0, -0.02, 0, 0, 0, 0])).toBe(false);
      expect(mayGo(kind, q, [0, 0, 0.1, 0, 0, 0])).toBe(true);
    }
  });

  it('slides along a box as long as it likes, and into it not at all', () => {
    const q = turnTo('keepOut', 1e-6);
    expect(mayGo('keepOut', q, [0.3, 0, 0, 0, 0, 0])).toBe(true);
    expect(mayGo('keepOut', q, [0.3, -1e-4, 0, 0, 0, 0])).toBe(false);
  });

  it('proves nothing where something is not finite', () => {
    expect(mayGo('pair', [0, 1, 0, 0, 0, 0], [Number.NaN, 0, 0, 0, 0, 0])).toBe(false);
    expect(mayGo('keepOut', [0, 1, 0, 0, 0, 0], [0, Number.POSITIVE_INFINITY, 0, 0, 0, 0])).toBe(false);
  });
});
