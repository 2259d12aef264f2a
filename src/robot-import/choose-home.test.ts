import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { ArmKinematics, type RobotModel } from '../model/index.ts';
import { chooseHome } from './choose-home.ts';

const STRAIGHT = ur5eLike.joints.map(() => 0);
const arm: RobotModel = { ...ur5eLike, homeRad: STRAIGHT, collision: undefined };

describe('the home of an arm of which nobody gave one', () => {
  it('is bent: the tool goes and turns every way, which it cannot from a straight arm', () => {
    expect(gain(STRAIGHT)).toBeLessThan(0.01);
    expect(gain(chooseHome(arm, STRAIGHT, [], 0.01))).toBeGreaterThan(0.05);
  });

  it('is the same for the same arm, in steps that people read, with the base as it was', () => {
    const home = chooseHome(arm, STRAIGHT, [], 0.01);
    expect(chooseHome(arm, STRAIGHT, [], 0.01)).toEqual(home);
    expect(home[0]).toBe(0);
    for (const at of home) expect(at / 0.05).toBeCloseTo(Math.round(at / 0.05), 6);
  });

  it('has no link below the plane that the base stands on', () => {
    const capsules = [
      { name: 'fore', link: ur5eLike.joints[2]!.name, fromM: [0, 0, 0], toM: [-0.39, 0, 0], radiusM: 0.05 },
    ] as const;
    const kinematics = new ArmKinematics(arm);
    kinematics.forward(chooseHome(arm, STRAIGHT, capsules, 0.01));
    const end = new Float64Array(3);
    for (const at of [capsules[0].fromM, capsules[0].toM]) {
      kinematics.pointOf(end, 2, at);
      expect(end[2]).toBeGreaterThanOrEqual(0.05);
    }
  });
});

/** √det(J·Jᵀ): 0 if the tool cannot move or turn in some direction. */
function gain(jointsRad: readonly number[]): number {
  const kinematics = new ArmKinematics(arm);
  kinematics.forward(jointsRad);
  const jacobian = kinematics.jacobian();
  return Math.abs(determinant(Array.from({ length: 6 }, (_, r) => [...jacobian.slice(6 * r, 6 * r + 6)])));
}

function determinant(rows: number[][]): number {
  if (rows.length === 1) return rows[0]![0]!;
  return rows[0]!.reduce((sum, value, k) => {
    const minor = rows.slice(1).map((row) => row.filter((_, i) => i !== k));
    return sum + (k % 2 === 0 ? 1 : -1) * value * determinant(minor);
  }, 0);
}
