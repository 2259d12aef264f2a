import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import type { ActionSpec } from '../../model/index.ts';
import { findGamepad } from '../../session/operator-devices.ts';
import { JOY_PAD_NAMES, JOY_PADS, type JoyPadName, mappingOf, padLegend, padMisfit } from '../remote/joy-pads.ts';
import { JoyTeleop } from '../remote/joy-teleop.ts';
import { evdevPad } from './evdev-layout.ts';
import { JoydevParser } from './joydev.ts';
import { findInputDevice, listInputDevices } from './list-devices.ts';
import { plainOperator } from './operator-options.ts';

/** Labels of a device's buttons, by the kernel's code: xpad.c, hid-playstation.c, and the D switch of Logitech's pads. */
interface Device {
  readonly vendor: string;
  readonly axes: readonly number[];
  readonly buttons: Readonly<Record<string, number>>;
}

const STICKS = [0, 1, 2, 3, 4, 5, 16, 17];
const DEVICES: Readonly<Record<JoyPadName, Device>> = {
  xbox: {
    vendor: '045e',
    axes: STICKS,
    buttons: { A: 304, B: 305, X: 307, Y: 308, LB: 310, RB: 311, Back: 314, Start: 315, Guide: 316, LS: 317, RS: 318 },
  },
  playstation: {
    vendor: '054c',
    axes: STICKS,
    buttons: {
      cross: 304,
      circle: 305,
      triangle: 307,
      square: 308,
      L1: 310,
      R1: 311,
      L2: 312,
      R2: 313,
      Share: 314,
      Options: 315,
      PS: 316,
      L3: 317,
      R3: 318,
    },
  },
  logitechD: {
    vendor: '046d',
    axes: [0, 1, 2, 5, 16, 17],
    buttons: {
      X: 288,
      A: 289,
      B: 290,
      Y: 291,
      LB: 292,
      RB: 293,
      LT: 294,
      RT: 295,
      Back: 296,
      Start: 297,
      LS: 298,
      RS: 299,
    },
  },
  stick: {
    vendor: '046d',
    axes: [0, 1, 5, 6, 16, 17],
    buttons: { trigger: 288, thumb: 289, '3': 290, '4': 291, '5': 292, '6': 293, '7': 294, '8': 295 },
  },
};

/** A bitmap as input.c prints it: words of 64 bits, the highest first. */
function bitmap(codes: readonly number[]): string {
  const all = codes.reduce((sum, code) => sum | (1n << BigInt(code)), 0n);
  const words: string[] = [];
  for (let rest = all; rest > 0n; rest >>= 64n) words.unshift((rest & 0xffff_ffff_ffff_ffffn).toString(16));
  return words.join(' ');
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-layout-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of ['dev', 'sys']) rmSync(join(folder, name), { recursive: true, force: true });
});
const roots = () => ({ dev: join(folder, 'dev'), sys: join(folder, 'sys') });

function write(path: string, bytes: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
}

/** The device as the kernel shows it, under a misleading name. */
function plug(node: string, { vendor, axes, buttons }: Device): string {
  const about = `sys/class/input/${node}/device`;
  write(`dev/input/${node}`, '');
  write(`${about}/name`, 'Logitech X-Box PlayStation Flight Stick\n');
  write(`${about}/id/vendor`, `${vendor}\n`);
  write(`${about}/capabilities/abs`, `${bitmap(axes)}\n`);
  write(`${about}/capabilities/key`, `${bitmap(Object.values(buttons))}\n`);
  return join(folder, about);
}

const action: ActionSpec = { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] };

/** Returns the function of the button `code`, with the device's mapping. */
function pressed(device: Device, pad: JoyPadName, code: number): string[] {
  const done: string[] = [];
  const joy = new JoyTeleop({
    action,
    clock: new FakeClock(1_000_000_000n),
    mapping: mappingOf(JOY_PADS[pad], action),
    onMark: (mark) => done.push(mark),
    onRewind: () => done.push('rewind'),
    onCritical: () => done.push('critical'),
    axes: 'asTold',
  });
  const parser = new JoydevParser();
  const say = (...events: readonly (readonly [type: number, index: number, value: number])[]): void => {
    const bytes = Buffer.alloc(8 * events.length);
    events.forEach(([type, index, value], i) => {
      bytes.writeInt16LE(value, 8 * i + 4);
      bytes.writeUInt8(type, 8 * i + 6);
      bytes.writeUInt8(index, 8 * i + 7);
    });
    parser.feed(bytes, (state) => joy.onJoy(state, 1));
  };
  const codes = Object.values(device.buttons).toSorted((a, b) => a - b);
  say(...codes.map((_, i) => [0x81, i, 0] as const), ...device.axes.map((_, i) => [0x82, i, 0] as const));
  say([1, codes.indexOf(code), 1]);
  if (joy.isInControl) done.push('enable');
  if (joy.isStopRequested) done.push('stop');
  return done;
}

/** Describes `pressed`. */
const SEEN = ['enable', 'stop', 'success', 'failure', 'rewind', 'critical'] as const;

describe.each(JOY_PAD_NAMES)('a pad %s', (pad) => {
  it('is known by its axes and buttons, whatever its name, by joydev and by evdev', () => {
    const device = DEVICES[pad];
    plug('js0', device);
    const about = plug('event9', device);
    expect(listInputDevices(roots()).map((each) => each.pad)).toEqual([pad, pad]);
    const { axes, buttons } = evdevPad(about)!;
    const numbers = { axes: axes.map(({ code }) => code), buttons };
    expect(padMisfit(pad, numbers)).toBeUndefined();
    // A stick may have as many buttons as a pad, so their number alone does not identify it.
    for (const other of JOY_PAD_NAMES.filter((name) => name !== pad && name !== 'stick' && pad !== 'stick'))
      expect(padMisfit(other, numbers)).toContain(`a pad ${other} has`);
  });

  it('has no button that does another thing than people are told', () => {
    const device = DEVICES[pad];
    const { labels } = JOY_PADS[pad];
    const roles = SEEN.filter((role) => labels[role] !== undefined);
    const words = new Map(roles.map((role) => [labels[role]!.replace(/^the /, ''), role]));
    expect([...words.values()]).toEqual(expect.arrayContaining(['enable', 'stop', 'success', 'failure']));
    for (const [label, code] of Object.entries(device.buttons)) {
      const does = pressed(device, pad, code).filter((act) => act !== 'enable' || words.get(label) === 'enable');
      expect(`${label}: ${does}`).toBe(`${label}: ${words.get(label) ?? ''}`);
    }
  });

  it('has no word on marks where nobody takes note of them, and loses no other', () => {
    const [all, unmarked] = (['marks', 'noMarks'] as const).map((marks) => padLegend(JOY_PADS[pad], marks).split(', '));
    expect(all!.filter((words) => / (success|failure)$/.test(words))).toHaveLength(2);
    expect(unmarked).toEqual(all!.filter((words) => !/ (success|failure)$/.test(words)));
  });
});

describe('a pad that is none of these', () => {
  const unknown: Readonly<Record<string, Device>> = {
    'of numbered buttons by another maker': { ...DEVICES.logitechD, vendor: '0810' },
    'with a button C': { ...DEVICES.xbox, buttons: { ...DEVICES.xbox.buttons, C: 306 } },
    'without a right stick': { ...DEVICES.xbox, axes: [0, 1, 16, 17] },
  };

  it.each(Object.keys(unknown))('%s drives nothing before a file names its layout', (which) => {
    plug('js0', unknown[which]!);
    const { pad: _, ...config } = { ...plainOperator('gamepad') } as Parameters<typeof findGamepad>[0];
    expect(() => findGamepad(config, roots())).toThrow(/The stop button of .* is unknown/);
    expect(findGamepad({ ...config, pad: 'stick' }, roots()).pad).toBe('stick');
  });

  it('is not believed to be one where the kernel says that it is another', () => {
    plug('js0', DEVICES.logitechD);
    const config = plainOperator('gamepad') as Parameters<typeof findGamepad>[0];
    expect(() => findGamepad({ ...config, pad: 'xbox' }, roots())).toThrow('has the buttons of a logitechD');
  });
});

describe('a six-axis mouse', () => {
  const [AXES, MUTE] = ['050109 08a1 01c0', '0600ff 0900a101c0'].map((hex) =>
    Buffer.from(hex.replaceAll(' ', ''), 'hex'),
  );
  const hid = (node: string, id: string, descriptor: Uint8Array, name = 'Receiver'): void => {
    write(`dev/${node}`, '');
    write(`sys/class/hidraw/${node}/device/uevent`, `HID_ID=0003:${id}\nHID_NAME=${name}\n`);
    write(`sys/class/hidraw/${node}/device/report_descriptor`, descriptor);
  };

  it('is the interface of a receiver that has its axes', () => {
    for (const i of [3, 4, 5, 6, 7]) hid(`hidraw${i}`, '0000256F:0000C652', i === 6 ? AXES! : MUTE!);
    expect(findInputDevice('spacemouse', undefined, roots()).path).toBe(join(folder, 'dev/hidraw6'));
  });

  it('is one of these makers whatever its product, and none of others', () => {
    hid('hidraw1', '0000256F:0000FFFF', AXES!, '3Dconnexion Newest');
    hid('hidraw2', '00001234:00005678', AXES!);
    expect(listInputDevices(roots()).map(({ name }) => name)).toEqual(['3Dconnexion Newest']);
  });
});
