/** Gamepads by evdev: their description in sysfs, events as the kernel delivers them, and how they are distinguished from other devices. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import type { ActionSpec } from '../../model/index.ts';
import { JOY_PADS, mappingOf } from '../remote/joy-pads.ts';
import type { JoyMessage } from '../remote/joy-teleop.ts';
import type { TeleopEvent } from '../remote/remote-operator.ts';
import { type EvdevPad, evdevPad, isRanged, withRange } from './evdev-layout.ts';
import { EvdevPadParser } from './evdev-pad.ts';
import type { InputPort } from './input-port.ts';
import { findInputDevice, listInputDevices } from './list-devices.ts';
import { LocalPad } from './local-pad.ts';

const [SYN, KEY, ABS, MSC] = [0, 1, 3, 4];
const [BTN_SOUTH, BTN_EAST, BTN_TL, BTN_START] = [0x130, 0x131, 0x136, 0x13b];
const [ABS_X, ABS_Y, ABS_RX, ABS_RY, ABS_HAT0Y] = [0, 1, 3, 4, 17];
const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: ['x', 'y', 'z', 'yaw'].map((name) => ({ name, scale: 0.01, unit: 'm' as const })),
};

/** `struct input_event`, one per triple, and the end of the group. */
function events(...triples: readonly (readonly [type: number, code: number, value: number])[]): Uint8Array {
  const all = [...triples, [SYN, 0, 0] as const];
  const bytes = Buffer.alloc(24 * all.length);
  for (const [i, [type, code, value]] of all.entries()) {
    bytes.writeBigInt64LE(1_577_879_573n, 24 * i);
    bytes.writeUInt16LE(type, 24 * i + 16);
    bytes.writeUInt16LE(code, 24 * i + 18);
    bytes.writeInt32LE(value, 24 * i + 20);
  }
  return bytes;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-evdev-'));
  mkdirSync(join(folder, 'dev/input'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));
const roots = () => ({ dev: join(folder, 'dev'), sys: join(folder, 'sys') });

/** A device as shown by sysfs; bitmaps as input.c prints them on a 64-bit machine. */
function plug(
  node: string,
  is: { name: string; key: string; abs: string; driver?: string; report?: string; js?: string },
) {
  const about = join(folder, 'sys/class/input', node, 'device');
  mkdirSync(join(about, 'capabilities'), { recursive: true });
  writeFileSync(join(folder, 'dev/input', node), '');
  writeFileSync(join(about, 'name'), `${is.name}\n`);
  writeFileSync(join(about, 'capabilities/key'), `${is.key}\n`);
  writeFileSync(join(about, 'capabilities/abs'), `${is.abs}\n`);
  if (is.js !== undefined) mkdirSync(join(about, is.js), { recursive: true });
  if (is.driver === undefined) return about;
  mkdirSync(join(folder, 'sys/bus', is.driver), { recursive: true });
  mkdirSync(join(about, 'device'), { recursive: true });
  symlinkSync(join(folder, 'sys/bus', is.driver), join(about, 'device/driver'));
  if (is.report !== undefined)
    writeFileSync(join(about, 'device/report_descriptor'), Buffer.from(is.report.replaceAll(' ', ''), 'hex'));
  return about;
}

const xbox = { name: 'Microsoft X-Box 360 pad', key: '7cdb000000000000 0 0 0 0', abs: '3003f', driver: 'xpad' };
const FULL: readonly [number, number] = [-32_768, 32_767];

describe('what a gamepad has', () => {
  it('is numbered as by joydev, with the range that its driver always gives', () => {
    const pad = evdevPad(plug('event20', xbox))!;
    expect(pad.buttons).toEqual([304, 305, 307, 308, 310, 311, 314, 315, 316, 317, 318]);
    expect(pad.axes.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 16, 17]);
    expect([0, 3, 6].map((i) => pad.axes[i]!.range)).toEqual([FULL, FULL, [-1, 1]]);
    // BTN_0 and BTN_TRIGGER: joydev counts from the latter on.
    const stick = evdevPad(plug('event21', { name: 'Stick', key: '100000001 0 0 0 0', abs: '3' }))!;
    expect(stick).toEqual({ axes: [0, 1].map((code) => ({ code, range: undefined })), buttons: [0x120, 0x100] });
    expect([isRanged(pad), isRanged(stick), isRanged(withRange(stick, [0, 255]))]).toEqual([true, false, true]);
  });

  it('is described by a device of no driver of its own', () => {
    const report = [
      // A joystick with 8-bit X, Y, Z, Rz, then a hat.
      '0501 0904 a101 a102 1500 26ff00 7508 9504 0930 0931 0932 0935 8102 2507 7504 9501 0939 8142',
      // A signed slider, after a vendor-defined page that is pushed and popped; a padding; a wheel that is relative.
      'a4 0600ff 0901 15ff 2501 8102 b4 0501 160080 26ff7f 0936 8102 0933 8101 0938 8106 c0 c0',
    ].join('');
    const pad = evdevPad(
      plug('event22', { name: 'Pad', key: '1000000000000 0 0 0 0', abs: '1006f', driver: 'hid-generic', report }),
    )!;
    const byte = [0, 255];
    expect(pad.axes.map(({ range }) => range)).toEqual([byte, byte, byte, undefined, byte, FULL, [-1, 1]]);
  });
});

describe('events of a gamepad', () => {
  const statesOf = (pad: EvdevPad, ...reports: readonly Uint8Array[]) => {
    const parser = new EvdevPadParser(pad);
    const states: JoyMessage[] = [];
    const found = reports.map((report) =>
      parser.feed(report, ({ axes, buttons }) => states.push({ axes: Array.from(axes), buttons: Array.from(buttons) })),
    );
    return { found, states, parser };
  };
  const pad = (): EvdevPad => evdevPad(join(folder, 'sys/class/input/event20/device'))!;

  it('are states as joydev gives them, one a group, after how it stood before', () => {
    const { states, found } = statesOf(
      pad(),
      events([MSC, 4, 9], [KEY, BTN_TL, 1]),
      events([ABS, ABS_X, -32_768], [ABS, ABS_Y, 32_767], [ABS, ABS_HAT0Y, -1]),
      events([KEY, BTN_TL, 2], [KEY, BTN_TL, 0], [ABS, ABS_X, 0]),
    );
    expect(found).toEqual(['whole', 'whole', 'whole']);
    expect(states.map(({ buttons }) => buttons[4])).toEqual([0, 1, 1, 0]);
    // Except the cross, which springs back.
    const unknown = [...new Array<number>(6).fill(Number.NaN), 0, 0];
    expect(states[1]!.axes).toEqual(unknown);
    expect(states[2]!.axes).toEqual([1, -1, NaN, NaN, NaN, NaN, 0, 1]);
    expect(states[3]!.axes[0]).toBe(0);
  });

  it('have their middle where pads of 8 bits rest, and begin anew after it was lost', () => {
    const eight = withRange({ axes: [{ code: 0, range: undefined }], buttons: [BTN_SOUTH] }, [0, 255]);
    const { states, parser } = statesOf(eight, ...[128, 0, 255].map((value) => events([ABS, 0, value])));
    expect(states.map(({ axes }) => axes[0])).toEqual([NaN, 0, 1, -1]);
    parser.reset();
    parser.feed(events([KEY, BTN_SOUTH, 1]), (state) => states.push({ axes: [state.axes[0]!], buttons: [] }));
    expect(states.slice(4).map(({ axes }) => axes[0])).toEqual([NaN, NaN]);
  });

  it.each([
    ['dropped', events([KEY, BTN_TL, 1], [SYN, 3, 0])],
    ['malformed', events([KEY, BTN_TL, 1]).subarray(0, 40)],
    ['malformed', events([KEY, 0x13f, 1])],
    ['malformed', events([ABS, 0x06, 1])],
    ['malformed', events([9, 1, 1])],
  ])('are %s where some were lost or it has no such thing', (report, bytes) => {
    expect(statesOf(pad(), bytes).found).toEqual([report]);
  });
});

describe('a gamepad by evdev', () => {
  const made = () => {
    const waiting: Uint8Array[] = [];
    const told: TeleopEvent[] = [];
    const port: InputPort = {
      pull: (onReport) => {
        for (const report of waiting.splice(0)) onReport(report);
        return 'there';
      },
      drop: () => undefined,
      close: () => undefined,
    };
    const clock = new FakeClock();
    const source = new LocalPad({
      action,
      clock,
      port,
      parser: new EvdevPadParser(evdevPad(join(folder, 'sys/class/input/event20/device'))!),
      mapping: mappingOf(JOY_PADS.xbox, action),
      device: { name: 'gamepad', subject: 'gamepad' },
      enabling: 'hold',
      hint: '',
      deadzone: 0,
      speed: 1,
      onEvent: (event) => told.push(event),
    });
    const out = { active: false, action: new Float32Array(4), phase: 'correct' as const };
    const does = (...reports: Uint8Array[]): string => {
      waiting.push(...reports);
      clock.advanceMs(20);
      source.poll(new Float32Array(0), 0, out);
      const moves = Array.from(out.action, (value) => Math.round(100 * value) / 100 + 0);
      return `${out.active ? 'holds' : 'policy'} ${moves.join(' ')}${source.isStopRequested ? ', stopped' : ''}`;
    };
    return { does, told, source };
  };
  const rest = events(...[ABS_X, ABS_Y, ABS_RX, ABS_RY].map((code) => [ABS, code, 0] as const));

  it('moves as one by joydev, once each of its sticks was seen in its middle', () => {
    const { does, told } = made();
    expect(does(events([KEY, BTN_TL, 1]))).toBe('holds 0 0 0 0');
    // Only one stick was reported: the position of the other is unknown.
    expect(does(events([ABS, ABS_X, 0], [ABS, ABS_Y, 0]), events([ABS, ABS_Y, -16_384]))).toBe('holds 0 0 0 0');
    expect(does(rest)).toBe('holds 0 0 0 0');
    expect(does(events([ABS, ABS_Y, -16_384], [ABS, ABS_RX, -32_768]))).toBe('holds 0.5 0 0 1');
    expect(does(events([KEY, BTN_TL, 0]))).toBe('holds 0 0 0 0');
    expect(does(events([KEY, BTN_START, 1]))).toBe('policy 0 0 0 0');
    expect(told).toEqual([]);
  });

  it('stops by its button, and stops and stays where events were lost', () => {
    const { does, source, told } = made();
    expect(does(events([KEY, BTN_EAST, 1]), events([KEY, BTN_EAST, 0]))).toBe('holds 0 0 0 0, stopped');
    source.giveBack();
    does(rest, events([KEY, BTN_TL, 1]));
    expect(does(events([ABS, ABS_Y, -32_768]))).toBe('holds 1 0 0 0');
    expect(does(events([SYN, 3, 0]), events([ABS, ABS_Y, -32_768]))).toBe('holds 0 0 0 0, stopped');
    expect(told.map(({ row }) => row)).toEqual([18]);
  });
});

describe('which device it is', () => {
  beforeAll(() => {
    for (const node of ['event20', 'event21', 'event22']) rmSync(join(folder, 'dev/input', node), { force: true });
    plug('event5', { ...xbox, js: 'js4' });
    plug('event6', {
      name: 'DualSense Wireless Controller',
      key: '7fdb000000000000 0 0 0 0',
      abs: '3003f',
      driver: 'playstation',
    });
    plug('event7', {
      name: 'AT Translated Set 2 keyboard',
      key: '402000000 3803078f800d001 feffffdfffefffff fffffffffffffffe',
      abs: '0',
    });
    plug('event8', { name: 'Touchpad', key: 'e520 10000 0 0 0 0', abs: '260800000000003' });
    plug('event9', { name: 'Power Button', key: '10000000000000 0', abs: '0' });
    writeFileSync(join(folder, 'dev/input/js4'), '');
    writeFileSync(join(folder, 'file'), '');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
  });
  const find = (what: 'gamepad' | 'pedal' | 'spacemouse', path: string) => findInputDevice(what, path, roots());

  it('is listed by evdev where joydev has no node for it', () => {
    const found = listInputDevices(roots()).map(({ path, pad, evdev }) => [
      path.slice(folder.length),
      pad,
      evdev !== undefined,
    ]);
    expect(found).toEqual([
      ['/dev/input/js4', undefined, false],
      ['/dev/input/event6', 'playstation', true],
    ]);
    expect(find('gamepad', join(folder, 'dev/input/event5')).evdev?.buttons).toHaveLength(11);
    expect(find('gamepad', join(folder, 'pipe'))).toMatchObject({ kind: 'gamepad', name: 'pipe' });
    expect(find('pedal', join(folder, 'dev/input/event7'))).toMatchObject({ kind: 'keyboard' });
  });

  it.each([
    ['gamepad', 'dev/input/event7'],
    ['gamepad', 'dev/input/event8'],
    ['gamepad', 'file'],
    ['gamepad', 'dev'],
    ['pedal', 'dev/input/event9'],
    ['pedal', 'dev/input/js4'],
    ['spacemouse', 'dev/input/event7'],
    ['spacemouse', 'pipe'],
    ['gamepad', '/etc/passwd'],
    ['gamepad', '/dev/null'],
    ['pedal', '/dev/zero'],
    ['spacemouse', '/dev/null'],
  ] as const)('is refused as a %s: %s', (what, at) => {
    const path = at.startsWith('/') ? at : join(folder, at);
    const word = what === 'spacemouse' ? 'SpaceMouse' : what;
    expect(() => find(what, path)).toThrow(
      expect.objectContaining({ message: `${path} is no ${word}.`, remedy: expect.stringContaining('rein doctor') }),
    );
  });
});
