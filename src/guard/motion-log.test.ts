import { describe, expect, it } from 'vitest';
import { ur5eLike as arm6 } from '../../tests/support/robot-models.ts';
import type { Decider, SafetyStateName } from '../core/index.ts';
import { TORQUE_RESIDUAL } from '../safety/fault-table/flags.ts';
import { createGuardFrame } from './link/frames.ts';
import { type MotionEntry, MotionLog } from './motion-log.ts';

function watch() {
  const entries: MotionEntry[] = [];
  const log = new MotionLog(arm6.joints.slice(0, 2), (entry) => entries.push(entry));
  const frame = createGuardFrame(2, 0, 1);
  const see = (state: SafetyStateName, decider: Decider, commandSeq: number, pathRad: number): void => {
    frame.tick++;
    frame.robot.measuredAtS = frame.tick / 100;
    Object.assign(frame, { state, decider, commandSeq });
    frame.referenceRad[1]! += pathRad;
    log.see(frame);
  };
  return { entries, see, frame };
}

describe('the log of motion', () => {
  it('says how long after the last command the arm was braked, and how long that took', () => {
    const { entries, see } = watch();
    for (let tick = 0; tick < 10; tick++) see('active.policy', 'policy', 4, 0.01);
    for (let tick = 0; tick < 15; tick++) see('active.policy', 'policy', 5, 0.01);
    for (let tick = 0; tick < 3; tick++) see('active.policy', 'hold', -1, 0.005);
    for (let tick = 0; tick < 3; tick++) see('active.policy', 'hold', -1, 0);
    see('stopping', 'hold', -1, 0);
    expect(entries.map(({ event, state, decider }) => `${event} ${state} ${decider}`)).toEqual([
      'changed active.policy policy',
      'changed active.policy hold',
      'stands active.policy hold',
      'changed stopping hold',
    ]);
    expect(entries[1]!.sinceS).toBeCloseTo(0.15);
    expect(entries[2]!.sinceS).toBeCloseTo(0.03);
  });

  it('does not count a pause of a policy that asks for nothing as braking', () => {
    const { entries, see } = watch();
    for (let tick = 0; tick < 10; tick++) see('active.policy', 'policy', 4, 0);
    see('active.policy', 'policy', 5, 0.01);
    expect(entries).toHaveLength(1);
  });

  it('says what was wrong when it was stopped, with the joint and its torque', () => {
    const { entries, see, frame } = watch();
    see('active.policy', 'policy', 4, 0.01);
    Object.assign(frame, { faultFlags: TORQUE_RESIDUAL, residualJoint: 1, residualNm: 31.26 });
    see('stopping', 'hold', -1, 0.01);
    expect(entries[0]).not.toHaveProperty('why');
    expect(entries[1]!.why).toMatch(/^Something pushes the arm.* \(.*: 31\.3 N·m\)\.$/);
  });
});
