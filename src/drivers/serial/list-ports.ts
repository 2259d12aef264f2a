/** Serial ports of this machine, listed without opening any, and the processes that have them open. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ReinError } from '../../model/index.ts';
import { adapterOf, serialNumberOf } from './adapter.ts';

/** One port as listed by the operating system. */
export interface SerialPortInfo {
  /** Path to open, e.g. `/dev/ttyUSB0`. */
  readonly path: string;
  /** Manufacturer of the adapter, if known. */
  readonly manufacturer: string | undefined;
  /** Name that persists when the adapter is plugged in elsewhere, e.g. a link in `/dev/serial/by-id`. */
  readonly stableId: string | undefined;
  /** Serial number of the adapter, if it has one. */
  readonly serialNumber: string | undefined;
  /** Adapter as a calibration is bound to it (`adapterOf`). */
  readonly adapter: string;
}

/**
 * Lists the ports that may have a device. Loads the native addon of `serialport` on the first call, which works on a
 * process's main thread only. Rejects with `ReinError` if the addon cannot be loaded or the system cannot list ports.
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

/** Groups for serial ports: `dialout` on most systems, `uucp` on Arch. Membership gives access to such ports only. */
const PORT_GROUPS = ['dialout', 'uucp', 'serial'];
const GROUP_MAY = 0o060;
/** File for udev rules. */
export const RULES_FILE = '/etc/udev/rules.d/99-rein-serial.rules';

/** Group of a port, and its mode. */
export interface PortRights {
  /** Name of the group; `undefined`: it has none. */
  readonly group: string | undefined;
  /** Bits of its mode. */
  readonly mode: number;
}

/** Returns the rights of a port; `undefined` if the path does not exist. */
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
 * Returns the commands that give a user access to `path`: joining its group, if that is a group for ports and has access; else a
 * rule that assigns such a group. No other group is suggested: it would give unrelated rights, and may not give access.
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

/** Process that has a device open; only other processes, as far as visible to this user. */
export interface PortUser {
  readonly pid: number;
  /** Name of its program. */
  readonly program: string;
  /** It is a guard or guardian of Rein, for an arm that it may be holding up. */
  readonly isOurs?: boolean | undefined;
}

/**
 * Returns the other processes that have `path` open; for a pseudo-terminal, which its other end keeps open itself, only
 * those that have locked it. Linux; elsewhere none are found.
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

/** Lock holders from the kernel's list: `1: FLOCK ADVISORY WRITE 4711 00:18:5 0 EOF`. */
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
    // The process has ended.
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
