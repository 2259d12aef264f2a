import { beforeEach, describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { type Driver, type DriverStatus, MockDriver } from '../drivers/index.ts';
import { LockStepClock, type Vec } from '../model/index.ts';
import type { SafetyStateName } from '../rows/index.ts';
import { DRIVER_LOST, START_OUTSIDE } from '../safety/index.ts';
import { createActionCommand, createGuardFrame } from './link/frames.ts';
import { Measurement, MISSED_TICKS } from './measurement.ts';
import { Protection } from './protection.ts';

const joints = ur5eLike.joints.length;
const action = jointSpec(ur5eLike, 0.02);
const WITH_TORQUE: SafetyStateName[] = ['ready', 'active.policy', 'stopping', 'stopped'];

describe('protection', () => {
  let clock: LockStepClock;
  let measurement: Measurement;
  let protection: Protection;
  let sent: Vec<'rad'>[];
  let answer: DriverStatus;

  beforeEach(async () => {
    clock = new LockStepClock(1 / ur5eLike.controlHz);
    sent = [];
    answer = 'ok';
    const mock = new MockDriver(ur5eLike);
    await mock.open();
    const driver: Driver = Object.assign(mock, {
      write: (referenceRad: Vec<'rad'>) => {
        sent.push(referenceRad.slice() as Vec<'rad'>);
        return answer;
      },
    });
    measurement = new Measurement(driver, clock, ur5eLike, createGuardFrame(joints, 0, joints));
    protection = new Protection(driver, mock.facts, ur5eLike, action, 0.1, measurement);
    measure();
  });

  function measure(): void {
    clock.step();
    measurement.read();
    measurement.check();
  }

  it('sends nothing before anybody knows where the robot is, and nothing without torque', () => {
    for (const state of WITH_TORQUE) protection.write(state);
    protection.seed(ur5eLike.homeRad, 'standby');
    for (const state of ['disconnected', 'standby', 'fault'] as const) protection.write(state);
    expect(sent).toEqual([]);
    for (const state of WITH_TORQUE) protection.write(state);
    expect(sent).toHaveLength(WITH_TORQUE.length);
    expect([...sent[0]!]).toEqual([...ur5eLike.homeRad]);
  });

  it('sends the reference that the chain makes of a command', () => {
    protection.seed(measurement.frame.robot.positionRad, 'standby');
    const command = createActionCommand(joints);
    command.decider = 'policy';
    command.action.fill(1);
    command.leaseS = 0.15;
    for (let i = 0; i < 10; i++) {
      command.seq = i;
      command.issuedAtS = clock.nowS();
      protection.protect(command);
      protection.write('active.policy');
      measure();
    }
    expect(protection.isReferenceAtRest).toBe(false);
    expect([...sent.at(-1)!]).toEqual([...protection.chain.sentRad]);
    expect(sent.at(-1)![5]!).toBeGreaterThan(ur5eLike.homeRad[5]!);
  });

  it('counts references that the driver does not take, until one is taken or somebody has seen it', () => {
    protection.seed(ur5eLike.homeRad, 'standby');
    const miss = (): void => {
      answer = 'late';
      for (let i = 0; i < MISSED_TICKS; i++) {
        expect(protection.faults & DRIVER_LOST).toBe(0);
        protection.write('ready');
      }
      expect(protection.faults & DRIVER_LOST).toBe(DRIVER_LOST);
    };
    miss();
    answer = 'ok';
    protection.write('ready');
    miss();
    protection.acknowledge();
    miss();
  });

  it('does not drive a robot that stands outside its limits, but knows where it is', () => {
    const outside = Float64Array.from(ur5eLike.joints, (joint) => joint.positionMaxRad + 0.3);
    protection.seed(outside, 'standby');
    expect([protection.isSent('ready'), protection.isDriven('ready')]).toEqual([true, false]);
    expect(protection.faults).toBe(START_OUTSIDE);
  });

  it('starts anew from where a robot is that was put elsewhere than asked', () => {
    const { positionRad } = measurement.frame.robot;
    protection.place(positionRad, 'ready');
    protection.checkPlace();
    expect(protection.isDriven('ready')).toBe(true);
    const asked = positionRad.slice();
    asked[2] = asked[2]! + 0.05;
    protection.place(asked, 'ready');
    protection.checkPlace();
    expect([protection.isSent('ready'), protection.startFault]).toEqual([false, 0]);
  });
});
