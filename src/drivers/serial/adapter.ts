/**
 * Who the adapter at a port is. One with a serial number is known wherever it is plugged in; one without, as many CH340 boards are, only by
 * the USB socket that it is in: udev's link in `/dev/serial/by-path`.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where the system keeps what is read here; tests have their own. */
export interface SystemFolders {
  /** Of the kernel's devices. */
  readonly sys: string;
  /** Of udev's links by socket. */
  readonly byPath: string;
}

const SYSTEM: SystemFolders = { sys: '/sys', byPath: '/dev/serial/by-path' };
/** Of the form that udev gives its links: `usb-MAKER_PRODUCT_SERIAL-if00`. */
const BY_ID = /^usb-.+_([^_]+?)(?:-if\d+)?(?:-port\d+)?$/;
/** Before the name of a socket, where a serial number would stand. */
const SOCKET = 'socket:';

/**
 * Serial number of the adapter at `path`: what the kernel knows of a USB device, or, of what is none, the last part of a link that is named
 * as udev names them. `undefined` where there is none.
 */
export function serialNumberOf(path: string, { sys }: SystemFolders = SYSTEM): string | undefined {
  try {
    const device = realpathSync(join(sys, 'class', 'tty', basename(realpathSync(path)), 'device'));
    // The interface, or the port below it, stands a level or two under the USB device. The hub above that has a number of its own.
    const usb = ['..', '../..'].map((up) => join(device, up)).find((folder) => existsSync(join(folder, 'idVendor')));
    if (usb !== undefined) return textOf(join(usb, 'serial'));
  } catch {
    // No device of the kernel's: a pseudo-terminal, or nothing.
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

/** Link in `/dev/serial/by-path` that leads to `path`: the same for whatever is plugged into that socket. `undefined` where there is no udev. */
export function socketLinkOf(path: string, { byPath }: SystemFolders = SYSTEM): string | undefined {
  try {
    const port = realpathSync(path);
    // Newer ones of udev make two; the first is the one that all make.
    const links = readdirSync(byPath).sort();
    return links.map((name) => join(byPath, name)).find((link) => realpathSync(link) === port);
  } catch {
    return undefined;
  }
}

/** What a calibration is bound to: the adapter's serial number, else its socket, else nothing (empty). */
export function adapterOf(path: string, folders: SystemFolders = SYSTEM): string {
  const serialNumber = serialNumberOf(path, folders);
  if (serialNumber !== undefined) return serialNumber;
  const link = socketLinkOf(path, folders);
  return link === undefined ? '' : `${SOCKET}${basename(link)}`;
}

/** Known by its socket alone. */
export function isSocket(adapter: string): boolean {
  return adapter.startsWith(SOCKET);
}

/** In words, behind "bound to". */
export function adapterText(adapter: string): string {
  if (adapter === '') return 'no adapter';
  if (!isSocket(adapter)) return `the adapter ${adapter}`;
  return `the USB socket ${adapter.slice(SOCKET.length)}, as its adapter has no serial number`;
}
