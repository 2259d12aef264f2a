import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffBase, oddArm3 } from '../../tests/support/robot-models.ts';
import { times } from '../../tests/support/times.ts';
import { ArmKinematics, type RobotModel } from '../model/index.ts';
import { Clearances } from './avoidance/clearances.ts';
import { Recovery } from './recovery.ts';

const DT_S = 0.02;
const TURN = oddArm3.joints[0]!;

/** Returns what remains of the wanted `velocity` (n, rad/s) from `fromRad` (n). */
function leftOf(velocity: readonly number[], fromRad: readonly number[], model: RobotModel = oddArm3): number[] {
  const out = Float64Array.from(velocity);
  new Recovery(model).apply(out, Float64Array.from(fromRad), roomAt(fromRad, model), times(DT_S));
  return [...out];
}

function roomAt(jointsRad: readonly number[], model: RobotModel = oddArm3): Float64Array {
  const clearances = new Clearances(model);
  const pose = new ArmKinematics(model);
  pose.forward(jointsRad);
  clearances.measure(pose);
  return clearances.h.slice();
}

/** An arm without workspace limits, so that only the joints count. */
const roomy: RobotModel = { ...oddArm3, workspace: { minM: [-9, -9, -9], maxM: [9, 9, 9] } };

describe('an arm outside its joint limits', () => {
  const outside = [TURN.positionMaxRad + 0.1, 0, -0.3];

  it('comes back at a tenth of a radian a second at most, in the direction that is wanted', () => {
    expect(leftOf([-2, 1, 0.5], outside, roomy)).toEqual([-0.1, 0.05, 0.025].map((u) => expect.closeTo(u, 12)));
  });

  it('is as slow as it is wanted to be', () => {
    expect(leftOf([-0.04, 0, 0.02], outside, roomy)).toEqual([-0.04, 0, 0.02].map((u) => expect.closeTo(u, 12)));
  });

  it('has no joint go faster than it may', () => {
    const joints = roomy.joints.map((joint, i) => (i === 1 ? { ...joint, velocityMaxRadPerS: 0.02 } : joint));
    const [turn, lift] = leftOf([-0.5, 0.5, 0], outside, { ...roomy, joints });
    expect(lift).toBeCloseTo(0.02, 12);
    expect(turn).toBeCloseTo(-0.02, 12);
  });

  it('goes no farther out, on either side', () => {
    expect(leftOf([1, 0, 0], outside, roomy)).toEqual([0, 0, 0]);
    expect(leftOf([-1, 0, 0], [TURN.positionMinRad - 0.1, 0, -0.3], roomy)).toEqual([0, 0, 0]);
  });

  it('gets no other joint out', () => {
    const bend = oddArm3.joints[2]!;
    const nearly = [outside[0]!, 0, bend.positionMaxRad - 0.0005];
    expect(leftOf([0, 0, 1], nearly, roomy)).toEqual([0, 0, expect.closeTo(0.0005 / DT_S, 9)]);
  });
});

describe('a tool outside its walls', () => {
  // The wall is moved to 5 cm above the tool at home.
  const tipM = new ArmKinematics(oddArm3).tcpPositionM;
  const { minM, maxM } = oddArm3.workspace;
  const model: RobotModel = { ...oddArm3, workspace: { minM: [minM[0], minM[1], tipM[2]! + 0.05], maxM } };
  const home = oddArm3.homeRad;
  const up = leftOf([0, -0.1, 0], home, model);

  it('may be brought back, and not farther out', () => {
    expect(up).toEqual([0, expect.closeTo(-0.1, 12), 0]);
    expect(leftOf([0, 0.1, 0], home, model)).toEqual([0, 0, 0]);
  });

  it('stands where nobody knows what room there is', () => {
    const velocity = Float64Array.from(up);
    const room = roomAt(home, model).fill(Number.NaN);
    new Recovery(model).apply(velocity, Float64Array.from(home), room, times(DT_S));
    expect([...velocity]).toEqual([0, 0, 0]);
  });
});

describe('a mobile base', () => {
  it('stands', () => {
    expect(leftOf([0.05, -0.02], [0, 0], diffBase)).toEqual([0, 0]);
  });
});

describe('from any pose, whatever is wanted,', () => {
  const joint = fc.double({ min: -2, max: 2, noNaN: true });
  const speed = fc.double({ min: -5, max: 5, noNaN: true });
  const three = (value: fc.Arbitrary<number>) => fc.tuple(value, value, value);

  it('nothing that is outside gets farther out, and nothing that is inside gets out', () => {
    let moved = 0;
    fc.assert(
      fc.property(three(joint), three(speed), (from, wanted) => {
        const left = leftOf(wanted, from);
        const to = from.map((q, i) => q + left[i]! * DT_S);
        if (left.some((u) => u !== 0)) moved++;
        for (const [i, { positionMinRad, positionMaxRad }] of oddArm3.joints.entries()) {
          expect(Math.abs(left[i]!)).toBeLessThanOrEqual(0.1 + 1e-9);
          expect(to[i]).toBeGreaterThanOrEqual(Math.min(from[i]!, positionMinRad) - 1e-12);
          expect(to[i]).toBeLessThanOrEqual(Math.max(from[i]!, positionMaxRad) + 1e-12);
        }
        const before = roomAt(from);
        for (const [r, h] of roomAt(to).entries()) expect(h).toBeGreaterThanOrEqual(Math.min(before[r]!, 0) - 1e-9);
      }),
      { numRuns: 500 },
    );
    // Not by always standing still.
    expect(moved).toBeGreaterThan(50);
  });
});
