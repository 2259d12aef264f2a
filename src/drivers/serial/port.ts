/**
 * Opening of a port: line settings, lock and low latency are set here with the package serialport, which works on a
 * process's main thread only. The tick then has its own descriptor (`DescriptorLine`).
 */
import { readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, ReinError } from '../../model/index.ts';
import { adapterText } from './adapter.ts';
import type { LineSettings, LineWarning } from './line.ts';
import { listSerialPorts, permissionRemedy, rightsOf, type SerialPortInfo, usersOf } from './list-ports.ts';

/** An FTDI adapter that buffers bytes for longer than this delays every reply, ms. */
const LATENCY_TIMER_MAX_MS = 2;
const SYSFS = '/sys';

/** Port that is held open beside another descriptor. */
export interface HeldPort {
  /** Path to open beside it, e.g. `/dev/ttyUSB0`. */
  readonly path: string;
  readonly baud: number;
  /** Warning for the operator, e.g. that its latency timer could not be set. */
  readonly warning: LineWarning | undefined;
  /** Releases lock and port. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens, locks (`flock`, which other locking programs respect, and which admits the guardian) and configures the port
 * of `settings`, raw and with VMIN = VTIME = 0. Rejects with `ReinError('driver')` with the problem and its remedy.
 */
export async function holdPort(settings: LineSettings): Promise<HeldPort> {
  const path = settings.path ?? pathOf(await listSerialPorts(), settings);
  const { SerialPort } = await import('serialport');
  const binding = SerialPort.binding as unknown as Binding;
  let port: BoundPort;
  try {
    const line = { path, baudRate: settings.baud, lock: true, hupcl: false, vmin: 0, vtime: 0 };
    port = await binding.open(line);
  } catch (cause) {
    throw portRefusal(path, messageOf(cause), cause);
  }
  const others = usersOf(path);
  if (others.length > 0) {
    await port.close();
    throw inUse(path);
  }
  // Not every adapter supports this, and no pseudo-terminal; if an adapter should and does not, a warning is given below.
  await port.set({ brk: false, cts: false, dtr: true, rts: true, lowLatency: true }).catch(() => undefined);
  let closing: Promise<void> | undefined;
  return {
    path,
    baud: settings.baud,
    warning: latencyWarning(path),
    close: () => {
      closing ??= port.close().catch(() => undefined);
      return closing;
    },
  };
}

/** The part of serialport's binding for Linux that is used. */
interface Binding {
  open(options: Readonly<Record<string, unknown>>): Promise<BoundPort>;
}

interface BoundPort {
  set(options: Readonly<Record<string, boolean>>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the latency timer of an FTDI adapter, ms; `undefined` without one. `sysfs`: the kernel's device folder;
 * replaced in tests.
 */
export function latencyTimerMs(path: string, sysfs: string = SYSFS): number | undefined {
  try {
    return Number(readFileSync(latencyFile(path, sysfs), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns a warning for an adapter whose latency timer delays every reply. */
export function latencyWarning(path: string, sysfs: string = SYSFS): LineWarning | undefined {
  const ms = latencyTimerMs(path, sysfs);
  if (ms === undefined || ms <= LATENCY_TIMER_MAX_MS) return undefined;
  return {
    message: `${path} buffers bytes for ${ms} ms (latency timer): each reading is late by as much.`,
    remedy: `echo 1 | sudo tee ${latencyFile(path, sysfs)}`,
  };
}

function latencyFile(path: string, sysfs: string): string {
  return join(sysfs, 'class/tty', basename(realpathSync(path)), 'device/latency_timer');
}

/** Returns the one of `ports` with the wanted adapter, if no path is given. Throws `ReinError('driver')` if there is none, or several. */
export function pathOf(
  ports: readonly Pick<SerialPortInfo, 'path' | 'adapter'>[],
  settings: Pick<LineSettings, 'adapter' | 'named'>,
): string {
  const adapter = settings.adapter || undefined;
  const mine = ports.filter((port) => adapter === undefined || port.adapter === adapter);
  if (mine.length === 1) return mine[0]!.path;
  const which = adapter === undefined ? '' : ` (${adapterText(adapter)})`;
  const there = ports.length === 0 ? 'none is there' : `there are ${ports.map(({ path }) => path).join(', ')}`;
  throw new ReinError('driver', `The robot's serial port${which} cannot be determined: ${there}.`, {
    remedy: `${adapter === undefined || ports.length === 0 ? 'Plug it in' : otherAdapter(settings)}, or write its path as \`port\` under \`driver\` of the robot file; ${doctorOf(settings)} lists the ports.`,
  });
}

function otherAdapter({ named }: Pick<LineSettings, 'named'>): string {
  const robot = named === undefined ? '' : ` --robot ${named}`;
  return `Plug in that adapter; where the arm has another one now: rein calibrate${robot} --rebind --port PATH`;
}

function doctorOf({ named }: Pick<LineSettings, 'named'>): string {
  return `rein doctor${named === undefined ? '' : ` --robot ${named}`}`;
}

function inUse(path: string, cause?: unknown): ReinError {
  const users = usersOf(path);
  const who = users.map(({ pid, program }) => `${program} (process ${pid})`).join(', ');
  const remedy = users.some(({ isOurs }) => isOurs)
    ? 'End that run with Ctrl+C where it was started, which lets the arm down: killed, it would fall.'
    : users.length === 0
      ? // Processes of other users are visible to root only.
        `It is shown by: sudo fuser -v ${path}`
      : `End it: kill ${users.map(({ pid }) => pid).join(' ')}`;
  return new ReinError('driver', `${path} is in use by ${who || 'another program'}.`, { remedy, cause });
}

/** Returns an error with a remedy for serialport's message `text`. */
export function portRefusal(path: string, text: string, cause: unknown): ReinError {
  if (/lock port|busy|EBUSY|Resource temporarily/i.test(text)) return inUse(path, cause);
  if (/permission denied|EACCES/i.test(text)) {
    return new ReinError('driver', `Permission denied: ${path}`, {
      remedy: `${permissionRemedy(path, rightsOf(path))}.`,
      cause,
    });
  }
  if (/no such file|ENOENT|ENXIO|no such device/i.test(text)) {
    return new ReinError('driver', `There is no ${path}.`, {
      remedy: 'Plug the adapter in; rein doctor lists the ports that are there.',
      cause,
    });
  }
  return new ReinError('driver', `${path} cannot be opened: ${text}.`, {
    remedy: 'rein doctor lists the ports that are there.',
    cause,
  });
}
