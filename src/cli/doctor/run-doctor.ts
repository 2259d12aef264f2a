/** `rein doctor`'s body. */

import { configNames, resolveConfig } from '../../config/index.ts';
import { listSerialPorts } from '../../drivers/index.ts';
import { rosEnvironment, rosStatus } from '../../ros/index.ts';
import { type InputDevice, listInputDevices, UDEV_REMEDY } from '../../teleop/index.ts';
import type { DoctorOptions } from '../doctor.ts';
import { type DoctorCheck, exitCodeOf, type Finding, jsonOf, runChecks, tableOf } from './check.ts';
import { machineChecks } from './machine.ts';
import { packageChecks } from './packages.ts';

/** Checks the machine, prints what was found to stdout, and resolves to the exit code. */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const [nodeCheck, ...machine] = machineChecks('runs');
  const checks: DoctorCheck[] = [
    ...(nodeCheck === undefined ? [] : [nodeCheck]),
    ...packageChecks,
    { name: 'configuration', whenBroken: 'fail', run: async () => configuration() },
    ...machine,
    { name: 'serial ports', whenBroken: 'warn', run: serialPorts },
    { name: 'input devices', whenBroken: 'warn', run: async () => inputDevices() },
    { name: 'ros', whenBroken: 'warn', run: async () => ros() },
  ];
  const findings = await runChecks(checks);
  process.stdout.write(options.format === 'json' ? jsonOf(findings) : tableOf(findings));
  return exitCodeOf(findings);
}

/** All tasks that come with Rein must load. */
function configuration(): Finding {
  const tasks = configNames('task');
  for (const task of tasks) resolveConfig({ task, seed: 0 });
  if (tasks.length === 0) return { status: 'fail', detail: 'config/tasks is empty', remedy: 'install Rein again' };
  return { status: 'ok', detail: `tasks: ${tasks.join(', ')}` };
}

async function serialPorts(): Promise<Finding> {
  const ports = await listSerialPorts();
  if (ports.length === 0) return { status: 'ok', detail: 'none; simulation needs none' };
  return {
    status: 'ok',
    detail: ports.map((port) => port.path + (port.manufacturer ? ` (${port.manufacturer})` : '')).join(', '),
  };
}

/** For teleoperation: what is plugged in, by the name to write in `device`, and whether this user may read it. */
export function inputDevices(devices: readonly InputDevice[] = listInputDevices()): Finding {
  if (devices.length === 0) return { status: 'ok', detail: 'none; the keyboard of a terminal needs none' };
  const detail = devices
    .map(({ kind, name, path, pad, evdev, isReadable }) => {
      const what = pad === undefined ? kind : `${kind}, pad ${pad}${evdev === undefined ? '' : ', by evdev'}`;
      return `${name} (${what}) at ${path}${isReadable ? '' : ', not readable'}`;
    })
    .join('; ');
  // Nobody misses the right to read a keyboard that types.
  const isBarred = devices.some(({ isReadable, kind }) => !isReadable && kind !== 'keyboard');
  return isBarred ? { status: 'warn', detail, remedy: UDEV_REMEDY } : { status: 'ok', detail };
}

function ros(): Finding {
  const { usable, detail, remedy } = rosStatus(rosEnvironment());
  return { status: usable === 'no' ? 'warn' : 'ok', detail, remedy };
}
