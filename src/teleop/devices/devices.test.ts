import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import type { ActionSpec } from '../../model/index.ts';
import { Clutch } from '../clutch.ts';
import { KeyboardTeleop } from '../keyboard.ts';
import { JOY_PADS, mappingOf } from '../remote/joy-pads.ts';
import type { TeleopEvent } from '../remote/remote-operator.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';
import { HidPort } from './hid-port.ts';
import { DeviceFile, type InputPort } from './input-port.ts';
import { JoydevParser } from './joydev.ts';
import { KEY_CODES } from './key-events.ts';
import { type LeaderArm, LeaderTeleop } from './leader-teleop.ts';
import { findInputDevice, isPedal, listInputDevices } from './list-devices.ts';
import { LocalPad, type LocalPadOptions } from './local-pad.ts';
import { MotionFrame } from './motion-frame.ts';
import { Pedal } from './pedal.ts';
import { SpaceMouseParser, spaceMouseMapping } from './space-mouse.ts';

const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.01, unit: 'm' },
    { name: 'y', scale: 0.01, unit: 'm' },
    { name: 'z', scale: 0.01, unit: 'm' },
    { name: 'yaw', scale: 0.06, unit: 'rad' },
  ],
};

/** A device controlled by a test. */
class FakePort implements InputPort {
  readonly waiting: Uint8Array[] = [];
  isThere = true;
  drops = 0;

  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' {
    if (!this.isThere) return 'gone';
    for (const report of this.waiting.splice(0)) onReport(report);
    return 'there';
  }

  drop(): void {
    this.drops++;
  }

  close(): void {
    this.isThere = false;
  }
}

/** `struct js_event`. */
function joy(type: number, index: number, value: number): Uint8Array {
  const event = new DataView(new ArrayBuffer(8));
  event.setInt16(4, value, true);
  event.setUint8(6, type);
  event.setUint8(7, index);
  return new Uint8Array(event.buffer);
}
const button = (index: number, value: 0 | 1): Uint8Array => joy(1, index, value);
const axis = (index: number, share: number): Uint8Array => joy(2, index, Math.round(-32_767 * share));
/** Snapshot sent by an Xbox pad when it is opened. */
const snapshot = Buffer.concat([
  ...Array.from({ length: 11 }, (_, i) => joy(0x81, i, 0)),
  ...Array.from({ length: 8 }, (_, i) => joy(0x82, i, 0)),
]);
const [A, B, LB, START] = [0, 1, 4, 7];

/** `struct input_event` of a key. */
function key(name: string, value: 0 | 1): Uint8Array {
  const event = new DataView(new ArrayBuffer(24));
  event.setUint16(16, 1, true);
  event.setUint16(18, KEY_CODES[name]!, true);
  event.setInt32(20, value, true);
  return new Uint8Array(event.buffer);
}

function asked(source: TeleopSource): string {
  const out: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
  source.poll(new Float32Array(0), 0, out);
  const moves = Array.from(out.action, (value) => Math.round(100 * value) / 100 + 0);
  return `${out.active ? 'holds' : 'policy'} ${moves.join(' ')}${source.isStopRequested === true ? ', stopped' : ''}`;
}

function gamepad(more: Partial<LocalPadOptions> = {}) {
  const port = new FakePort();
  const clock = new FakeClock();
  const events: TeleopEvent[] = [];
  const marks: string[] = [];
  const source = new LocalPad({
    action,
    clock,
    port,
    parser: new JoydevParser(),
    mapping: mappingOf(JOY_PADS.xbox, action),
    device: { name: 'gamepad', subject: 'gamepad' },
    enabling: 'hold',
    hint: '',
    deadzone: 0,
    speed: 1,
    onEvent: (event) => events.push(event),
    onMark: (mark) => marks.push(mark),
    ...more,
  });
  port.waiting.push(snapshot);
  source.watch();
  const does = (...reports: Uint8Array[]): string => {
    port.waiting.push(...reports);
    clock.advanceMs(20);
    return asked(source);
  };
  return { port, clock, events, marks, source, does };
}

describe('a gamepad on this machine', () => {
  it('takes over by the enabling button, moves while it is held, holds when it is not, and gives back', () => {
    const { does } = gamepad();
    expect(does(axis(1, 1))).toBe('policy 0 0 0 0');
    expect(does(axis(1, 0))).toBe('policy 0 0 0 0');
    expect(does(button(LB, 1))).toBe('holds 0 0 0 0');
    expect(does(axis(1, 0.5), axis(0, -1))).toBe('holds 0.5 -1 0 0');
    expect(does(button(LB, 0))).toBe('holds 0 0 0 0');
    expect(does(button(START, 1))).toBe('policy 0 0 0 0');
  });

  it('asks for no motion before neutral was seen with the button held', () => {
    const { does } = gamepad();
    does(axis(1, 1));
    expect(does(button(LB, 1))).toBe('holds 0 0 0 0');
    expect(does(axis(1, 0.4))).toBe('holds 0 0 0 0');
    does(axis(1, 0));
    expect(does(axis(1, 0.4))).toBe('holds 0.4 0 0 0');
  });

  it('needs no messages while nothing changes: being readable is its sign of life', () => {
    const { does, clock } = gamepad();
    does(button(LB, 1));
    does(axis(1, 0.5));
    for (let step = 0; step < 20; step++) {
      // Longer than any lease of messages.
      clock.advanceMs(200);
      expect(does()).toBe('holds 0.5 0 0 0');
    }
  });

  it('that is unplugged in control stops the robot at once, and moves nothing when it is back', () => {
    const { does, port, events, source } = gamepad();
    does(button(LB, 1));
    does(axis(1, 0.5));
    port.isThere = false;
    expect(does()).toBe('holds 0 0 0 0, stopped');
    expect(events).toMatchObject([{ row: 18, message: expect.stringContaining('can no longer be read') }]);
    port.isThere = true;
    // The button is still held, and the stick still pushed.
    expect(does(snapshot, joy(0x81, LB, 1), joy(0x82, 1, -20_000))).toBe('holds 0 0 0 0, stopped');
    source.giveBack();
    expect(does(axis(1, 0.9))).toBe('policy 0 0 0 0');
    does(button(LB, 0), axis(1, 0));
    does(button(LB, 1));
    expect(does(axis(1, 0.9))).toBe('holds 0.9 0 0 0');
  });

  it.each([
    ['a kind of event that there is none of', joy(0x40, 1, 1)],
    ['half an event', axis(1, 1).subarray(0, 5)],
    ['a button pressed by two', joy(1, 1, 2)],
    ['an axis that Linux has no name for', joy(2, 64, 1)],
    ['zeros', new Uint8Array(8)],
  ])('that says %s in control stops the robot, and is opened anew', (_, garbage) => {
    const { does, port, events, source } = gamepad();
    does(button(LB, 1));
    expect(does(axis(1, 0.5))).toBe('holds 0.5 0 0 0');
    expect(does(garbage, axis(1, 0.8))).toBe('holds 0 0 0 0, stopped');
    expect(port.drops).toBe(1);
    const message = 'The gamepad was in control and sent a malformed report; the robot stops and stays.';
    expect(events).toMatchObject([{ row: 18, message }]);
    // Later reports count as those of a newly opened device.
    does(snapshot, joy(0x81, LB, 1));
    source.giveBack();
    expect(does(axis(1, 0.8))).toBe('policy 0 0 0 0');
  });

  it('without a cross, with few buttons and axes, moves what it can, and says once what it cannot', () => {
    const { does, events, port } = gamepad({ mapping: mappingOf(JOY_PADS.stick, action) });
    const stick = Buffer.concat([...[0, 1, 2].map((i) => joy(0x81, i, 0)), ...[0, 1, 2].map((i) => joy(0x82, i, 0))]);
    // A pad of 8 axes was plugged in before.
    port.isThere = false;
    does();
    port.isThere = true;
    does(stick);
    expect(does(button(0, 1))).toBe('holds 0 0 0 0');
    expect(does(axis(1, 0.5), axis(2, 1))).toBe('holds 0.5 0 0 1');
    expect(events).toMatchObject([
      {
        row: 11,
        message:
          'The gamepad lacks axis 3, which moves z, and the stop button: stop at the terminal, the page or a pedal.',
        remedy: expect.stringContaining('pad: xbox'),
      },
    ]);
  });

  it('without the button that enables says so, and is enabled by a pedal', () => {
    const few = Buffer.concat([joy(0x81, 0, 0), joy(0x81, 1, 0), ...[0, 1, 2, 3, 4].map((i) => joy(0x82, i, 0))]);
    const dead = gamepad();
    dead.port.isThere = false;
    dead.does();
    dead.port.isThere = true;
    expect(dead.does(few, button(0, 1))).toBe('policy 0 0 0 0');
    expect(dead.events.map(({ message }) => message)).toEqual([
      'The gamepad lacks the enable button: it moves nothing.',
    ]);
    let isHeld = false;
    const { does, port, events } = gamepad({ isEnabledElsewhere: () => isHeld });
    port.isThere = false;
    does();
    port.isThere = true;
    does(few);
    isHeld = true;
    expect(does()).toBe('holds 0 0 0 0');
    expect(does(axis(0, 1))).toBe('holds 0 1 0 0');
    expect(events).toEqual([]);
  });

  it('that says nothing but garbage while nobody drives is told of once', () => {
    const { does, events } = gamepad();
    for (let i = 0; i < 5; i++) expect(does(new Uint8Array(8))).toBe('policy 0 0 0 0');
    expect(events).toMatchObject([{ row: 11, name: 'malformed', remedy: expect.stringContaining('rein doctor') }]);
  });

  it('sees what was pressed and let go of between two looks', () => {
    const { does, marks, source } = gamepad();
    does(button(A, 1), button(A, 0));
    expect(marks).toEqual(['success']);
    expect(does(button(B, 1), button(B, 0))).toBe('holds 0 0 0 0, stopped');
    source.close();
    expect(does(button(LB, 1))).toBe('policy 0 0 0 0');
  });

  it('moves in the directions of whoever looks through a camera', () => {
    // The camera looks back at the robot: forward in the picture is −x of the base.
    const frame = new MotionFrame({ cameraRpyRad: [0, 0, Math.PI] }, action, () => undefined);
    const { does } = gamepad({ frame });
    does(button(LB, 1));
    expect(does(axis(1, 0.5))).toBe('holds -0.5 0 0 0');
  });
});

describe('a six-axis mouse', () => {
  const still = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const pushed = Uint8Array.of(1, 0, 0, 0x51, 0xff, 0, 0, 0, 0, 0, 0, 0, 0); // −175: forward
  const keys = (bits: number): Uint8Array => Uint8Array.of(3, bits, 0);
  const mouse = () => {
    const made = gamepad({
      parser: new SpaceMouseParser(),
      mapping: spaceMouseMapping(action),
      enabling: 'latch',
      device: { name: 'spacemouse', subject: 'SpaceMouse' },
    });
    made.does(still, keys(0));
    return made;
  };

  it('takes over and gives back by its left button, and stops by its right one', () => {
    const { does } = mouse();
    expect(does(pushed)).toBe('policy 0 0 0 0');
    does(still);
    expect(does(keys(1), keys(0))).toBe('holds 0 0 0 0');
    expect(does(pushed)).toBe('holds 0.5 0 0 0');
    expect(does(still, keys(1), keys(0))).toBe('policy 0 0 0 0');
    does(keys(1), keys(0));
    expect(does(keys(2), keys(0))).toBe('holds 0 0 0 0, stopped');
    expect(does(pushed)).toBe('holds 0 0 0 0, stopped');
  });

  it('asks for a press of its own after somebody else has taken over', () => {
    const { does, source } = mouse();
    does(keys(1), keys(0));
    source.onControlLost();
    expect(does(pushed)).toBe('policy 0 0 0 0');
    does(still);
    expect(does(keys(1), keys(0))).toBe('holds 0 0 0 0');
    expect(does(pushed)).toBe('holds 0.5 0 0 0');
  });

  /** A port whose device sends what a test provides. */
  const opened = async () => {
    const device = Object.assign(new EventEmitter(), { close: async () => undefined });
    const port = await HidPort.over(async () => device);
    return { port, says: (...reports: Uint8Array[]) => reports.map((each) => device.emit('data', Buffer.from(each))) };
  };

  it('that nobody looks at for long still stops by its button, and its cap is where it was last', async () => {
    const { port, says } = await opened();
    const { source } = gamepad({
      port,
      parser: new SpaceMouseParser(),
      mapping: spaceMouseMapping(action),
      enabling: 'latch',
    });
    says(still, keys(0));
    source.watch();
    says(keys(1), keys(0));
    expect(asked(source)).toBe('holds 0 0 0 0');
    says(keys(2), keys(0), ...new Array<Uint8Array>(100).fill(pushed), still);
    expect(asked(source)).toBe('holds 0 0 0 0, stopped');
    const kept: string[] = [];
    says(pushed, ...new Array<Uint8Array>(99).fill(keys(0)), still);
    port.pull((report) => kept.push(Buffer.from(report).toString('hex')));
    expect([kept.length, kept.at(-1)]).toEqual([100, Buffer.from(still).toString('hex')]);
    port.close();
  });

  it('that says more than any hand does is let go of', async () => {
    const { port, says } = await opened();
    says(...new Array<Uint8Array>(1024).fill(keys(1)));
    expect(port.pull(() => undefined)).toBe('there');
    says(...new Array<Uint8Array>(1025).fill(keys(1)));
    expect([port.pull(() => undefined), port.pull(() => undefined)]).toEqual(['flooded', 'gone']);
    port.close();
  });

  it('by its port: what it says is kept until somebody looks, nothing of it counts once it is gone, and it comes back', async () => {
    const opened: (EventEmitter & { close(): Promise<void> })[] = [];
    const port = await HidPort.over(async () => {
      const device = Object.assign(new EventEmitter(), { close: async () => undefined });
      opened.push(device);
      return device;
    });
    const seen: string[] = [];
    const pull = (): string => port.pull((report) => seen.push(Buffer.from(report).toString('hex')));
    opened[0]!.emit('data', Buffer.from(keys(1)));
    opened[0]!.emit('data', Buffer.from(keys(0)));
    expect(pull()).toBe('there');
    expect(seen).toEqual(['030100', '030000']);
    opened[0]!.emit('data', Buffer.from(keys(1)));
    opened[0]!.emit('error', new Error('could not read from HID device'));
    expect(pull()).toBe('gone');
    while (opened.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pull()).toBe('there');
    expect(seen).toHaveLength(2);
    port.close();
    expect(pull()).toBe('gone');
  });
});

describe('a foot pedal', () => {
  const made = () => {
    const port = new FakePort();
    const events: TeleopEvent[] = [];
    const marks: string[] = [];
    const pedal = new Pedal({
      action,
      clock: new FakeClock(),
      port,
      roles: new Map([
        [KEY_CODES['KEY_A']!, 'enable'],
        [KEY_CODES['KEY_B']!, 'stop'],
        [KEY_CODES['KEY_C']!, 'success'],
        [KEY_CODES['KEY_D']!, 'rewind'],
        [KEY_CODES['KEY_E']!, 'critical'],
        [KEY_CODES['KEY_F']!, 'recover'],
      ]),
      onMark: (mark) => marks.push(mark),
      onRewind: () => marks.push('rewind'),
      onCritical: () => marks.push('critical'),
      onGiveBack: () => undefined,
      onEvent: (event) => events.push(event),
    });
    const does = (...reports: Uint8Array[]): string => {
      port.waiting.push(...reports);
      return asked(pedal);
    };
    return { port, pedal, marks, events, does };
  };

  it('enables a gamepad as its own button does, and moves nothing by itself', () => {
    const { pedal, port, does } = made();
    const pad = gamepad({ isEnabledElsewhere: () => pedal.isHeld('enable') });
    expect(does(key('KEY_A', 1))).toBe('policy 0 0 0 0');
    expect(pad.does()).toBe('holds 0 0 0 0');
    expect(pad.does(axis(1, 1))).toBe('holds 1 0 0 0');
    port.waiting.push(key('KEY_A', 0));
    expect(pad.does()).toBe('holds 0 0 0 0');
  });

  it('says while it is held that what the other devices do is recovery', () => {
    const { pedal, port } = made();
    const isRecoveringElsewhere = () => pedal.isHeld('recover');
    const pad = gamepad({ isRecoveringElsewhere });
    const arm: LeaderArm = { positionRad: [0, 0, 0, 0], read: () => 'ok', close: () => undefined };
    const leader = new LeaderTeleop({
      action,
      clock: pad.clock,
      arm,
      poseOf: (out, at) => out.set(at),
      isClutchClosed: () => false,
      isRecoveringElsewhere,
    });
    const input = new PassThrough();
    const keyboard = new KeyboardTeleop({ input, clock: pad.clock, action, isRecoveringElsewhere });
    const phases = () =>
      [pad.source, leader, keyboard].map((source) => {
        const out: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
        source.poll(new Float32Array(0), 0, out);
        return out.phase;
      });
    expect(phases()).toEqual(['correct', 'correct', 'correct']);
    port.waiting.push(key('KEY_F', 1));
    expect(phases()).toEqual(['recover', 'recover', 'recover']);
    port.waiting.push(key('KEY_F', 0));
    expect(phases()).toEqual(['correct', 'correct', 'correct']);
    expect(asked(pedal)).toBe('policy 0 0 0 0');
    keyboard.close();
  });

  it('stops and judges, however short the foot was on it', () => {
    const { does, marks, pedal } = made();
    expect(does(key('KEY_C', 1), key('KEY_C', 0))).toBe('policy 0 0 0 0');
    does(key('KEY_D', 1), key('KEY_D', 0), key('KEY_E', 1), key('KEY_E', 0));
    expect(marks).toEqual(['success', 'rewind', 'critical']);
    expect(does(key('KEY_B', 1), key('KEY_B', 0))).toBe('holds 0 0 0 0, stopped');
    pedal.giveBack();
    expect(does()).toBe('policy 0 0 0 0');
  });

  it.each([
    ['sent a malformed report', Uint8Array.of(1, 2, 3)],
    ['sent more reports than its buffer holds', new Uint8Array(24).fill(3, 18, 19)],
  ])('that %s stops the robot while it enables', (how, report) => {
    const { does, port, events } = made();
    does(key('KEY_A', 1));
    expect(does(report)).toBe('holds 0 0 0 0, stopped');
    expect(events).toMatchObject([{ row: 18, message: expect.stringContaining(how) }]);
    expect(port.drops).toBe(1);
  });

  it('that is unplugged while it enables stops the robot; else nobody needs to know', () => {
    const { does, port, events } = made();
    does();
    port.isThere = false;
    expect(does()).toBe('policy 0 0 0 0');
    port.isThere = true;
    does(key('KEY_A', 1));
    port.isThere = false;
    expect(does()).toBe('holds 0 0 0 0, stopped');
    expect(events).toMatchObject([{ row: 18 }]);
  });
});

describe('a leader arm', () => {
  const joints: ActionSpec = {
    kind: 'joint',
    dimensions: ['a', 'b'].map((name) => ({ name, scale: 0.1, unit: 'rad' as const })),
  };

  class Arm implements LeaderArm {
    readonly positionRad = [0.5, -0.2];
    isThere = true;
    asked: number[] | undefined;
    says: { message: string; remedy: string } | undefined;
    readonly motors = {
      velocityMaxRadPerS: [0.2, 0.2],
      hold: (): void => {
        this.asked = [...this.positionRad];
      },
      move: (reference: ArrayLike<number>): void => {
        this.asked = Array.from(reference);
      },
      release: (): void => {
        this.asked = undefined;
      },
    };
    read(): 'ok' | 'lost' {
      return this.isThere ? 'ok' : 'lost';
    }
    takeNotice() {
      const { says } = this;
      this.says = undefined;
      return says;
    }
    close(): void {
      this.isThere = false;
    }
  }

  it('passes on what its driver says, once', () => {
    const { arm, step, events } = leader();
    arm.says = { message: 'Servo 2 reports overload.', remedy: 'Let it cool.' };
    step();
    step();
    const message = 'Of the leader arm: Servo 2 reports overload.';
    expect(events).toEqual([{ row: 18, name: 'leaderNotice', message, remedy: 'Let it cool.' }]);
  });

  function leader(more: { ramp?: true; alongside?: true } = {}) {
    const arm = new Arm();
    const clock = new FakeClock();
    const robot = [0.1, 0.1];
    const events: TeleopEvent[] = [];
    let isClosed = false;
    const source = new LeaderTeleop({
      action: joints,
      clock,
      arm,
      poseOf: (out, position) => out.set(position),
      isClutchClosed: () => isClosed,
      ramp: more.ramp === undefined ? undefined : { robot: () => robot, perS: 0.5 },
      alongside: more.alongside === undefined ? undefined : () => robot,
      onEvent: (event) => events.push(event),
    });
    source.watch();
    const clutch = new Clutch(joints);
    const out: TeleopCommand = { active: false, action: new Float32Array(2), phase: 'correct' };
    /** A robot that executes its action, for a step. */
    const step = (): string => {
      for (let i = 0; i < 5; i++) {
        clock.advanceMs(20);
        source.watch();
      }
      source.poll(new Float32Array(0), 0, out);
      clutch.apply(out, robot);
      if (out.active) for (let i = 0; i < 2; i++) robot[i]! += 0.1 * out.action[i]!;
      return `${out.active ? 'holds' : 'policy'} ${robot.map((each) => each.toFixed(2)).join(' ')}`;
    };
    const clutched = (now: boolean): void => {
      isClosed = now;
    };
    return { arm, source, robot, step, events, clutch: clutched };
  }

  it('moves the robot from where both are, while its clutch is closed', () => {
    const { arm, step, clutch } = leader();
    expect(step()).toBe('policy 0.10 0.10');
    clutch(true);
    expect(step()).toBe('holds 0.10 0.10');
    arm.positionRad[0]! += 0.05;
    expect(step()).toBe('holds 0.15 0.10');
    clutch(false);
    arm.positionRad[0]! -= 1;
    expect(step()).toBe('holds 0.15 0.10');
    clutch(true);
    expect(step()).toBe('holds 0.15 0.10');
    expect(step()).toBe('holds 0.15 0.10');
  });

  it('brings the robot slowly to its own pose, where that is asked for', () => {
    const { step, clutch } = leader({ ramp: true });
    clutch(true);
    const way = Array.from({ length: 12 }, () => step());
    // 0.5 rad/s are 0.05 in a step of 0.1 s, and the first moves nothing.
    expect(way.slice(0, 3)).toEqual(['holds 0.10 0.10', 'holds 0.15 0.05', 'holds 0.20 0.00']);
    expect(way.at(-1)).toBe('holds 0.50 -0.20');
  });

  it('goes along with the robot while nobody drives, slowly, and is limp from the take-over on', () => {
    const { arm, step, clutch, source } = leader({ alongside: true });
    step();
    // At most 0.2 rad/s from where it was.
    expect(arm.asked![0]).toBeGreaterThan(0.45);
    for (let i = 0; i < 30; i++) step();
    expect(arm.asked!.map((each) => each.toFixed(2))).toEqual(['0.10', '0.10']);
    clutch(true);
    step();
    expect(arm.asked).toBeUndefined();
    clutch(false);
    step();
    expect(arm.asked).toBeUndefined();
    source.giveBack();
    step();
    expect(arm.asked).toBeDefined();
    source.close();
    expect(arm.asked).toBeUndefined();
  });

  it('that is lost in control stops the robot, and one that comes back with its clutch held closed moves nothing', () => {
    const { arm, step, clutch, source, events } = leader();
    clutch(true);
    step();
    arm.isThere = false;
    arm.positionRad[0]! += 0.3;
    expect(step()).toBe('holds 0.10 0.10');
    expect([source.isStopRequested, events.map(({ row }) => row)]).toEqual([true, [18]]);
    arm.isThere = true;
    source.giveBack();
    arm.positionRad[0]! += 0.3;
    expect(step()).toBe('policy 0.10 0.10');
    clutch(false);
    step();
    clutch(true);
    expect(step()).toBe('holds 0.10 0.10');
  });
});

describe('frames', () => {
  it('turn what is asked for from the tool into the base, and keep its direction', () => {
    // A tool that looks down: rotated by 180° about x, its forward is the base's, its up is down.
    const frame = new MotionFrame('tool', action, () => [0, 0, 0, 0, 1, 0, 0]);
    const moved = Float32Array.of(0.5, 0.25, 1, 0.3);
    frame.apply(moved);
    expect(Array.from(moved, (value) => value.toFixed(2))).toEqual(['0.50', '-0.25', '-1.00', '0.30']);
    const slanted = new MotionFrame({ cameraRpyRad: [0, 0, Math.PI / 4] }, action, () => undefined);
    const corner = Float32Array.of(1, 1, 0, 0);
    slanted.apply(corner);
    expect(Array.from(corner, (value) => Math.abs(value).toFixed(2))).toEqual(['0.00', '1.00', '0.00', '0.00']);
  });

  it('move nothing while the tool has not been seen, and need a tool', () => {
    const moved = Float32Array.of(1, 0, 0, 0);
    new MotionFrame('tool', action, () => undefined).apply(moved);
    expect(Array.from(moved)).toEqual([0, 0, 0, 0]);
    expect(() => new MotionFrame('tool', { ...action, kind: 'joint' }, () => undefined)).toThrow(RangeError);
  });
});

describe('devices of Linux', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rein-input-'));
    const write = (path: string, text: string | Uint8Array): void => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write('dev/input/js0', '');
    write('dev/input/js1', '');
    write('dev/input/event7', '');
    write('dev/hidraw3', '');
    write('dev/hidraw4', '');
    mkdirSync(join(folder, 'dev/input/by-id'));
    symlinkSync(
      '../js1',
      join(folder, 'dev/input/by-id/usb-Sony_Interactive_Entertainment_Wireless_Controller-joystick'),
    );
    symlinkSync('../event7', join(folder, 'dev/input/by-id/usb-PCsensor_FootSwitch-event-kbd'));
    write('sys/class/input/js0/device/name', 'Microsoft X-Box 360 pad\n');
    write('sys/class/input/js0/device/id/vendor', '045e\n');
    write('sys/class/input/js0/device/id/product', '028e\n');
    write('sys/class/input/js0/device/capabilities/abs', '3003f\n');
    write('sys/class/input/js0/device/capabilities/key', '7cdb000000000000 0 0 0 0\n');
    write('sys/class/input/js1/device/name', 'Wireless Controller\n');
    write('sys/class/input/js1/device/id/vendor', '054c\n');
    write('sys/class/input/js1/device/capabilities/abs', '3003f\n');
    write('sys/class/input/js1/device/capabilities/key', '7fdb000000000000 0 0 0 0\n');
    write('sys/class/input/event7/device/name', 'PCsensor FootSwitch Keyboard\n');
    write(
      'sys/class/hidraw/hidraw3/device/uevent',
      'DRIVER=hid-generic\nHID_ID=0003:0000256F:0000C635\nHID_NAME=3Dconnexion\n',
    );
    write('sys/class/hidraw/hidraw3/device/report_descriptor', Uint8Array.of(5, 1, 9, 8, 0xa1, 1, 0xc0));
    write(
      'sys/class/hidraw/hidraw4/device/uevent',
      'HID_ID=0003:0000046D:0000C077\nHID_NAME=Logitech USB Optical Mouse\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const roots = () => ({ dev: join(folder, 'dev'), sys: join(folder, 'sys') });

  it('have the ids by which udev knows them', () => {
    const idsOf = (end: string) => listInputDevices(roots()).find(({ path }) => path.endsWith(end))?.usb;
    expect(idsOf('js0')).toEqual({ vendor: '045e', product: '028e' });
    expect(idsOf('hidraw3')).toEqual({ vendor: '256f', product: 'c635' });
  });

  it('are listed by names that stay, with the mapping that suits them', () => {
    const found = listInputDevices(roots()).map(({ kind, path, name, pad }) =>
      [kind, path.slice(folder.length), name, pad].filter(Boolean).join(' | '),
    );
    expect(found).toEqual([
      'gamepad | /dev/input/js0 | Microsoft X-Box 360 pad | xbox',
      'gamepad | /dev/input/by-id/usb-Sony_Interactive_Entertainment_Wireless_Controller-joystick | Wireless Controller | playstation',
      'spacemouse | /dev/hidraw3 | SpaceMouse Compact',
      'keyboard | /dev/input/by-id/usb-PCsensor_FootSwitch-event-kbd | PCsensor FootSwitch Keyboard',
    ]);
  });

  it('that are asked for are found by either name, or refused in one sentence with the command that lists them', () => {
    const by = (path: string | undefined) => findInputDevice('gamepad', path, roots()).name;
    expect(by(undefined)).toBe('Microsoft X-Box 360 pad');
    expect(by(join(folder, 'dev/input/js1'))).toBe('Wireless Controller');
    const absent = join(folder, 'dev/input/js9');
    expect(() => by(absent)).toThrow(`There is no gamepad at ${absent}.`);
    expect(findInputDevice('pedal', undefined, roots()).name).toBe('PCsensor FootSwitch Keyboard');
    expect(() => findInputDevice('pedal', undefined, { ...roots(), dev: folder })).toThrow(
      expect.objectContaining({ message: 'No pedal is plugged in.', remedy: expect.stringContaining('rein doctor') }),
    );
    expect([isPedal('PCsensor FootSwitch Keyboard'), isPedal('Logitech USB Keyboard')]).toEqual([true, false]);
  });

  it('are read without waiting, found gone at once, and opened again when they are back', () => {
    const path = join(folder, 'js5');
    let nowS = 0;
    const device = new DeviceFile(path, () => nowS);
    const seen: string[] = [];
    const pull = (): string => device.pull((report) => seen.push(Buffer.from(report).toString('hex')));
    expect(pull()).toBe('gone');
    execFileSync('mkfifo', [path]);
    const hand = openSync(path, constants.O_RDWR);
    expect(pull()).toBe('gone'); // it is searched for periodically, not always
    nowS += 1;
    expect(pull()).toBe('there');
    writeSync(hand, button(LB, 1));
    expect(pull()).toBe('there');
    expect(seen).toEqual([Buffer.from(button(LB, 1)).toString('hex')]);
    closeSync(hand);
    expect(pull()).toBe('gone');
    device.close();
    nowS += 1;
    expect(pull()).toBe('gone');
  });

  it('that never end are let go of, and what is neither a device nor a pipe is not read', () => {
    const pull = (path: string): string => new DeviceFile(path, () => 1).pull(() => undefined);
    expect(pull('/dev/zero')).toBe('flooded');
    const file = join(folder, 'dev/input/file');
    writeFileSync(file, button(LB, 1));
    expect([pull(file), pull(folder), pull('/dev/null')]).toEqual(['gone', 'gone', 'gone']);
  });
});
