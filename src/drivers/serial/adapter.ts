/**
 * Identity of the adapter at a port. One with a serial number is recognised wherever it is plugged in; one without,
 * such as many CH340 boards, only by its USB socket: udev's link in `/dev/serial/by-path`.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

/** System folders that are read here; replaced in tests. */
export interface SystemFolders {
  /** Devices of the kernel. */
  readonly sys: string;
  /** Links of udev by socket. */
  readonly byPath: string;
}

const SYSTEM: SystemFolders = { sys: '/sys', byPath: '/dev/serial/by-path' };
/** Format of udev's links: `usb-MAKER_PRODUCT_SERIAL-if00`. */
const BY_ID = /^usb-.+_([^_]+?)(?:-if\d+)?(?:-port\d+)?$/;
/** Prefix of a socket's name, in place of a serial number. */
const SOCKET = 'socket:';

/**
 * Returns the serial number of the adapter at `path`: the kernel's for a USB device, else the last part of a link in
 * udev's naming scheme. `undefined` if there is none.
 */
export function serialNumberOf(path: string, { sys }: SystemFolders = SYSTEM): string | undefined {
  try {
    const device = realpathSync(join(sys, 'class', 'tty', basename(realpathSync(path)), 'device'));
    // The interface, or the port below it, is one or two levels below the USB device. The hub above has its own serial number.
    const usb = ['..', '../..'].map((up) => join(device, up)).find((folder) => existsSync(join(folder, 'idVendor')));
    if (usb !== undefined) return textOf(join(usb, 'serial'));
  } catch {
    // Not a kernel device: a pseudo-terminal, or a missing path.
  }
  return BY_ID.exec(basename(path))?.[1];
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the link in `/dev/serial/by-path` to `path`: the same for any device in that socket. `undefined` without udev. */
export function socketLinkOf(path: string, { byPath }: SystemFolders = SYSTEM): string | undefined {
  try {
    const port = realpathSync(path);
    // Newer versions of udev make two links; the first is common to all versions.
    const links = readdirSync(byPath).sort();
    return links.map((name) => join(byPath, name)).find((link) => realpathSync(link) === port);
  } catch {
    return undefined;
  }
}

/** Returns the adapter as a calibration is bound to it: serial number, else socket, else empty. */
export function adapterOf(path: string, folders: SystemFolders = SYSTEM): string {
  const serialNumber = serialNumberOf(path, folders);
  if (serialNumber !== undefined) return serialNumber;
  const link = socketLinkOf(path, folders);
  return link === undefined ? '' : `${SOCKET}${basename(link)}`;
}

/** Returns true if the adapter is identified by its socket only. */
export function isSocket(adapter: string): boolean {
  return adapter.startsWith(SOCKET);
}

/** Returns a text to follow "bound to". */
export function adapterText(adapter: string): string {
  if (adapter === '') return 'no adapter';
  if (!isSocket(adapter)) return `the adapter ${adapter}`;
  return `the USB socket ${adapter.slice(SOCKET.length)}, as its adapter has no serial number`;
}
