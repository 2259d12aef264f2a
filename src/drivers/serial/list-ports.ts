/** Serial ports of this machine, without opening any, and who has them open. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { adapterOf, serialNumberOf } from './adapter.ts';

/** One port as the operating system names it. */
export interface SerialPortInfo {
  /** Path to open, e.g. `/dev/ttyUSB0`. */
  readonly path: string;
  /** Who made the adapter, where the system knows. */
  readonly manufacturer: string | undefined;
  /** Name that stays when the adapter is plugged in elsewhere, e.g. a link in `/dev/serial/by-id`. */
  readonly stableId: string | undefined;
  /** Of the adapter, where it has one. */
  readonly serialNumber: string | undefined;
  /** What a calibration is bound to (`adapterOf`). */
  readonly adapter: string;
}

/**
 * Lists the ports that may have a device. Loads the native addon of `serialport` on the first call, which works on a
 * process's main thread only. Rejects with `ReinError` where the addon cannot be loaded or the system cannot list.
 */
export async function listSerialPorts(): Promise<readonly SerialPortInfo[]> {
  try {
    const { SerialPort } = await import('serialport');
    const ports = await SerialPort.list();
    return ports.map(({ path, manufacturer, pnpId, serialNumber = serialNumberOf(path) }) => ({
      path,
      manufacturer,
      stableId: pnpId,
      serialNumber,
      adapter: serialNumber ?? adapterOf(path),
    }));
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('udevadm')) {
      const remedy = 'install udev; simulation does not need it';
      throw new ReinError('environment', 'serial ports cannot be listed: udevadm is not installed', { remedy, cause });
    }
    throw new ReinError('environment', 'serial ports cannot be listed: the package serialport does not load', {
      remedy: 'run npm ci in the folder of Rein',
      cause,
    });
  }
}

/** Groups that are there for serial ports: `dialout` on most systems, `uucp` on Arch. To be in them gives nobody more than those. */
const PORT_GROUPS = ['dialout', 'uucp', 'serial'];
const GROUP_MAY = 0o060;
/** Where rules for udev go. */
export const RULES_FILE = '/etc/udev/rules.d/99-rein-serial.rules';

/** Who owns a port, and what the owner's group may do with it. */
export interface PortRights {
  /** Name of the group; `undefined`: it has none. */
  readonly group: string | undefined;
  /** Bits of its mode. */
  readonly mode: number;
}

/** `undefined` where there is no such path. */
export function rightsOf(path: string): PortRights | undefined {
  try {
    const { gid, mode } = statSync(path);
    const row = readFileSync('/etc/group', 'utf8')
      .split('\n')
      .find((line) => line.split(':')[2] === String(gid));
    return { group: row?.split(':')[0], mode };
  } catch {
    return undefined;
  }
}

/**
 * What lets a user open `path`: its group, where that is there for ports and may; else a rule that gives it such a group. No other group is
 * advised: it would give rights that have nothing to do with the port, and may not open it.
 */
export function permissionRemedy(path: string, rights: PortRights | undefined): string {
  const join = (group: string): string => `sudo usermod -aG ${group} $USER, then log out and in again`;
  if (rights === undefined) return join(PORT_GROUPS[0]!);
  const { group, mode } = rights;
  if (group !== undefined && PORT_GROUPS.includes(group) && (mode & GROUP_MAY) === GROUP_MAY) return join(group);
  const kernel = `${basename(path).replace(/\d+$/, '')}*`;
  const rule = `KERNEL=="${kernel}", SUBSYSTEM=="tty", GROUP="dialout", MODE="0660"`;
  return `echo '${rule}' | sudo tee -a ${RULES_FILE} && sudo udevadm control --reload && sudo udevadm trigger; ${join('dialout')}`;
}

/** Who has a device open: of other processes, as far as this user may see. */
export interface PortUser {
  readonly pid: number;
  /** Name of its program. */
  readonly program: string;
  /** It is a guard or a guardian of Rein, under an arm that it may be holding up. */
  readonly isOurs?: boolean | undefined;
}

/**
 * Other processes that have `path` open, or only who has locked it where it is a pseudo-terminal, which its other end keeps open itself.
 * Linux; elsewhere none is seen.
 */
export function usersOf(path: string): readonly PortUser[] {
  let device: string;
  let pids: readonly string[];
  try {
    device = realpathSync(path);
    if (device.startsWith('/dev/pts/')) return lockersOf(device);
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  } catch {
    return [];
  }
  return pids.flatMap((pid) => (hasOpen(pid, device) ? [userOf(pid)] : []));
}

/** Of the kernel's list of locks: `1: FLOCK ADVISORY WRITE 4711 00:18:5 0 EOF`. */
function lockersOf(device: string): readonly PortUser[] {
  const { ino } = statSync(device);
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  const pids = locks.flatMap((line) => {
    const [, kind, , , pid, file] = line.split(/\s+/);
    return kind === 'FLOCK' && file?.endsWith(`:${ino}`) === true && pid !== String(process.pid) ? [pid!] : [];
  });
  return [...new Set(pids)].map((pid) => userOf(pid));
}

function hasOpen(pid: string, device: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => isLinkTo(join(folder, fd), device));
  } catch {
    return false;
  }
}

function isLinkTo(link: string, device: string): boolean {
  try {
    return readlinkSync(link) === device;
  } catch {
    return false;
  }
}

function userOf(pid: string): PortUser {
  let isOurs = false;
  try {
    isOurs = /\bguard(ian)?-process\.js\b/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    // It is gone.
  }
  return { pid: Number(pid), program: isOurs ? 'a run of Rein' : programOf(pid), isOurs };
}

function programOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a program';
  }
}
