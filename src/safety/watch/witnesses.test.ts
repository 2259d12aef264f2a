import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tried } from '../../../tests/support/cases.ts';
import { fencedBases, guardedArm } from '../../../tests/support/guarded-robots.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { Clearances } from '../avoidance/clearances.ts';
import { BROKEN_COLLISION, BROKEN_NOT_FINITE, BROKEN_WORKSPACE, LimitMonitor } from './limit-monitor.ts';

const T = 0.02;

/** Returns the position bits of a reference that stands at `q`; it came from `from`, which affects speeds only. */
function at(model: RobotModel, q: ArrayLike<number>, from: ArrayLike<number> = model.homeRad): number {
  const monitor = new LimitMonitor(model);
  monitor.restart(from);
  return monitor.check(q, T) & (BROKEN_COLLISION | BROKEN_WORKSPACE | BROKEN_NOT_FINITE);
}

describe('the limit monitor of an arm among obstacles', () => {
  it('sees a collision, and a point outside, exactly where the clearances say so', () => {
    const arm = new ArmKinematics(guardedArm);
    const clearances = new Clearances(guardedArm);
    const { rows } = clearances;
    const anyJoints = fc.tuple(
      ...guardedArm.joints.map((j) => fc.double({ min: j.positionMinRad, max: j.positionMaxRad, noNaN: true })),
    );
    let collisions = 0;
    fc.assert(
      fc.property(anyJoints, (q) => {
        arm.forward(q);
        clearances.measure(arm);
        const least = (isWall: boolean): number =>
          Math.min(...clearances.h.filter((_, r) => (rows[r]!.kind === 'wall') === isWall));
        fc.pre(Math.abs(least(true)) > 1e-8 && Math.abs(least(false)) > 1e-8);
        const broken = at(guardedArm, q);
        expect((broken & BROKEN_COLLISION) !== 0).toBe(least(false) < 0);
        expect((broken & BROKEN_WORKSPACE) !== 0).toBe(least(true) < 0);
        if (least(false) < 0) collisions++;
      }),
      { numRuns: 800 },
    );
    expect(collisions).toBeGreaterThan(tried(20));
  });

  it('lets an arm that starts inside the clearance leave, and not go nearer', () => {
    const { capsules, keepOut } = guardedArm.collision!;
    const model = { ...guardedArm, collision: { capsules, keepOut: keepOut!, pairs: [], clearanceM: 0.35 } };
    const monitor = new LimitMonitor(model);
    const home = guardedArm.homeRad;
    monitor.restart(home);
    expect(monitor.check(home, T) & BROKEN_COLLISION).toBe(0);
    const lower = [...home];
    lower[2] = home[2]! + 0.01;
    expect(monitor.check(lower, T) & BROKEN_COLLISION).toBe(BROKEN_COLLISION);
    const higher = [...home];
    higher[2] = home[2]! - 0.01;
    expect(monitor.check(higher, T) & BROKEN_COLLISION).toBe(0);
  });

  it('takes what is not finite for broken, and a point by its own box', () => {
    const q = [...guardedArm.homeRad];
    q[1] = Number.NaN;
    expect(at(guardedArm, q)).toBe(BROKEN_NOT_FINITE | BROKEN_COLLISION | BROKEN_WORKSPACE);
    const box = { minM: [0, 0, 0], maxM: [0.1, 0.1, 0.1] } as const;
    const [elbow] = guardedArm.points!;
    expect(at({ ...guardedArm, points: [{ ...elbow!, workspace: box }] }, guardedArm.homeRad)).toBe(BROKEN_WORKSPACE);
  });

  it('knows which capsules a box is for, and nothing of those on a base that drives', () => {
    const [pedestal] = guardedArm.collision!.capsules;
    const around = { name: 'around', minM: [-1, -1, -1], maxM: [1, 1, 1] } as const;
    const only = { capsules: [pedestal!], pairs: [], clearanceM: 0 };
    expect(at({ ...guardedArm, collision: { ...only, keepOut: [around] } }, guardedArm.homeRad)).toBe(0);
    const named = { ...only, keepOut: [{ ...around, capsules: ['pedestal'] }] };
    const monitor = new LimitMonitor({ ...guardedArm, collision: named });
    // Without a restart no violation is excused.
    expect(monitor.check(guardedArm.homeRad, T) & BROKEN_COLLISION).toBe(BROKEN_COLLISION);
    const base = { ...fencedBases[0]!, collision: { ...only, pairs: [['pedestal', 'pedestal']] as const } };
    expect(at(base, [0, 0])).toBe(0);
  });
});

describe.each(fencedBases)('the limit monitor of $name', (model) => {
  const n = model.joints.length;
  const axes = (x: number): number[] => [x, ...new Array(n - 1).fill(0)];

  it('sees the reference outside its fence, and follows the measurement from seed to seed', () => {
    const monitor = new LimitMonitor(model);
    const outside = (x: number, measured?: number[]): boolean =>
      (monitor.check(axes(x), T, measured) & BROKEN_WORKSPACE) !== 0;
    monitor.restart(axes(7));
    expect(outside(7 + 1.1999)).toBe(false);
    expect(outside(7 + 1.2001)).toBe(true);
    expect(outside(7)).toBe(false);
    // Measured half a metre behind: from there it has more room.
    expect(outside(8, axes(7.5))).toBe(false);
    monitor.restart(axes(7.5));
    expect(outside(7.5 + 0.6999)).toBe(false);
    expect(outside(7.5 + 0.7001)).toBe(true);
    expect(outside(Number.NaN)).toBe(false);
    monitor.restart(axes(7.5));
    monitor.restart(axes(7.5));
    expect(outside(7.5)).toBe(false);
  });
});
