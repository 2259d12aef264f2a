import { expect, it } from 'vitest';
import { oddArm3 } from '../../../tests/support/robot-models.ts';
import { times } from '../../../tests/support/times.ts';
import { ArmKinematics, type RobotModel } from '../../model/index.ts';
import { askedRad } from '../watch/following.ts';
import { PRESS_SHARE, PressLimit } from './press-limit.ts';

const PERIOD_S = 1 / oddArm3.controlHz;
/** An arm whose servos hold its weight, with joints that hardly move the tool. */
const model: RobotModel = {
  ...oddArm3,
  gravityCompensated: false,
  joints: oddArm3.joints.map((joint) => ({ ...joint, originXyzM: [0, 0, 0] as const })),
  tool: { originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0] },
};
const ASKED_RAD = askedRad(model.joints[0]!);
/** Share of `askedRad` that the torque limit leaves to a reference: too little for row 14 to decide. */
const ROOM = 0.8;

/**
 * Simulates a first joint with a constant reading, commanded further until `untilS`. Returns its reference after each tick,
 * rad from its position.
 */
function stands(forS: number, untilS = forS): number[] {
  const capNm = model.joints.map((joint) => (ROOM * askedRad(joint) * joint.stiffnessNmPerRad) / PRESS_SHARE);
  const limit = PressLimit.of(model, capNm)!;
  const kinematics = new ArmKinematics(model);
  const referenceRad = Float64Array.from(model.homeRad);
  return Array.from({ length: Math.round(forS / PERIOD_S) }, (_, tick) => {
    const isAsked = tick * PERIOD_S < untilS;
    const now = times(PERIOD_S, tick * PERIOD_S);
    limit.see(model.homeRad, now);
    kinematics.forward(referenceRad);
    const velocity = Float64Array.of(isAsked ? 0.3 : 0, 0, 0);
    limit.apply(velocity, [isAsked ? 0.1 : 0, 0, 0], referenceRad, kinematics, now);
    referenceRad[0] = referenceRad[0]! + velocity[0]! * PERIOD_S;
    return referenceRad[0]! - model.homeRad[0]!;
  });
}

it('doubts a joint that stands while it is asked on from 0.5 to 1.2 s, and begins anew where nothing stops it', () => {
  const ways = stands(6);
  const turns = ways.flatMap((rad, tick) => (rad < 0 && ways[tick - 1]! >= 0 ? [tick * PERIOD_S] : []));
  expect(turns.length).toBeGreaterThanOrEqual(4);
  expect(turns[0]).toBeGreaterThan(0.5);
  expect(turns[0]).toBeLessThan(0.8);
  for (const [k, turnS] of turns.entries()) if (k > 0) expect(turnS - turns[k - 1]!).toBeCloseTo(1.24, 1);
  // It retreats far enough for row 14 to decide, beyond the reading, and no farther.
  expect(Math.min(...ways)).toBeCloseTo(-1.2 * ASKED_RAD, 6);
  expect(Math.max(...ways)).toBeCloseTo(ROOM * ASKED_RAD, 6);
});

it('moves nothing once nothing is asked for, in the middle of a doubt too', () => {
  const untilS = 0.6;
  const after = stands(3, untilS).slice(Math.round(untilS / PERIOD_S));
  expect(after[0]).toBeLessThan(ROOM * ASKED_RAD);
  expect(new Set(after).size).toBe(1);
});
