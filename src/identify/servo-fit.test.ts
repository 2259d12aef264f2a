import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { createGuardFrame } from '../guard/link/frames.ts';
import type { RobotModel } from '../model/index.ts';
import { MotionRecord } from './motion-record.ts';
import { fitServos } from './servo-fit.ts';

const HZ = 50;
const STEPS = 200;
const COUNT_RAD = 0.00154;
const K = 18;
const D = 0.9;
const INERTIA = 0.03;
const TURNS_HZ = [0.07, 0.3, 0.8, 1.8];

const servo = {
  ...ur5eLike.joints[0]!,
  torqueMaxNm: 3,
  stiffnessNmPerRad: K,
  dampingNmSPerRad: D,
};
const model: RobotModel = { ...ur5eLike, controlHz: HZ, joints: [servo] };

/** A servo that turns a flywheel through sines, read by an encoder with such large counts. */
function recordOf({ countRad, seconds, leads }: { countRad: number; seconds: number; leads: boolean }): MotionRecord {
  const record = new MotionRecord(model);
  const frame = createGuardFrame(1, 0, 1);
  const referenceAt = (s: number): number =>
    TURNS_HZ.reduce((sum, hz, k) => sum + (0.1 / hz ** 0.5) * Math.sin(2 * Math.PI * hz * s + k), 0);
  const dtS = 1 / HZ / STEPS;
  let [q, v] = [referenceAt(0), 0];
  for (let tick = 0; tick < seconds * HZ; tick++) {
    // The reference of the frame before is in force in this period.
    const r = referenceAt((tick - 1) / HZ);
    const speed = leads ? (r - referenceAt((tick - 2) / HZ)) * HZ : 0;
    let torqueNm = 0;
    for (let step = 0; step < STEPS; step++) {
      const now = K * (r - q) + D * (speed - v);
      torqueNm += now / STEPS;
      v += (now / INERTIA) * dtS;
      q += v * dtS;
    }
    frame.tick = tick;
    frame.stampS = tick / HZ;
    frame.referenceRad[0] = referenceAt(tick / HZ);
    frame.robot.positionRad[0] = countRad === 0 ? q : Math.round(q / countRad) * countRad;
    frame.robot.velocityRadPerS[0] = v;
    frame.robot.torqueNm[0] = torqueNm;
    record.add(frame);
  }
  return record;
}

describe('the fit of a servo', () => {
  it.each([true, false])('finds what it is by exact readings, and whether it leads: %s', (leads) => {
    const fit = fitServos(model, recordOf({ countRad: 0, seconds: 12, leads }));
    expect(fit.velocityFeedForward).toBe(leads);
    expect(fit.delayTicks).toBe(0);
    expect(fit.stiffness[0]!.value / K).toBeCloseTo(1, 2);
    expect(fit.damping[0]!.value / D).toBeCloseTo(1, 1);
  });

  it('finds no less by counts of 12 bits', () => {
    const exact = fitServos(model, recordOf({ countRad: 0, seconds: 60, leads: false }));
    const coarse = fitServos(model, recordOf({ countRad: COUNT_RAD, seconds: 60, leads: false }));
    expect(coarse).toMatchObject({ velocityFeedForward: false, delayTicks: 0 });
    for (const key of ['stiffness', 'damping'] as const)
      expect(Math.abs(coarse[key][0]!.value / exact[key][0]!.value - 1)).toBeLessThan(0.08);
  });
});
