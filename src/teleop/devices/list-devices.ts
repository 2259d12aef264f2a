/** Input devices of this machine, without opening one: what they are, and whether this user may read them. */
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ReinError } from '../../core/index.ts';
import type { JoyPadName } from '../remote/joy-pads.ts';
import { SPACE_MICE } from './space-mouse.ts';

export interface InputDevice {
  readonly kind: 'gamepad' | 'keyboard' | 'spacemouse';
  /** What to write in `device`: a name that stays where it is plugged in elsewhere, where there is one. */
  readonly path: string;
  /** As the kernel calls it. */
  readonly name: string;
  /** The mapping that suits it; of gamepads. */
  readonly pad?: JoyPadName;
  readonly isReadable: boolean;
}

/** Where the kernel shows them; tests have folders of their own. */
export interface DeviceRoots {
  readonly dev: string;
  readonly sys: string;
}

const ROOTS: DeviceRoots = { dev: '/dev', sys: '/sys' };

/** Gives everybody at the machine the right to read them, and takes it away when they log out. */
export const UDEV_REMEDY: string =
  'write to /etc/udev/rules.d/70-rein-input.rules: SUBSYSTEM=="input", TAG+="uaccess" and, on a line of its own, KERNEL=="hidraw*", ATTRS{idVendor}=="256f|046d", TAG+="uaccess"; then sudo udevadm control --reload && sudo udevadm trigger';

/** Gamepads, then six-axis mice, then keyboards (pedals are some), each by its name. */
export function listInputDevices(roots: DeviceRoots = ROOTS): readonly InputDevice[] {
  const stable = stableNames(roots);
  const input = (prefix: string, kind: InputDevice['kind']): InputDevice[] =>
    namesIn(join(roots.dev, 'input'), prefix).map((node) => {
      const about = join(roots.sys, 'class/input', node, 'device');
      const path = join(roots.dev, 'input', node);
      const name = firstLine(join(about, 'name'));
      const own = { kind, path: stable.get(node) ?? path, name, isReadable: isReadable(path) };
      return kind === 'gamepad' ? { ...own, pad: padOf(firstLine(join(about, 'id/vendor')), name) } : own;
    });
  // A keyboard that types has no place here; pedals have few keys, and say what they are or are named by hand.
  const keyboards = input('event', 'keyboard').filter(({ path, name }) => /-event-kbd$/.test(path) || isPedal(name));
  return [...input('js', 'gamepad'), ...spaceMice(roots), ...keyboards];
}

/** Whether a device of this name is a foot pedal. */
export function isPedal(name: string): boolean {
  return /pedal|foot\s*switch/i.test(name);
}

/**
 * The device at `wanted`, or the first of those that `suits`. Throws `ReinError` with one sentence where there is none, or it may not be
 * read.
 */
export function findInputDevice(
  what: string,
  suits: (device: InputDevice) => boolean,
  wanted: string | undefined,
  roots: DeviceRoots = ROOTS,
): InputDevice {
  const all = listInputDevices(roots);
  const found =
    wanted === undefined ? all.find(suits) : (all.find(({ path }) => isSame(path, wanted)) ?? unlisted(wanted));
  const remedy = 'Plug it in; rein doctor lists the input devices of this machine.';
  if (found === undefined) {
    const missing = wanted === undefined ? `No ${what} is plugged in.` : `There is no ${what} at ${wanted}.`;
    throw new ReinError('environment', missing, { remedy });
  }
  if (found.isReadable) return found;
  throw new ReinError('environment', `The ${what} ${found.name} (${found.path}) may not be read by this user.`, {
    remedy: `Let root ${UDEV_REMEDY}. Without udev: sudo usermod -aG input $USER, then log in anew.`,
  });
}

/** What somebody names by its path may be anything that is there. */
function unlisted(path: string): InputDevice | undefined {
  return existsSync(path) ? { kind: 'keyboard', path, name: basename(path), isReadable: isReadable(path) } : undefined;
}

function isSame(path: string, wanted: string): boolean {
  if (path === wanted) return true;
  try {
    return realpathSync(path) === realpathSync(wanted);
  } catch {
    return false; // one of them is not there
  }
}

/** By the node, the link in `by-id` that names it. */
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

function spaceMice({ dev, sys }: DeviceRoots): InputDevice[] {
  return namesIn(dev, 'hidraw').flatMap((node): InputDevice[] => {
    const about = readText(join(sys, 'class/hidraw', node, 'device/uevent'));
    // HID_ID=0003:0000256F:0000C635, bus, vendor and product.
    const [, vendor, product] = /^HID_ID=\w+:(\w+):(\w+)$/m.exec(about) ?? [];
    const [vendorId, productId] = [Number.parseInt(vendor ?? '', 16), Number.parseInt(product ?? '', 16)];
    const known = SPACE_MICE.find((mouse) => mouse.vendorId === vendorId && mouse.productId === productId);
    const path = join(dev, node);
    return known === undefined ? [] : [{ kind: 'spacemouse', path, name: known.name, isReadable: isReadable(path) }];
  });
}

/** Vendors: 045e Microsoft, 054c Sony. Others that Linux's xpad driver takes, such as Logitech's in X mode, number as an Xbox pad. */
function padOf(vendor: string, name: string): JoyPadName {
  if (vendor === '054c' || /playstation|dualshock|dualsense/i.test(name)) return 'playstation';
  return vendor !== '045e' && /stick|flight/i.test(name) && !/pad/i.test(name) ? 'stick' : 'xbox';
}

/** js2 before js10. */
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
