/** Lists the input devices of this machine without opening one: their kinds, and whether this user may read them. */
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ReinError } from '../../model/index.ts';
import type { JoyPadName } from '../remote/joy-pads.ts';
import { capabilities, type EvdevPad, evdevPad, isMultiAxis } from './evdev-layout.ts';
import { KEY_CODES } from './key-events.ts';
import { layoutOf } from './pad-layout.ts';
import { SPACE_MICE, SPACE_MOUSE_MAKERS } from './space-mouse.ts';

export interface InputDevice {
  readonly kind: 'gamepad' | 'keyboard' | 'spacemouse';
  /** Value for `device`: a name that is independent of the port, where there is one. */
  readonly path: string;
  /** Name given by the kernel. */
  readonly name: string;
  /** Layout of a gamepad's axes and buttons. Absent: unknown. */
  readonly pad?: JoyPadName;
  /** Axes and buttons of a gamepad that is read by evdev. Absent: read by joydev, which reports them itself. */
  readonly evdev?: EvdevPad;
  readonly isReadable: boolean;
  /** Absent if the kernel reports none. */
  readonly usb?: UsbIds;
}

/** As udev writes them: four lower-case hexadecimal digits. */
interface UsbIds {
  readonly vendor: string;
  readonly product: string;
}

/** Requestable kinds. A pedal is a keyboard. */
type Wanted = 'gamepad' | 'spacemouse' | 'pedal';
const WORDS: Readonly<Record<Wanted, string>> = { gamepad: 'gamepad', spacemouse: 'SpaceMouse', pedal: 'pedal' };
const KINDS: Readonly<Record<Wanted, InputDevice['kind']>> = {
  gamepad: 'gamepad',
  spacemouse: 'spacemouse',
  pedal: 'keyboard',
};

/** Folders in which the kernel lists devices; tests use their own. */
export interface DeviceRoots {
  readonly dev: string;
  readonly sys: string;
}

const ROOTS: DeviceRoots = { dev: '/dev', sys: '/sys' };

/**
 * Returns how to grant users at this machine the right to read `devices`, until they log out: only these, as the right
 * to read all input includes passwords.
 */
export function readRemedy(devices: readonly Pick<InputDevice, 'kind' | 'path' | 'usb'>[]): string {
  const rules = new Set(
    devices.flatMap((device) => (device.usb === undefined ? [] : [udevRule(device.kind, device.usb)])),
  );
  const owned = `sudo chown $USER ${devices.map(({ path }) => path).join(' ')} (until it is plugged in again)`;
  if (rules.size === 0) return owned;
  const lines = [...rules].join(' and, on a line of its own, ');
  return `write to /etc/udev/rules.d/70-rein-input.rules: ${lines}; then sudo udevadm control --reload && sudo udevadm trigger. Without udev: ${owned}`;
}

/** By udev(7): an input node's ids are attributes of its parent, those of a raw HID node of its USB device. */
function udevRule(kind: InputDevice['kind'], { vendor, product }: UsbIds): string {
  return kind === 'spacemouse'
    ? `KERNEL=="hidraw*", ATTRS{idVendor}=="${vendor}", ATTRS{idProduct}=="${product}", TAG+="uaccess"`
    : `SUBSYSTEM=="input", ATTRS{id/vendor}=="${vendor}", ATTRS{id/product}=="${product}", TAG+="uaccess"`;
}

/** Returns gamepads (by joydev where possible), then six-axis mice, then keyboards (including pedals), each by its name. */
export function listInputDevices(roots: DeviceRoots = ROOTS): readonly InputDevice[] {
  const stable = stableNames(roots);
  const nodes = (prefix: string): readonly string[] => namesIn(join(roots.dev, 'input'), prefix);
  const withoutJoydev = nodes('event').filter((node) => namesIn(aboutOf(node, roots), 'js').length === 0);
  // A keyboard for typing is not listed; pedals have few keys, and are recognised by their name or configured by hand.
  const keyboards = nodes('event').map((node) => inputNode(node, 'keyboard', roots, stable));
  return [
    ...nodes('js').map((node) => gamepad(node, roots, stable)),
    ...withoutJoydev.flatMap((node) => evdevGamepad(node, roots, stable) ?? []),
    ...spaceMice(roots),
    ...keyboards.filter(({ path, name }) => /-event-kbd$/.test(path) || isPedal(name)),
  ];
}

function aboutOf(node: string, { sys }: DeviceRoots): string {
  return join(sys, 'class/input', node, 'device');
}

function inputNode(
  node: string,
  kind: InputDevice['kind'],
  roots: DeviceRoots,
  stable: ReadonlyMap<string, string>,
): InputDevice {
  const path = join(roots.dev, 'input', node);
  const about = aboutOf(node, roots);
  const name = firstLine(join(about, 'name'));
  const ids = usbIds(readText(join(about, 'id/vendor')), readText(join(about, 'id/product')));
  return { kind, path: stable.get(node) ?? path, name, isReadable: isReadable(path), ...ids };
}

function gamepad(node: string, roots: DeviceRoots, stable: ReadonlyMap<string, string>): InputDevice {
  const device = inputNode(node, 'gamepad', roots, stable);
  const about = aboutOf(node, roots);
  const told = evdevPad(about);
  const pad = told && layoutOf(told, firstLine(join(about, 'id/vendor')));
  return pad === undefined ? device : { ...device, pad };
}

function evdevGamepad(node: string, roots: DeviceRoots, stable: ReadonlyMap<string, string>): InputDevice | undefined {
  const evdev = evdevPad(aboutOf(node, roots));
  return evdev === undefined ? undefined : { ...gamepad(node, roots, stable), evdev };
}

/** True if a device of this name is a foot pedal. */
export function isPedal(name: string): boolean {
  return /pedal|foot\s*switch/i.test(name);
}

/**
 * Returns the device at `wanted`, or the first of its kind; a keyboard counts as a pedal if configured. Throws
 * `ReinError` with one sentence if there is none, it is something else, or it may not be read.
 */
export function findInputDevice(what: Wanted, wanted: string | undefined, roots: DeviceRoots = ROOTS): InputDevice {
  const all = listInputDevices(roots).filter(({ kind }) => kind === KINDS[what]);
  const found =
    wanted === undefined
      ? all.find(({ name }) => what !== 'pedal' || isPedal(name))
      : (all.find(({ path }) => isSame(path, wanted)) ?? unlisted(what, wanted, roots));
  const word = WORDS[what];
  if (found === undefined) {
    const isOther = wanted !== undefined && existsSync(wanted);
    const missing = wanted === undefined ? `No ${word} is plugged in.` : `There is no ${word} at ${wanted}.`;
    throw new ReinError('environment', isOther ? `${wanted} is no ${word}.` : missing, {
      remedy: `${isOther ? `Name a ${word}` : 'Plug it in'}; rein doctor lists the input devices of this machine.`,
    });
  }
  if (found.isReadable) return found;
  throw new ReinError('environment', `Permission denied: the ${word} ${found.name} (${found.path}).`, {
    remedy: `Let root ${readRemedy([found])}.`,
  });
}

/**
 * Returns a device configured by its path and not listed: a gamepad that joydev has, too, a keyboard, or a named pipe
 * in place of a device.
 */
function unlisted(what: Wanted, path: string, roots: DeviceRoots): InputDevice | undefined {
  if (what === 'spacemouse' || !existsSync(path)) return undefined;
  const real = realpathSync(path);
  if (statSync(real).isFIFO()) return { kind: KINDS[what], path, name: basename(path), isReadable: isReadable(path) };
  const node = basename(real);
  const isEvent = node.startsWith('event') && isSame(dirname(real), join(roots.dev, 'input'));
  if (!isEvent) return undefined;
  const stable = new Map([[node, path]]);
  if (what === 'gamepad') return evdevGamepad(node, roots, stable);
  const keys = capabilities(aboutOf(node, roots), 'key');
  const isKeyboard = Object.values(KEY_CODES).some((code) => keys.includes(code));
  return isKeyboard ? inputNode(node, 'keyboard', roots, stable) : undefined;
}

function isSame(path: string, wanted: string): boolean {
  if (path === wanted) return true;
  try {
    return realpathSync(path) === realpathSync(wanted);
  } catch {
    return false; // one of them is not there
  }
}

/** Returns the link in `by-id` per node. */
function stableNames({ dev }: DeviceRoots): ReadonlyMap<string, string> {
  const folder = join(dev, 'input/by-id');
  const names = new Map<string, string>();
  for (const name of namesIn(folder, '')) {
    const path = join(folder, name);
    try {
      names.set(basename(realpathSync(path)), path);
    } catch {
      // A link to a device that has just gone.
    }
  }
  return names;
}

/**
 * Finds devices whose report descriptors contain a multi-axis controller (HID Usage Tables, page 1, usage 8): product
 * ids change, and a receiver has several interfaces, some of them mute. Restricted to makers whose reports are known.
 */
function spaceMice({ dev, sys }: DeviceRoots): InputDevice[] {
  return namesIn(dev, 'hidraw').flatMap((node): InputDevice[] => {
    const about = join(sys, 'class/hidraw', node, 'device');
    const text = readText(join(about, 'uevent'));
    // HID_ID=0003:0000256F:0000C635, bus, vendor and product.
    const [, vendor, product] = /^HID_ID=\w+:(\w+):(\w+)$/m.exec(text) ?? [];
    const [vendorId, productId] = [Number.parseInt(vendor ?? '', 16), Number.parseInt(product ?? '', 16)];
    if (!SPACE_MOUSE_MAKERS.includes(vendorId) || !isMultiAxis(join(about, 'report_descriptor'))) return [];
    const known = SPACE_MICE.find((mouse) => mouse.vendorId === vendorId && mouse.productId === productId);
    const path = join(dev, node);
    const name = known?.name ?? /^HID_NAME=(.+)$/m.exec(text)?.[1]?.trim() ?? 'SpaceMouse';
    return [{ kind: 'spacemouse', path, name, isReadable: isReadable(path), ...usbIds(vendor, product) }];
  });
}

/** Normalises hexadecimal `vendor` and `product` ids of any length; returns nothing if either is invalid. */
function usbIds(vendor = '', product = ''): { readonly usb?: UsbIds } {
  const [a, b] = [vendor, product].map((digits) => digits.trim().toLowerCase().slice(-4).padStart(4, '0')) as [
    string,
    string,
  ];
  return [a, b].every((digits) => /^[0-9a-f]{4}$/.test(digits) && digits !== '0000')
    ? { usb: { vendor: a, product: b } }
    : {};
}

/** Natural order: js2 before js10. */
function namesIn(folder: string, prefix: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
    return names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch {
    return []; // no such folder: no such devices
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function firstLine(path: string): string {
  return readText(path).split('\n')[0]?.trim() || 'unnamed';
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
