import { expect, expectTypeOf, it } from 'vitest';
import { diffBase } from '../../../tests/support/robot-models.ts';
import { createRobotState, LockStepClock } from '../../core/index.ts';
import { type Driver, MockDriver } from '../../drivers/index.ts';
import { GuardPulse } from './guard-pulse.ts';
import { WatchedDriver } from './watched-driver.ts';

it('has all that a driver may have', () => {
  expectTypeOf<Exclude<keyof Driver, keyof WatchedDriver>>().toBeNever();
});

it('sees the emergency stop of a robot whose bus is watched', async () => {
  const robot = new MockDriver(diffBase);
  const watched = new WatchedDriver(robot, new GuardPulse(new LockStepClock(1 / diffBase.controlHz)));
  await watched.open();
  const state = createRobotState(diffBase.joints.length, 0);
  robot.inject('emergencyStop', 1);
  watched.read(state);
  expect(watched.isEmergencyStopPressed).toBe(true);
  watched.read(state);
  expect(watched.isEmergencyStopPressed).toBe(false);
});

it('says to what its driver limits torques', () => {
  const robot = Object.assign(new MockDriver(diffBase), { torqueCapNm: [1, 2] });
  const watched = new WatchedDriver(robot, new GuardPulse(new LockStepClock(1)));
  expect(watched.torqueCapNm).toEqual([1, 2]);
});
