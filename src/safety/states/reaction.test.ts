import { describe, expect, it } from 'vitest';
import { carBase, oddArm3 } from '../../../tests/support/robot-models.ts';
import { describeReaction, reactionBound } from './reaction.ts';

describe('the bound of a reaction', () => {
  it('is the sum of what passes until standstill, with the slowest brake of all joints', () => {
    const { detectionS, tickS, busS, brakeS, totalS } = reactionBound(oddArm3, 0.2);
    expect([detectionS, tickS, busS]).toEqual([0.2, 0.04, 0.005]);
    expect(brakeS).toBeCloseTo(0.9 / 1.5, 12);
    expect(totalS).toBeCloseTo(0.2 + 0.04 + 0.005 + 0.6, 12);
  });

  it('lets each joint go at full speed until it brakes, and half as far while it does', () => {
    const { distance } = reactionBound(oddArm3, 0.2);
    expect(distance).toEqual([1.2, 0.9, 3].map((speed) => expect.closeTo(speed * (0.245 + 0.6 / 2), 12)));
  });

  it('needs no time to be seen where the tick itself sees it', () => {
    expect(reactionBound(oddArm3, 0).totalS).toBeCloseTo(0.645, 12);
  });

  it.each([-0.001, Number.NaN])('is not made for a lease of %d', (leaseS) => {
    expect(() => reactionBound(oddArm3, leaseS)).toThrow(/leaseS/);
    expect(() => describeReaction(oddArm3, leaseS)).toThrow(RangeError);
  });
});

describe('its sentence', () => {
  it('names the joint that goes farthest, in rad', () => {
    expect(describeReaction(oddArm3, 0.202)).toBe(
      'Stands 847 ms after the cause at the latest: 202 ms until it is seen, 40 ms of ticks, 5 ms of bus, 600 ms of braking; bend goes 1.64 rad meanwhile.',
    );
  });

  it('counts what slides in metres', () => {
    const joints = oddArm3.joints.map((joint, i) => (i === 2 ? { ...joint, kind: 'prismatic' as const } : joint));
    expect(describeReaction({ ...oddArm3, joints }, 0.202)).toMatch(/; bend goes 1\.64 m meanwhile\.$/);
  });

  it('says of a base how far it is driven', () => {
    const { totalS, brakeS } = reactionBound(carBase, 0.1);
    const drivenM = 3 * (totalS - brakeS / 2);
    expect(describeReaction(carBase, 0.1)).toContain(`${carBase.joints[0]!.name} goes ${drivenM.toFixed(2)} m driven`);
  });
});
