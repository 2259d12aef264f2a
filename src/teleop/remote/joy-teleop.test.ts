import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import type { ActionSpec } from '../../model/index.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import { JOY_PADS, mappingOf } from './joy-pads.ts';
import { JoyTeleop } from './joy-teleop.ts';
import type { TeleopEvent } from './remote-operator.ts';

const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.01, unit: 'm' },
    { name: 'y', scale: 0.01, unit: 'm' },
    { name: 'z', scale: 0.01, unit: 'm' },
    { name: 'yaw', scale: 0.06, unit: 'rad' },
  ],
};
const ENABLE = 4;
const RECOVER = 5;
const STOP = 1;
const GIVE_BACK = 7;
const SUCCESS = 0;
const FAILURE = 2;
const REWIND = 6;
const CRITICAL = 3;

let clock: FakeClock;
let joy: JoyTeleop;
let events: TeleopEvent[];
let marks: string[];
let out: TeleopCommand;

beforeEach(() => {
  clock = new FakeClock();
  events = [];
  marks = [];
  joy = new JoyTeleop({
    action,
    mapping: mappingOf(JOY_PADS.xbox, action),
    clock,
    onEvent: (event) => events.push(event),
    onMark: (mark) => marks.push(mark),
    onRewind: () => marks.push('rewind'),
    onCritical: () => marks.push('critical'),
  });
  out = { active: false, action: new Float32Array(4).fill(7), phase: 'correct' };
});

/** Sends one message now; `axes` by number. */
function send(
  buttons: readonly number[],
  axes: Readonly<Record<number, number>> = {},
  receivedAtS = clock.nowS(),
): void {
  const message = { axes: new Float32Array(8), buttons: new Int32Array(11) };
  for (const button of buttons) message.buttons[button] = 1;
  for (const [axis, value] of Object.entries(axes)) message.axes[Number(axis)] = value;
  joy.onJoy(message, receivedAtS);
}

function poll(): TeleopCommand {
  joy.poll(new Float32Array(1), 0, out);
  return out;
}

function takeOver(): void {
  send([]);
  send([ENABLE]);
}

describe('taking over by joystick', () => {
  it('needs the enabling button: sticks alone move nothing and take nothing', () => {
    send([]);
    send([], { 1: 1 });
    expect(poll()).toMatchObject({ active: false, action: new Float32Array(4) });
  });

  it('needs the button to be pressed, not to be found pressed', () => {
    send([ENABLE], { 1: 1 });
    expect(poll().active).toBe(false);
    send([ENABLE]);
    expect(poll().active).toBe(false);
    send([]);
    send([ENABLE]);
    expect(poll().active).toBe(true);
  });

  it('lets motion pass only after the sticks were seen in their middle', () => {
    send([], { 1: 1 });
    send([ENABLE], { 1: 1 });
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(4) });
    send([ENABLE], {});
    send([ENABLE], { 1: 1 });
    expect([...poll().action]).toEqual([0.5, 0, 0, 0]);
  });

  it('maps forward, left, up and turning left to +x, +y, +z and +yaw, half as fast at first', () => {
    takeOver();
    send([ENABLE], { 0: 1, 1: -1, 3: -1, 4: 1 });
    expect([...poll().action]).toEqual([-0.5, 0.5, 0.5, -0.5]);
  });

  it('leaves a dead zone of a tenth, without a step at its end', () => {
    takeOver();
    send([ENABLE], { 1: 0.0999, 0: -0.09 });
    expect([...poll().action]).toEqual([0, 0, 0, 0]);
    send([ENABLE], { 1: 0.19, 0: -0.55 });
    expect(poll().action[0]).toBeCloseTo(0.05, 6);
    expect(poll().action[1]).toBeCloseTo(-0.25, 6);
  });

  it('steps through the speeds with the cross', () => {
    takeOver();
    for (let i = 0; i < 4; i++) {
      send([ENABLE], { 7: 1 });
      send([ENABLE], { 7: 0 });
    }
    expect(joy.stepScale).toBe(1);
    for (let i = 0; i < 9; i++) {
      send([ENABLE], { 7: -1 });
      send([ENABLE], { 7: 0 });
    }
    expect(joy.stepScale).toBe(0.1);
    send([ENABLE], { 1: 1 });
    expect(poll().action[0]).toBeCloseTo(0.1, 6);
  });

  it('calls it recovery while the recovery button is held', () => {
    takeOver();
    send([ENABLE, RECOVER], { 1: 1 });
    expect(poll().phase).toBe('recover');
    send([ENABLE], { 1: 1 });
    expect(poll().phase).toBe('correct');
  });
});

describe('letting go of a joystick', () => {
  it('holds and keeps control when the button is released, and gives back by the button for it only', () => {
    takeOver();
    send([ENABLE], { 1: 1 });
    send([], { 1: 1 });
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(4) });
    for (let i = 0; i < 200; i++) {
      clock.advanceMs(50);
      send([]);
      expect(poll().active).toBe(true);
    }
    send([GIVE_BACK]);
    expect(poll().active).toBe(false);
    expect(events).toEqual([]);
  });

  it('asks for the middle again after the button was released between two polls', () => {
    takeOver();
    send([ENABLE], { 1: 1 });
    expect(poll().action[0]).toBe(0.5);
    send([], { 1: 1 });
    send([ENABLE], { 1: 1 });
    expect(poll().action[0]).toBe(0);
  });

  faultRow(18, 'fake', 'stops 100 ms after the last message, and stays stopped until given back', () => {
    takeOver();
    send([ENABLE], { 1: 1 });
    clock.advanceMs(100);
    expect(poll()).toMatchObject({ active: true });
    expect(out.action[0]).toBe(0.5);
    expect(joy.isStopRequested).toBe(false);
    clock.advanceMs(1);
    joy.watch();
    expect(joy.isStopRequested).toBe(true);
    expect(poll()).toMatchObject({ active: true, action: new Float32Array(4) });
    expect(events.map(({ row, name }) => ({ row, name }))).toEqual([{ row: 18, name: 'teleopLost' }]);
    expect(events[0]?.message).toContain('100 ms');
    expect(events[0]?.remedy).toMatch(/c at the terminal, Start at the page, ~\/reset and ~\/resume over ROS/);

    // It comes back, pressed and pushed: nothing moves, and no one else gets control.
    for (let i = 0; i < 50; i++) {
      clock.advanceMs(20);
      send(i % 2 === 0 ? [ENABLE] : [], { 1: i % 3 === 0 ? 0 : 1 });
      expect(poll()).toMatchObject({ active: true, action: new Float32Array(4) });
    }
    send([GIVE_BACK]);
    expect(joy.isStopRequested).toBe(true);
    joy.giveBack();
    expect(joy.isStopRequested).toBe(false);
    expect(poll().active).toBe(false);
  });

  it('row 18: a gap that ended before anybody polled stops too, and the button must be pressed anew', () => {
    takeOver();
    send([ENABLE], { 1: 1 });
    clock.advanceMs(150);
    send([ENABLE], { 1: 1 });
    expect(joy.isStopRequested).toBe(true);
    joy.giveBack();
    send([ENABLE]);
    expect(poll().active).toBe(false);
  });

  it('row 18: silence while the button is released in control stops too; without control it is nothing', () => {
    takeOver();
    send([]);
    clock.advanceMs(101);
    expect(poll().active).toBe(true);
    expect(joy.isStopRequested).toBe(true);
    joy.giveBack();
    clock.advanceMs(5000);
    joy.watch();
    expect(joy.isStopRequested).toBe(false);
    expect(events).toHaveLength(1);
  });

  it('does not take over by a button that was held through a silence', () => {
    send([]);
    clock.advanceMs(1000);
    send([ENABLE]);
    expect(poll().active).toBe(false);
  });

  faultRow(20, 'fake', 'lets go of a stick that has not changed for 5 s, until it was in its middle', () => {
    takeOver();
    let movedMs = 0;
    for (let ms = 0; ms < 6000; ms += 20) {
      send([ENABLE], { 1: 0.7 });
      if (poll().action[0] !== 0) movedMs = ms + 20;
      clock.advanceMs(20);
    }
    expect(movedMs).toBe(5000);
    expect(events.map(({ row }) => row)).toEqual([20]);
    expect(poll().active).toBe(true);
    send([ENABLE], { 1: 0.6 });
    expect(poll().action[0]).toBe(0);
    send([ENABLE], {});
    send([ENABLE], { 1: 0.6 });
    expect(poll().action[0]).toBeGreaterThan(0);
  });

  faultRow(19, 'fake', 'never uses a message that waited longer than its lease', () => {
    takeOver();
    clock.advanceMs(80);
    send([ENABLE]);
    send([ENABLE], { 1: 1 }, clock.nowS() - 0.101);
    expect(poll().action[0]).toBe(0);
    send([], {}, Number.NaN);
    expect(joy.counters).toEqual({ taken: 3, stale: 2, malformed: 0 });
  });

  it('does not let a time to come make the lease longer', () => {
    takeOver();
    send([ENABLE], { 1: 1 }, clock.nowS() + 10);
    clock.advanceMs(101);
    expect(poll().action[0]).toBe(0);
    expect(joy.isStopRequested).toBe(true);
  });
});

describe('buttons of a joystick', () => {
  it('stops with the stop button whoever has control, and not by giving back', () => {
    send([]);
    send([STOP]);
    expect(joy.isStopRequested).toBe(true);
    expect(poll().active).toBe(true);
    send([]);
    send([GIVE_BACK]);
    expect(joy.isStopRequested).toBe(true);
    joy.onControlLost();
    expect(joy.isStopRequested).toBe(true);
  });

  it('marks once per press', () => {
    send([]);
    for (let i = 0; i < 3; i++) send([SUCCESS]);
    send([]);
    send([FAILURE]);
    expect(marks).toEqual(['success', 'failure']);
  });

  it('asks for a rewind and for the critical phase once per press', () => {
    send([]);
    for (let i = 0; i < 3; i++) send([REWIND]);
    send([]);
    send([CRITICAL]);
    expect(marks).toEqual(['rewind', 'critical']);
  });

  it('gives way to another operator', () => {
    takeOver();
    send([ENABLE], { 1: 1 });
    joy.onControlLost();
    expect(poll().active).toBe(false);
    send([ENABLE], { 1: 1 });
    expect(poll().active).toBe(false);
  });

  it('takes nothing after it was closed', () => {
    joy.close();
    takeOver();
    expect(poll().active).toBe(false);
  });
});

describe('joystick messages that do not fit', () => {
  it('are counted, are no life sign, and never throw', () => {
    takeOver();
    const before = joy.counters.taken;
    const bad = [
      { axes: [], buttons: [] },
      { axes: [0, 0, 0, 0, 0, 0, 0, Number.NaN], buttons: new Array(11).fill(0) },
      { axes: new Array(8).fill(0), buttons: new Array(4).fill(0) },
      { axes: new Array(4).fill(0), buttons: new Array(11).fill(1) },
    ];
    for (const message of bad) joy.onJoy(message, clock.nowS());
    expect(joy.counters).toMatchObject({ taken: before, malformed: 4 });
    clock.advanceMs(101);
    for (const message of bad) joy.onJoy(message, clock.nowS());
    joy.watch();
    expect(joy.isStopRequested).toBe(true);
  });

  it('whatever comes, commands are finite, normalised, and zero without the enabling button', () => {
    const message = fc.record({
      axes: fc.array(fc.double(), { minLength: 6, maxLength: 9 }),
      buttons: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 9, maxLength: 12 }),
      waitMs: fc.integer({ min: 0, max: 140 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), (messages) => {
        let isHeld = false;
        for (const { axes, buttons, waitMs } of messages) {
          clock.advanceMs(waitMs);
          const taken = joy.counters.taken;
          joy.onJoy({ axes, buttons }, clock.nowS());
          if (joy.counters.taken > taken) isHeld = buttons[ENABLE] === 1;
          const { active, action: given } = poll();
          expect(given.every((value) => Number.isFinite(value) && Math.abs(value) <= 1)).toBe(true);
          if (!isHeld || !active || joy.isStopRequested) expect([...given]).toEqual([0, 0, 0, 0]);
        }
      }),
    );
  });
});

it('of a pad without a cross and with few buttons counts: what it lacks is not pressed', () => {
  const say = (...pressed: number[]): void => {
    const buttons = new Array<number>(5).fill(0);
    for (const button of pressed) buttons[button] = 1;
    joy.onJoy({ axes: [0, 1, 0, 0, 0], buttons }, clock.nowS());
  };
  say();
  say(ENABLE);
  expect(poll()).toMatchObject({ active: true, phase: 'correct' });
  say(ENABLE, STOP);
  expect([joy.isStopRequested, joy.counters.malformed, marks]).toEqual([true, 0, []]);
});

describe('setting a joystick up', () => {
  it('refuses leases beyond 150 ms, dead zones beyond a half and axes that nothing has', () => {
    const mapping = mappingOf(JOY_PADS.xbox, action);
    expect(() => new JoyTeleop({ action, mapping, clock, leaseS: 0.151 })).toThrow('0.15');
    expect(() => new JoyTeleop({ action, mapping, clock, leaseS: Number.NaN })).toThrow(RangeError);
    expect(() => new JoyTeleop({ action, mapping, clock, deadzone: 0.6 })).toThrow('deadzone');
    const wrong = { ...mapping, sticks: [{ axis: 0, moves: 'w', sign: 1 as const }] };
    expect(() => new JoyTeleop({ action, mapping: wrong, clock })).toThrow('called w; there are x, y, z, yaw');
  });

  it('finds sticks for joints and for mobile bases', () => {
    const of = (...names: string[]): ActionSpec => ({
      kind: 'joint',
      dimensions: names.map((name) => ({ name, scale: 0.1, unit: 'rad' })),
    });
    const axes = (spec: ActionSpec): object =>
      Object.fromEntries(mappingOf(JOY_PADS.xbox, spec).sticks.map(({ moves, axis }) => [moves, axis]));
    expect(axes(of('x', 'yaw'))).toEqual({ x: 1, yaw: 0 });
    expect(axes(of('x', 'y', 'z', 'yaw', 'gripper', 'more'))).toEqual({ x: 1, y: 0, z: 4, yaw: 3, gripper: 6 });
    expect(axes(of('x', 'y', 'z', 'gripper'))).toEqual({ x: 1, y: 0, z: 4, gripper: 3 });
    expect(axes(of('x', 'y', 'yaw'))).toEqual({ x: 1, y: 0, yaw: 3 });
    expect(axes(of('x', 'steering'))).toEqual({ x: 1, steering: 0 });
    expect(axes(of('a', 'b', 'c', 'd', 'e'))).toEqual({ a: 1, b: 0, c: 4, d: 3, e: 6 });
  });
});
