/** Serial ports, without opening any: identity, programs that use them, permissions, and the latency of their adapters. */
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

/** State of one port. */
export interface PortState {
  readonly info: SerialPortInfo;
  /** Its own link: in `/dev/serial/by-id`; without a serial number in `by-path`, as all adapters of its make share the other. */
  readonly link: string | undefined;
  readonly users: readonly PortUser[];
  readonly mayOpen: boolean;
  /** Owner and access rights, if known. */
  readonly rights: PortRights | undefined;
  readonly latencyMs: number | undefined;
}

/** One finding per port, or one that there is none. Rejects with `ReinError` if ports cannot be listed. */
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

/** Problems come first; for a usable port, the finding tells how to name it. */
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
      detail: `${detail}; it buffers bytes for ${latencyMs} ms (latency timer)`,
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
