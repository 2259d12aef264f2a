import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardedArm } from '../../tests/support/guarded-robots.ts';
import { diffBase, oddArm3, ur5eLike } from '../../tests/support/robot-models.ts';
import { ArmKinematics } from './kinematics.ts';
import type { RobotModel } from './robot-model.ts';
import { matrixFromQuaternion, rotationError } from './rotation.ts';

const bare: RobotModel = { ...ur5eLike, tool: { originXyzM: [0, 0, 0.0996], originRpyRad: [0, 0, 0] } };

function anyJoints(model: RobotModel): fc.Arbitrary<number[]> {
  return fc.tuple(...model.joints.map((j) => fc.double({ min: j.positionMinRad, max: j.positionMaxRad, noNaN: true })));
}

describe('forward kinematics', () => {
  it('puts the flange of a UR5e at its published zero pose', () => {
    const arm = new ArmKinematics(bare);
    arm.forward([0, 0, 0, 0, 0, 0]);
    // From the DH table: (a2 + a3, −(d4 + d6), d1 − d5).
    expect([...arm.tcpPositionM]).toEqual([
      expect.closeTo(-0.425 - 0.3922, 12),
      expect.closeTo(-0.1333 - 0.0996, 12),
      expect.closeTo(0.1625 - 0.0997, 12),
    ]);
  });

  it('points the tool down at the home pose', () => {
    const arm = new ArmKinematics(ur5eLike);
    expect(arm.tcpRotation[8]).toBeCloseTo(-1, 6);
  });

  it('gives a quaternion that turns back into the same rotation', () => {
    const arm = new ArmKinematics(ur5eLike);
    const back = new Float64Array(9);
    fc.assert(
      fc.property(anyJoints(ur5eLike), (q) => {
        arm.forward(q);
        matrixFromQuaternion(back, arm.tcpQuaternion);
        for (let i = 0; i < 9; i++) expect(back[i]).toBeCloseTo(arm.tcpRotation[i]!, 12);
      }),
    );
  });

  it('never puts the tool farther from a joint than its reach', () => {
    const arm = new ArmKinematics(oddArm3);
    fc.assert(
      fc.property(anyJoints(oddArm3), (q) => {
        arm.forward(q);
        const p = arm.tcpPositionM;
        expect(Math.hypot(p[0]!, p[1]!, p[2]! - 0.2)).toBeLessThanOrEqual(arm.reachM[0]!);
      }),
    );
  });

  it('refuses an axis that is not a unit vector and an arm without joints', () => {
    const bent = { ...oddArm3, joints: [{ ...oddArm3.joints[0]!, axis: [0, 0, 2] as const }] };
    expect(() => new ArmKinematics(bent)).toThrow(RangeError);
    expect(() => new ArmKinematics({ ...oddArm3, joints: [] })).toThrow(RangeError);
  });
});

describe.each([ur5eLike, oddArm3, guardedArm])('the Jacobian of $name', (model) => {
  it('is the derivative of the tool pose', () => {
    const arm = new ArmKinematics(model);
    const moved = new ArmKinematics(model);
    const n = arm.joints;
    const turn = new Float64Array(3);
    const h = 1e-6;
    fc.assert(
      fc.property(anyJoints(model), (q) => {
        arm.forward(q);
        const jacobian = arm.jacobian();
        for (let i = 0; i < n; i++) {
          moved.forward(q.map((angle, k) => (k === i ? angle + h : angle)));
          rotationError(turn, moved.tcpRotation, arm.tcpRotation);
          for (let k = 0; k < 3; k++) {
            expect((moved.tcpPositionM[k]! - arm.tcpPositionM[k]!) / h).toBeCloseTo(jacobian[k * n + i]!, 4);
            expect(turn[k]! / h).toBeCloseTo(jacobian[(3 + k) * n + i]!, 4);
          }
        }
      }),
    );
  });
});

describe('an arm that branches and slides', () => {
  const arm = new ArmKinematics(guardedArm);
  const point = new Float64Array(3);

  it('carries a branch by its parent, and not by the joint before it', () => {
    const [rail, turn, lift, bend, reach] = [0.2, 1, -0.5, 0.6, 0.1];
    arm.forward([0, 0, 0, 0, 0, 0.7]);
    arm.pointOf(point, 5, [0.1, 0, 0.2]);
    const still = [...point];
    arm.forward([rail, turn, lift, bend, reach, 0.7]);
    arm.pointOf(point, 5, [0.1, 0, 0.2]);
    expect([...point]).toEqual([expect.closeTo(still[0]! + rail, 12), still[1], still[2]]);
  });

  it('slides along its axis without turning, and takes points on the base as they are', () => {
    arm.forward([0, 0.3, 0, 0, 0, 0]);
    const before = [...arm.tcpPositionM];
    const axis = [...arm.axes.subarray(12, 15)];
    const turned = [...arm.tcpRotation];
    arm.forward([0, 0.3, 0, 0, 0.1, 0]);
    for (let k = 0; k < 3; k++) expect(arm.tcpPositionM[k]! - before[k]!).toBeCloseTo(0.1 * axis[k]!, 12);
    expect([...arm.tcpRotation]).toEqual(turned);
    arm.pointOf(point, -1, [1, 2, 3]);
    expect([...point]).toEqual([1, 2, 3]);
  });

  it('gives the tool of a base nowhere to go', () => {
    const base = new ArmKinematics(diffBase);
    base.forward([3, 1]);
    expect([...base.tcpPositionM]).toEqual([0, 0, 0]);
    expect([...base.tcpQuaternion]).toEqual([1, 0, 0, 0]);
  });
});

describe('inverse kinematics', () => {
  it('finds joints for a pose near the start', () => {
    const arm = new ArmKinematics(ur5eLike);
    const pose = new Float64Array(7);
    const out = new Float64Array(6);
    const near = fc.tuple(...ur5eLike.homeRad.map((h) => fc.double({ min: h - 0.25, max: h + 0.25, noNaN: true })));
    fc.assert(
      fc.property(near, (q) => {
        arm.forward(q);
        arm.writeTcp(pose);
        expect(arm.inverse(pose, ur5eLike.homeRad, out)).toBe(true);
        arm.forward(out);
        for (let k = 0; k < 3; k++) expect(arm.tcpPositionM[k]).toBeCloseTo(pose[k]!, 6);
      }),
      { numRuns: 200 },
    );
  });

  it('says no for a pose out of reach, and stays inside the limits', () => {
    const arm = new ArmKinematics(oddArm3);
    const out = new Float64Array(3);
    expect(arm.inverse([5, 0, 0, 1, 0, 0, 0], oddArm3.homeRad, out)).toBe(false);
    oddArm3.joints.forEach((j, i) => {
      expect(out[i]).toBeGreaterThanOrEqual(j.positionMinRad);
      expect(out[i]).toBeLessThanOrEqual(j.positionMaxRad);
    });
  });

  it('serves an arm with a joint to spare', () => {
    const first = ur5eLike.joints[0]!;
    const seven = {
      ...ur5eLike,
      joints: [{ ...first, name: 'extra', axis: [0, 1, 0] as const }, ...ur5eLike.joints],
      homeRad: [0, ...ur5eLike.homeRad],
    };
    const arm = new ArmKinematics(seven);
    const pose = new Float64Array(7);
    arm.forward(seven.homeRad.map((q, i) => q + 0.1 * Math.cos(3 * i)));
    arm.writeTcp(pose);
    expect(arm.inverse(pose, seven.homeRad, new Float64Array(7))).toBe(true);
  });
});
