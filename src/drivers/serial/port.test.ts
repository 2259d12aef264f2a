import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { permissionRemedy } from './list-ports.ts';
import { latencyWarning, pathOf, portRefusal } from './port.ts';

describe('a port that cannot be opened', () => {
  it.each([
    [
      'Error: Permission denied, cannot open /dev/ttyUSB0',
      'Permission denied: /dev/no-such-port',
      'sudo usermod -aG dialout $USER',
    ],
    ['Error: No such file or directory, cannot open', 'There is no', 'Plug the adapter in'],
    [
      'Error Resource temporarily unavailable Cannot lock port',
      'is in use by another program',
      'sudo fuser -v /dev/no-such-port',
    ],
    ['Error: setting custom baud rate of 42 failed', 'cannot be opened: Error', 'rein doctor'],
  ])('says what is wrong, and what mends it: %s', (text, message, remedy) => {
    const cause = new Error(text);
    expect(portRefusal('/dev/no-such-port', text, cause)).toMatchObject({
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
      cause,
    });
  });
});

describe('the rights to open a port', () => {
  it.each([
    [{ group: 'dialout', mode: 0o20660 }, 'sudo usermod -aG dialout $USER, then log out and in again'],
    [{ group: 'uucp', mode: 0o20660 }, 'sudo usermod -aG uucp $USER, then log out and in again'],
    [undefined, 'sudo usermod -aG dialout $USER, then log out and in again'],
  ])('are those of a group that is there for ports: %o', (rights, remedy) => {
    expect(permissionRemedy('/dev/ttyUSB0', rights)).toBe(remedy);
  });

  it.each([
    { group: 'root', mode: 0o20600 },
    { group: 'root', mode: 0o20660 },
    { group: 'dialout', mode: 0o20600 },
    { group: 'tty', mode: 0o20620 },
    { group: undefined, mode: 0o20660 },
  ])('come by a rule where joining its group would not open it, or would give more: %o', (rights) => {
    const remedy = permissionRemedy('/dev/ttyACM3', rights);
    expect(remedy).toContain('KERNEL=="ttyACM*", SUBSYSTEM=="tty", GROUP="dialout", MODE="0660"');
    expect([...remedy.matchAll(/usermod -aG (\w+)/g)].map(([, group]) => group)).toEqual(['dialout']);
  });
});

describe('a robot whose file names no port', () => {
  const ports = [{ path: '/dev/ttyUSB0', adapter: 'OTHER' }];

  it('is at the adapter that it was calibrated with', () => {
    expect(pathOf([...ports, { path: '/dev/ttyUSB1', adapter: 'MINE' }], { adapter: 'MINE' })).toBe('/dev/ttyUSB1');
  });

  it('and another adapter is refused with the commands that mend it', () => {
    expect(() => pathOf(ports, { adapter: 'MINE', named: 'my-arm' })).toThrow(
      expect.objectContaining({
        remedy: expect.stringMatching(/rein calibrate --robot my-arm --rebind .*rein doctor --robot my-arm /),
      }),
    );
  });
});

describe('an adapter that gathers bytes', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rein-port-'));
    writeFileSync(join(folder, 'ttyUSB7'), '');
    symlinkSync('ttyUSB7', join(folder, 'usb-FTDI-if00'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** `timer`: content of the kernel's file; absent: no such file. */
  function warningAt(timer?: string): ReturnType<typeof latencyWarning> {
    const device = join(folder, 'class/tty/ttyUSB7/device');
    mkdirSync(device, { recursive: true });
    if (timer !== undefined) writeFileSync(join(device, 'latency_timer'), timer);
    return latencyWarning(join(folder, 'usb-FTDI-if00'), folder);
  }

  it('is warned of, by whatever link it is named, with the command that mends it', () => {
    expect(warningAt('16\n')).toEqual({
      message: `${folder}/usb-FTDI-if00 buffers bytes for 16 ms (latency timer): each reading is late by as much.`,
      remedy: `echo 1 | sudo tee ${folder}/class/tty/ttyUSB7/device/latency_timer`,
    });
  });

  it.each([['1\n'], [undefined]])('is no matter where its timer is %o', (timer) => {
    expect(warningAt(timer)).toBeUndefined();
  });
});
