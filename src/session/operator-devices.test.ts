import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operatorSchema } from '../teleop/index.ts';
import { checkDevices, type DeviceOf, findGamepad } from './operator-devices.ts';

it('refuse before anything starts what is no device of its kind', () => {
  const task = {} as Parameters<typeof checkDevices>[1];
  for (const [kind, word] of [
    ['spacemouse', 'SpaceMouse'],
    ['gamepad', 'gamepad'],
  ]) {
    const operator = operatorSchema.parse({ kind, device: '/dev/null' });
    expect(() => checkDevices([operator], task)).toThrow(
      expect.objectContaining({
        message: `/dev/null is no ${word}.`,
        remedy: `Name a ${word}; rein doctor lists the input devices of this machine.`,
      }),
    );
  }
});

it('refuse a gamepad by evdev of whose sticks nobody says how far they go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-devices-'));
  const about = join(folder, 'sys/class/input/event3/device');
  mkdirSync(join(about, 'capabilities'), { recursive: true });
  mkdirSync(join(folder, 'dev/input'), { recursive: true });
  const device = join(folder, 'dev/input/event3');
  for (const [path, text] of [
    [device, ''],
    [join(about, 'name'), 'No Name Pad'],
    [join(about, 'capabilities/key'), '7cdb000000000000 0 0 0 0'],
    [join(about, 'capabilities/abs'), '3003f'],
  ] as const)
    writeFileSync(path, text);
  const find = (more: object) =>
    findGamepad(operatorSchema.parse({ kind: 'gamepad', device, ...more }) as DeviceOf<'gamepad'>, {
      dev: join(folder, 'dev'),
      sys: join(folder, 'sys'),
    });
  expect(() => find({})).toThrow(
    expect.objectContaining({
      message: `The stick range of No Name Pad (${device}) is unknown.`,
      remedy: expect.stringContaining('axisRange: [min, max]'),
    }),
  );
  const { evdev } = find({ axisRange: [-128, 127] });
  expect(evdev!.axes.map(({ range }) => range![1])).toEqual([127, 127, 127, 127, 127, 127, 1, 1]);
  rmSync(folder, { recursive: true });
});
