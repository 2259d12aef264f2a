import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import type { ActionSpec } from '../../model/index.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import type { TeleopEvent } from './remote-operator.ts';
import { type TwistMessage, TwistTeleop } from './twist-teleop.ts';

const action: ActionSpec = {
  kind: 'joint',
  dimensions: [
    { name: 'x', scale: 0.1, unit: 'm' },
    { name: 'yaw', scale: 0.2, unit: 'rad' },
  ],
};
/** ROS time is ahead of the machine's clock by this, s. */
const ROS_S = 1.7e9;

let clock: FakeClock;
let twist: TwistTeleop;
let events: TeleopEvent[];
let out: TeleopCommand;

beforeEach(() => {
  clock = new FakeClock();
  clock.advanceMs(1000);
  events = [];
  twist = new TwistTeleop({ action, policyPeriodS: 0.1, clock, onEvent: (event) => events.push(event) });
  out = { active: false, action: new Float32Array(2).fill(7), phase: 'correct' };
});

function message(forwardMPerS: number, turnRadPerS = 0): TwistMessage {
  return { linear: { x: forwardMPerS, y: 0, z: 0 }, angular: { x: 0, y: 0, z: turnRadPerS } };
}

/** One twist that is `ageS` old when it arrives now; a millisecond passes first, so that stamps differ. */
function send(forwardMPerS: number, turnRadPerS = 0, ageS = 0): void {
  clock.advanceMs(1);
  const nowS = clock.nowS();
  twist.onTwist(message(forwardMPerS, turnRadPerS), ROS_S + nowS - ageS, ROS_S + nowS, nowS);
}

function poll(): TeleopCommand {
  twist.poll(new Float32Array(1), 0, out);
  return out;
}

describe('teleoperation by twists', () => {
  it('leaves control to the policy while nobody sends', () => {
    expect(poll()).toMatchObject({ active: false, action: new Float32Array(2) });
  });

  it('takes over with the first twist, and moves after one of zeros', () => {
    send(0.5, 0.5);
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(2) });
    send(0);
    send(0.5, 0.5);
    expect(poll().action[0]).toBeCloseTo(0.5, 6);
    expect(poll().action[1]).toBeCloseTo(0.25, 6);
  });

  it('says once which part of a twist no dimension of the action takes', () => {
    for (let i = 0; i < 3; i++) {
      clock.advanceMs(20);
      const nowS = clock.nowS();
      const asked = { linear: { x: 0, y: 0, z: 0 }, angular: { x: 0.2, y: 0, z: 0.1 } };
      twist.onTwist(asked, ROS_S + nowS, ROS_S + nowS, nowS);
    }
    expect(events.filter(({ message }) => message.includes('asks for'))).toHaveLength(1);
    expect(events[0]?.message).toMatch(/^A twist asks for angular\.x/);
  });

  it('keeps the direction of a twist that asks for too much', () => {
    send(0);
    send(4, 2);
    expect(poll().action[0]).toBeCloseTo(1, 6);
    expect(poll().action[1]).toBeCloseTo(0.25, 6);
    send(1e308, -1e308);
    expect(poll().action.every((value) => Math.abs(value) <= 1)).toBe(true);
  });

  faultRow(18, 'fake', 'a stream that ends in motion stops 100 ms after the last twist, until given back', () => {
    send(0);
    send(0.5);
    clock.advanceMs(99);
    expect(poll().action[0]).toBeCloseTo(0.5, 6);
    clock.advanceMs(2);
    twist.watch();
    expect(twist.isStopRequested).toBe(true);
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(2) });
    expect(events.map(({ row }) => row)).toEqual([18]);
    send(0);
    send(0.5);
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(2) });
    twist.giveBack();
    expect(poll().active).toBe(false);
  });

  it('a stream that ends with zeros leaves the robot holding, in control, without a stop', () => {
    send(0);
    send(0.5);
    send(0);
    clock.advanceMs(10_000);
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(2) });
    expect(twist.isStopRequested).toBe(false);
    expect(events).toEqual([]);
  });

  faultRow(19, 'fake', 'executes nothing that is older than the lease when it arrives, and says so once', () => {
    send(0);
    for (let i = 0; i < 50; i++) send(0.5, 0, 0.101);
    expect(poll().action[0]).toBe(0);
    expect(twist.counters).toEqual({ taken: 1, stale: 50, malformed: 0 });
    expect(events.map(({ row }) => row)).toEqual([19]);
    expect(events[0]?.message).toContain('age 0.101 s, lease 0.1 s');
  });

  it('row 19: a burst that was held up on the way and arrives at once moves nothing', () => {
    send(0);
    const sentAtS = clock.nowS();
    clock.advanceMs(500);
    for (let i = 1; i < 20; i++) {
      twist.onTwist(message(1), ROS_S + sentAtS + 0.02 * i, ROS_S + clock.nowS(), clock.nowS());
      // Only what was sent in the last 100 ms may count.
      expect(poll().action[0] !== 0).toBe(0.02 * i >= 0.4);
    }
  });

  it('row 19: the lease runs from the stamp, not from the arrival', () => {
    send(0, 0, 0.06);
    send(0.5, 0, 0.06);
    expect(poll().action[0]).toBeCloseTo(0.5, 6);
    clock.advanceMs(41);
    expect(poll().action[0]).toBe(0);
  });

  it('row 19: a twist that comes twice, or late after a newer one, is not executed', () => {
    send(0);
    const stampS = ROS_S + clock.nowS();
    twist.onTwist(message(1), stampS, stampS, clock.nowS());
    twist.onTwist(message(1), stampS - 0.01, stampS, clock.nowS());
    expect(poll().action[0]).toBe(0);
    expect(twist.counters.stale).toBe(2);
  });

  it('takes new stamps after ROS time went back', () => {
    send(0);
    send(0.5);
    const backS = 5;
    clock.advanceMs(10);
    twist.onTwist(message(0.4), backS, backS, clock.nowS());
    expect(poll().action[0]).toBeCloseTo(0.4, 6);
  });

  it('refuses stamps of the future, missing stamps and numbers that are none', () => {
    send(0);
    send(0.5, 0, -0.2);
    expect(events[0]?.message).toContain('ahead');
    clock.advanceMs(1);
    twist.onTwist(message(0.5), 0, ROS_S + clock.nowS(), clock.nowS());
    twist.onTwist(message(Number.NaN), ROS_S + clock.nowS(), ROS_S + clock.nowS(), clock.nowS());
    twist.onTwist(message(0.5, Number.POSITIVE_INFINITY), ROS_S + clock.nowS(), ROS_S + clock.nowS(), clock.nowS());
    expect(twist.counters).toEqual({ taken: 1, stale: 1, malformed: 3 });
    expect(poll().action[0]).toBe(0);
  });

  faultRow(20, 'fake', 'lets go of a twist that has not changed for 5 s', () => {
    send(0);
    let moved = 0;
    for (let i = 0; i < 300; i++) {
      clock.advanceMs(19);
      send(0.5);
      if (poll().action[0] !== 0) moved++;
    }
    expect(moved).toBe(250);
    expect(events.map(({ row }) => row)).toEqual([20]);
  });

  it('refuses an action that no twist can move, and leases beyond 150 ms', () => {
    const joints: ActionSpec = { kind: 'joint', dimensions: [{ name: 'elbow', scale: 0.1, unit: 'rad' }] };
    expect(() => new TwistTeleop({ action: joints, policyPeriodS: 0.1, clock })).toThrow('elbow');
    expect(() => new TwistTeleop({ action, policyPeriodS: 0.1, clock, leaseS: 0.2 })).toThrow('0.15');
  });
});
