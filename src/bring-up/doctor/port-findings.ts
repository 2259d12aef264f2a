/** Serial ports without opening any: who they are, who has them open, whether this user may, and how long their adapter gathers bytes. */
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  isSocket,
  latencyTimerMs,
  listSerialPorts,
  type PortRights,
  type PortUser,
  permissionRemedy,
  RULES_FILE,
  rightsOf,
  type SerialPortInfo,
  socketLinkOf,
  usersOf,
} from '../../drivers/serial.ts';
import type { Finding } from '../finding.ts';
import { portTakers } from './port-takers.ts';

const BY_ID = '/dev/serial/by-id';
const LATENCY_MAX_MS = 2;

/** One port as it is found. */
export interface PortState {
  readonly info: SerialPortInfo;
  /** The link that is its own: in `/dev/serial/by-id`; of an adapter without serial number in `by-path`, as all of its make share the other. */
  readonly link: string | undefined;
  readonly users: readonly PortUser[];
  readonly mayOpen: boolean;
  /** Whose it is, where that is known. */
  readonly rights: PortRights | undefined;
  readonly latencyMs: number | undefined;
}

/** One a port; one that says so where there is none. Rejects with `ReinError` where ports cannot be listed. */
export async function portFindings(): Promise<readonly Finding[]> {
  const ports = await listSerialPorts();
  const takers = portTakers(ports.map(({ path }) => path));
  if (ports.length === 0)
    return [{ name: 'serial ports', status: 'ok', detail: 'none; simulation needs none' }, ...takers];
  return [...ports.map((info) => portFinding(stateOf(info))), ...takers];
}

function stateOf(info: SerialPortInfo): PortState {
  const { path } = info;
  return {
    info,
    link: info.serialNumber === undefined ? socketLinkOf(path) : linkTo(path),
    users: usersOf(path),
    mayOpen: isOpenable(path),
    rights: rightsOf(path),
    latencyMs: latencyTimerMs(path),
  };
}

/** What is wrong comes first; a port that can be used says how to name it. */
export function portFinding({ info, link, users, mayOpen, rights, latencyMs }: PortState): Finding {
  const { path, manufacturer, serialNumber, adapter } = info;
  const name = `port ${basename(path)}`;
  const maker = manufacturer === undefined ? '' : ` (${manufacturer})`;
  const serial =
    serialNumber === undefined
      ? `without a serial number${isSocket(adapter) ? ', known by its socket alone' : ''}`
      : `adapter ${serialNumber}`;
  const detail = `${path}${maker}, ${serial}${link === undefined ? '' : `, best named ${link}`}`;
  if (!mayOpen) {
    return {
      name,
      status: 'warn',
      detail: `Permission denied: ${detail}`,
      remedy: permissionRemedy(path, rights),
    };
  }
  if (users.length > 0) {
    const who = users.map(({ pid, program }) => `${program} (process ${pid})`).join(', ');
    const remedy = users.some(({ isOurs }) => isOurs)
      ? 'to end it: Ctrl+C where that run was started, which lets the arm down'
      : `to end it: kill ${users.map(({ pid }) => pid).join(' ')}`;
    return { name, status: 'warn', detail: `${detail}; in use by ${who}`, remedy };
  }
  if (latencyMs !== undefined && latencyMs > LATENCY_MAX_MS) {
    const rule = `ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"`;
    return {
      name,
      status: 'warn',
      detail: `${detail}; it gathers bytes for ${latencyMs} ms before it hands them on`,
      remedy: `now: echo 1 | sudo tee /sys/class/tty/${basename(path)}/device/latency_timer; for good: echo '${rule}' | sudo tee -a ${RULES_FILE}`,
    };
  }
  if (link === undefined && serialNumber !== undefined) {
    const rule = `SUBSYSTEM=="tty", ATTRS{serial}=="${serialNumber}", SYMLINK+="rein-${serialNumber}"`;
    return { name, status: 'ok', detail, remedy: `a name that stays: echo '${rule}' | sudo tee -a ${RULES_FILE}` };
  }
  return { name, status: 'ok', detail };
}

function linkTo(path: string): string | undefined {
  try {
    const links = readdirSync(BY_ID).map((name) => join(BY_ID, name));
    return links.find((link) => realpathSync(link) === realpathSync(path));
  } catch {
    // No udev here.
    return undefined;
  }
}

function isOpenable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
