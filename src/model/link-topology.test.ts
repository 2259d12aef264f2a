import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardedArm } from '../../tests/support/guarded-robots.ts';
import { oddArm3 } from '../../tests/support/robot-models.ts';
import { ArmKinematics } from './kinematics.ts';
import { LinkTopology } from './link-topology.ts';

const topology = new LinkTopology(guardedArm);
const names = guardedArm.joints.map((joint) => joint.name);
const at = (name: string): number => names.indexOf(name);

describe('the tree of links', () => {
  it('takes the joint before for a parent where none is named', () => {
    expect([...new LinkTopology(oddArm3).parents]).toEqual([-1, 0, 1]);
    expect([...topology.parents]).toEqual([-1, 0, 1, 2, 3, 0]);
  });

  it('knows which joints move a link: those on its way to the base', () => {
    const moving = (link: string): string[] => names.filter((_, i) => topology.moves(i, at(link)));
    expect(moving('mast')).toEqual(['rail', 'mast']);
    expect(moving('reach')).toEqual(['rail', 'turn', 'lift', 'bend', 'reach']);
    expect(names.some((_, i) => topology.moves(i, -1))).toBe(false);
    expect(names.filter((_, i) => topology.slides(i))).toEqual(['rail', 'reach']);
  });

  it('finds links by name, and the tool on the last or on the one that is named', () => {
    expect(topology.link('base')).toBe(-1);
    expect(topology.toolLink).toBe(at('reach'));
    expect(new LinkTopology(oddArm3).toolLink).toBe(2);
    expect(() => topology.link('leg')).toThrow('no joint is called leg; there are rail, turn');
  });

  it('refuses a parent that comes later or is not there, and a tool without a link', () => {
    const [first, ...others] = oddArm3.joints;
    const build = (parent: string) => () =>
      new LinkTopology({ ...oddArm3, joints: [{ ...first!, parent }, ...others] });
    expect(build('bend')).toThrow('the parent of turn, bend, must come before it');
    expect(build('turn')).toThrow(RangeError);
    expect(build('nobody')).toThrow('no joint is called nobody');
    expect(() => new LinkTopology({ ...oddArm3, tool: { ...oddArm3.tool, link: 'hand' } })).toThrow('hand');
    expect([...new LinkTopology({ ...oddArm3, joints: [first!, { ...others[0]!, parent: 'base' }] }).parents]).toEqual([
      -1, -1,
    ]);
  });

  it('bounds how far a point can move with each joint, in every pose', () => {
    const arm = new ArmKinematics(guardedArm);
    const before = new Float64Array(3);
    const after = new Float64Array(3);
    const joints = fc.tuple(
      ...guardedArm.joints.map((j) => fc.double({ min: j.positionMinRad, max: j.positionMaxRad, noNaN: true })),
    );
    const near = fc.double({ min: -0.2, max: 0.2, noNaN: true });
    fc.assert(
      fc.property(joints, joints, fc.tuple(near, near, near), fc.nat(names.length - 1), (q, p, point, link) => {
        const reach = topology.reach(link, point);
        for (let i = 0; i < names.length; i++) {
          const moved = q.map((x, k) => (k === i ? p[i]! : x));
          arm.forward(q);
          arm.pointOf(before, link, point);
          arm.forward(moved);
          arm.pointOf(after, link, point);
          const distanceM = Math.hypot(after[0]! - before[0]!, after[1]! - before[1]!, after[2]! - before[2]!);
          expect(distanceM).toBeLessThanOrEqual(reach[i]! * Math.abs(p[i]! - q[i]!) + 1e-12);
        }
      }),
    );
  });
});
