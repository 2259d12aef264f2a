import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adapterOf, adapterText, type SystemFolders, serialNumberOf } from './adapter.ts';

let folder: string;
let folders: SystemFolders;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-adapters-'));
  folders = { sys: join(folder, 'sys'), byPath: join(folder, 'by-path') };
  mkdirSync(folders.byPath);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a port as shown by kernel and udev, behind a root hub with its own serial number. Returns its path. */
function plugIn(name: string, bus: string, serial: string | undefined, socket: string): string {
  const hub = join(folders.sys, 'devices', 'pci0000:00', '0000:00:14.0', 'usb1');
  const usb = join(hub, bus);
  const face = join(usb, `${bus}:1.0`);
  // A USB modem's port is on the interface, others on a port of their own below it.
  const device = name.startsWith('ttyACM') ? face : join(face, name);
  mkdirSync(device, { recursive: true });
  for (const [at, text] of [
    [hub, '0000:00:14.0'],
    [usb, serial],
  ] as const) {
    writeFileSync(join(at, 'idVendor'), '1a86\n');
    if (text !== undefined) writeFileSync(join(at, 'serial'), `${text}\n`);
  }
  const tty = join(folders.sys, 'class', 'tty', name, 'device');
  mkdirSync(dirname(tty), { recursive: true });
  symlinkSync(device, tty);
  const path = join(folder, name);
  writeFileSync(path, '');
  symlinkSync(path, join(folders.byPath, socket));
  return path;
}

const SOCKETS = ['pci-0000:00:14.0-usb-0:2:1.0-port0', 'pci-0000:00:14.0-usb-0:3:1.0-port0'] as const;

describe('the adapter at a port', () => {
  it('is known by its serial number, wherever it is plugged in', () => {
    const path = plugIn('ttyACM0', '1-2', '58FA1022', SOCKETS[0]);
    expect(serialNumberOf(path, folders)).toBe('58FA1022');
    expect(adapterOf(path, folders)).toBe('58FA1022');
    expect(adapterText('58FA1022')).toBe('the adapter 58FA1022');
  });

  it.each(['ttyUSB', 'ttyACM'])(
    'without one is known by its socket, and not by the number of the hub above (%s)',
    (kind) => {
      const paths = [
        plugIn(`${kind}0`, '1-2', undefined, SOCKETS[0]),
        plugIn(`${kind}1`, '1-3', undefined, SOCKETS[1]),
      ];
      expect(paths.map((path) => serialNumberOf(path, folders))).toEqual([undefined, undefined]);
      expect(paths.map((path) => adapterOf(path, folders))).toEqual(SOCKETS.map((name) => `socket:${name}`));
      expect(adapterText(adapterOf(paths[0]!, folders))).toBe(
        `the USB socket ${SOCKETS[0]}, as its adapter has no serial number`,
      );
    },
  );

  it('without one has none by its link either: all of its make share that', () => {
    const path = plugIn('ttyUSB0', '1-2', undefined, SOCKETS[0]);
    const link = join(folder, 'usb-1a86_USB_Serial-if00-port0');
    symlinkSync(path, link);
    expect(adapterOf(link, folders)).toBe(`socket:${SOCKETS[0]}`);
  });

  it('that is a pseudo-terminal has what its link says, or nothing', () => {
    const path = join(folder, 'usb-Emulated_arm_EMU0001-if00');
    writeFileSync(path, '');
    expect(adapterOf(path, folders)).toBe('EMU0001');
    expect(adapterOf('/dev/null', folders)).toBe('');
    expect(adapterText('')).toBe('no adapter');
  });
});
