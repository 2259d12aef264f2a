import { describe, expect, it } from 'vitest';
import { ur5eLike as arm6 } from '../../tests/support/robot-models.ts';
import { BUS, type Decider, type SafetyStateName } from '../rows/index.ts';
import { DRIVER_LOST, SERVO_FAULT, TORQUE_RESIDUAL } from '../safety/fault-table/flags.ts';
import { createGuardFrame } from './link/frames.ts';
import { type MotionEntry, MotionLog } from './motion-log.ts';

function watch() {
  const entries: MotionEntry[] = [];
  const log = new MotionLog(
    arm6.joints.slice(0, 2),
    (entry) => entries.push(entry),
    () => ({ programs: 9, cores: 2 }),
  );
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
  it('keeps how late ticks and answers were, and what the machine had to do, beside what these may have caused', () => {
    const { entries, see, frame } = watch();
    frame.tickLateS = 0.0172;
    see('disconnected', 'hold', -1, 0);
    // The largest lateness is that of a tick before the change.
    Object.assign(frame, { faultFlags: DRIVER_LOST, tickLateS: 0, overruns: 2, lostReadings: 3 });
    see('stopping', 'hold', -1, 0);
    expect(entries[0]!.timing).toEqual({
      tickLateMs: 17.2,
      overruns: 2,
      lateReadings: 0,
      lostReadings: 3,
      busyMs: null,
      timeouts: null,
      programs: 9,
      cores: 2,
    });
    frame.busCounters.fill(0);
    Object.assign(frame.busCounters, { [BUS.busyS]: 0.0121, [BUS.timeouts]: 18 });
    see('fault', 'hold', -1, 0);
    expect(entries.at(-1)!.timing).toMatchObject({ tickLateMs: 17.2, busyMs: 12.1, timeouts: 18 });
    frame.faultFlags = SERVO_FAULT;
    see('standby', 'hold', -1, 0);
    expect(entries.at(-1)).toMatchObject({ why: expect.any(String) });
    expect(entries.at(-1)).not.toHaveProperty('timing');
  });

  it.each([
    ['with a fault soon after it held the arm', 5, 40],
    ['no more once it is seconds old', 250, 0],
  ])('keeps the lateness of a tick %s', (_, ticks, tickLateMs) => {
    const { entries, see, frame } = watch();
    see('active.policy', 'policy', 4, 0.01);
    frame.tickLateS = 0.04;
    see('active.policy', 'hold', -1, 0.005);
    frame.tickLateS = 0;
    for (let tick = 0; tick < ticks; tick++) see('active.policy', 'hold', -1, 0);
    frame.faultFlags = DRIVER_LOST;
    see('stopping', 'hold', -1, 0);
    expect(entries.at(-1)!.timing).toMatchObject({ tickLateMs });
  });

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
    expect(entries[0]).not.toHaveProperty('rows');
    expect(entries[1]!.rows).toEqual([54]);
    expect(entries[1]!.why).toMatch(/^A force or load acts on the arm.* \(.*: 31\.3 N·m\)\.$/);
  });
});
