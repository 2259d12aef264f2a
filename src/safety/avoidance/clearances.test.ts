import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tried } from '../../../tests/support/cases.ts';
import { guardedArm } from '../../../tests/support/guarded-robots.ts';
import { diffBase, ur5eLike } from '../../../tests/support/robot-models.ts';
import { ArmKinematics, type CollisionModel, type RobotModel } from '../../model/index.ts';
import { Clearances } from './clearances.ts';

const n = guardedArm.joints.length;
const anyJoints = fc.tuple(
  ...guardedArm.joints.map((j) => fc.double({ min: j.positionMinRad, max: j.positionMaxRad, noNaN: true })),
);

function withCollision(change: Partial<CollisionModel>): RobotModel {
  return { ...guardedArm, collision: { ...guardedArm.collision!, ...change } };
}

function measured(q: ArrayLike<number>): Float64Array {
  const arm = new ArmKinematics(guardedArm);
  const clearances = new Clearances(guardedArm);
  arm.forward(q);
  clearances.measure(arm);
  return clearances.h.slice();
}

describe('the clearances of an arm', () => {
  it('have a row for each wall and point, keep-out box and capsule, and pair', () => {
    const { rows } = new Clearances(guardedArm);
    const count = (kind: string): number => rows.filter((row) => row.kind === kind).length;
    expect([count('wall'), count('keepOut'), count('pair')]).toEqual([18, 8, 7]);
    expect(rows.map((row) => row.name)).toEqual(
      expect.arrayContaining(['tool: x min', 'camera: z max', 'hand: table', 'lens: post', 'pedestal: lens']),
    );
    expect(new Clearances(diffBase).rows).toEqual([]);
    expect(new Clearances(ur5eLike).rows).toHaveLength(6);
  });

  it('are distances less radii and clearance, as many points of the capsules say', () => {
    const arm = new ArmKinematics(guardedArm);
    const clearances = new Clearances(guardedArm);
    const { capsules, pairs, keepOut, clearanceM } = guardedArm.collision!;
    const ends = (name: string): number[][] => {
      const { link, fromM, toM } = capsules.find((c) => c.name === name)!;
      return Array.from({ length: 41 }, (_, k) => {
        const p = new Float64Array(3);
        arm.pointOf(
          p,
          arm.topology.link(link),
          fromM.map((f, i) => f + ((toM[i]! - f) * k) / 40),
        );
        return [...p];
      });
    };
    const radius = (name: string): number => capsules.find((c) => c.name === name)!.radiusM;
    fc.assert(
      fc.property(anyJoints, (q) => {
        arm.forward(q);
        clearances.measure(arm);
        const row = (name: string): number => clearances.h[clearances.rows.findIndex((each) => each.name === name)]!;
        for (const [a, b] of pairs) {
          const gaps = ends(a).flatMap((p) => ends(b).map((s) => Math.hypot(...p.map((x, k) => x - s[k]!))));
          const sampled = Math.min(...gaps) - radius(a) - radius(b) - clearanceM;
          expect(sampled).toBeGreaterThanOrEqual(row(`${a}: ${b}`) - 1e-12);
          expect(sampled).toBeLessThan(row(`${a}: ${b}`) + 0.01);
        }
        const table = keepOut![0]!;
        const outside = (p: number[]): number =>
          Math.hypot(...p.map((x, k) => Math.max(table.minM[k]! - x, 0, x - table.maxM[k]!)));
        const sampled = Math.min(...ends('hand').map(outside)) - radius('hand') - clearanceM;
        expect(sampled).toBeGreaterThanOrEqual(row('hand: table') - 1e-12);
        expect(sampled).toBeLessThan(row('hand: table') + 0.01);
        expect(row('tool: z min')).toBeCloseTo(arm.tcpPositionM[2]! - guardedArm.workspace.minM[2], 12);
        expect(row('tool: x max')).toBeCloseTo(guardedArm.workspace.maxM[0] - arm.tcpPositionM[0]!, 12);
      }),
      { numRuns: 60 },
    );
  });

  it('have the gradient that differences show, away from kinks', () => {
    const arm = new ArmKinematics(guardedArm);
    const clearances = new Clearances(guardedArm);
    const step = 1e-6;
    let compared = 0;
    fc.assert(
      fc.property(anyJoints, (q) => {
        arm.forward(q);
        clearances.measureGradients(arm);
        const here = measured(q);
        expect(clearances.h).toEqual(here);
        for (let i = 0; i < n; i++) {
          const ahead = measured(q.map((x, k) => (k === i ? x + step : x)));
          const behind = measured(q.map((x, k) => (k === i ? x - step : x)));
          for (let r = 0; r < here.length; r++) {
            const forward = (ahead[r]! - here[r]!) / step;
            const backward = (here[r]! - behind[r]!) / step;
            // At a kink the closest points jump, and the two sides differ.
            if (Math.abs(forward - backward) > 1e-4) continue;
            compared++;
            expect(clearances.gradient[n * r + i]).toBeCloseTo((forward + backward) / 2, 3);
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(tried(60) * n * 25);
  });

  it('never change faster than their slope, between any two poses', () => {
    const clearances = new Clearances(guardedArm);
    fc.assert(
      fc.property(anyJoints, anyJoints, (q, p) => {
        const from = measured(q);
        const to = measured(p);
        for (let r = 0; r < from.length; r++) {
          let most = 1e-12;
          for (let i = 0; i < n; i++) most += clearances.slope[n * r + i]! * Math.abs(p[i]! - q[i]!);
          expect(Math.abs(to[r]! - from[r]!)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('of a pair depend on no joint that moves both or neither', () => {
    const { rows, slope } = new Clearances(guardedArm);
    const moving = (name: string): string[] => {
      const r = rows.findIndex((row) => row.name === name);
      return guardedArm.joints.filter((_, i) => slope[n * r + i]! > 0).map((j) => j.name);
    };
    expect(moving('hand: upper')).toEqual(['bend', 'reach']);
    expect(moving('hand: pole')).toEqual(['turn', 'lift', 'bend', 'reach', 'mast']);
    expect(moving('pedestal: lens')).toEqual(['rail', 'mast']);
    expect(moving('camera: x min')).toEqual(['rail', 'mast']);
  });

  it('of a pair change and bend as much as of the same two the other way round', () => {
    const motion = Float64Array.from(guardedArm.joints, (_, i) => 0.3 + 0.1 * i);
    const [one, other] = [['hand', 'pole'] as const, ['pole', 'hand'] as const].map((pair) => {
      const clearances = new Clearances(withCollision({ ...guardedArm.collision!, pairs: [pair] }));
      clearances.boundMotion(motion);
      const r = clearances.rows.findIndex(({ kind }) => kind === 'pair');
      return [clearances.speed[r]!, clearances.bend[r]!];
    });
    expect(one![0]).toBeCloseTo(other![0]!, 12);
    expect(one![1]).toBeCloseTo(other![1]!, 12);
  });

  it('have no gradient where axes touch', () => {
    const touching = withCollision({
      capsules: [
        { name: 'a', link: 'base', fromM: [-1, 0, 0.25], toM: [1, 0, 0.25], radiusM: 0.1 },
        { name: 'b', link: 'turn', fromM: [0, 0, -0.1], toM: [0, 0, 0.1], radiusM: 0.1 },
      ],
      pairs: [['a', 'b']],
      keepOut: [{ name: 'all', minM: [-1, -1, -1], maxM: [1, 1, 1] }],
    });
    const clearances = new Clearances(touching);
    const arm = new ArmKinematics(touching);
    clearances.measureGradients(arm);
    expect(clearances.h.at(-1)).toBeCloseTo(-0.205, 12);
    expect(clearances.h.at(-2)).toBeCloseTo(-0.105, 12);
    expect([...clearances.gradient.slice(-2 * n)]).toEqual(new Array(2 * n).fill(0));
  });

  it('refuse a description that contradicts itself', () => {
    const build = (model: RobotModel) => () => new Clearances(model);
    const [first] = guardedArm.collision!.capsules;
    expect(build(withCollision({ pairs: [['hand', 'paw']] }))).toThrow(
      /pair names the capsule paw; there are pedestal, upper/,
    );
    expect(build(withCollision({ capsules: [], pairs: [['hand', 'paw']], keepOut: [] }))).toThrow(/there are none/);
    expect(build(withCollision({ pairs: [['hand', 'hand']] }))).toThrow(/on one link/);
    expect(build(withCollision({ pairs: [['pole', 'lens']] }))).toThrow(/on one link/);
    expect(build(withCollision({ capsules: [...guardedArm.collision!.capsules, first!] }))).toThrow(
      /two capsules are called pedestal/,
    );
    expect(build(withCollision({ capsules: [{ ...first!, radiusM: -1 }] }))).toThrow(/radius of pedestal/);
    expect(build(withCollision({ clearanceM: Number.NaN }))).toThrow(/clearanceM/);
    const nowhere = { name: 'nowhere', minM: [0, 0, 1], maxM: [1, 1, 0] } as const;
    expect(build(withCollision({ keepOut: [nowhere] }))).toThrow(/nowhere/);
    expect(build(withCollision({ keepOut: [{ ...nowhere, maxM: [1, 1, 1], capsules: ['x'] }] }))).toThrow(
      /keep-out box nowhere names/,
    );
    expect(
      build(
        withCollision({
          capsules: [{ ...first!, link: 'leg' }],
          pairs: [],
          keepOut: [{ ...nowhere, maxM: [1, 1, 1], capsules: ['pedestal'] }],
        }),
      ),
    ).toThrow(/no joint is called leg/);
    expect(build({ ...guardedArm, points: [{ name: 'p', link: 'leg', positionM: [0, 0, 0] }] })).toThrow(/leg/);
  });
});
