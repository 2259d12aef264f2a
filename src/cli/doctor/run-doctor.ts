/** Body of `rein doctor`. */

import { inspectPort, openBusPort, portFindings, stopsFinding } from '../../bring-up/index.ts';
import { configNames, loadRobotFile, resolveConfig } from '../../config/index.ts';
import { rosEnvironment, rosStatus } from '../../ros/index.ts';
import { type InputDevice, listInputDevices, readRemedy } from '../../teleop/index.ts';
import { warn } from '../bodies/terminal.ts';
import type { DoctorOptions } from '../doctor.ts';
import { type DoctorCheck, exitCodeOf, type Finding, jsonOf, type NamedFinding, runChecks, tableOf } from './check.ts';
import { machineChecks } from './machine.ts';
import { packageChecks } from './packages.ts';

/** Checks the machine, prints the findings to stdout, and resolves to the exit code. */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const [nodeCheck, ...machine] = machineChecks('runs');
  const checks: DoctorCheck[] = [
    ...(nodeCheck === undefined ? [] : [nodeCheck]),
    ...packageChecks,
    { name: 'configuration', whenBroken: 'fail', run: async () => configuration() },
    ...machine,
    { name: 'input devices', whenBroken: 'warn', run: async () => inputDevices() },
    { name: 'ros', whenBroken: 'warn', run: async () => ros() },
  ];
  const [machineFindings, ports] = await Promise.all([runChecks(checks), serialPorts()]);
  const bus = await busFindings(options);
  const findings = [...machineFindings, ...ports, ...bus.findings];
  const whom = exitCodeOf(bus.findings) === 0 || exitCodeOf(machineFindings) !== 0 ? 'Rein' : bus.whom;
  process.stdout.write(options.format === 'json' ? jsonOf(findings, bus.next) : tableOf(findings, whom));
  if (bus.next !== undefined && options.format !== 'json') process.stdout.write(`Next: ${bus.next}\n`);
  return exitCodeOf(findings);
}

/** Findings on a robot's bus, or at a port: empty if neither is named. */
async function busFindings({ robot: named, port }: DoctorOptions): Promise<{
  readonly findings: readonly NamedFinding[];
  readonly next?: string;
  /** Subject of the summary line if a check failed. */
  readonly whom: string;
}> {
  const whom = 'what is at the port';
  if (named === undefined && port === undefined) return { findings: [], whom };
  const robot = named === undefined ? undefined : loadRobotFile(named).robot;
  const inspection = await inspectPort({ robot, port, open: openBusPort, say: warn });
  if (inspection !== undefined) {
    const stops = robot === undefined ? undefined : stopsFinding(robot);
    const findings = stops === undefined ? inspection.findings : [...inspection.findings, stops];
    return { ...inspection, findings, whom: robot?.name ?? whom };
  }
  const detail = `${robot?.name} is driven by ${robot?.driver.kind}: it has no bus of servos and no VESC to look at`;
  return { findings: [{ name: 'bus', status: 'ok', detail }], whom };
}

/** All tasks that come with Rein must load, with their robots simulated. */
function configuration(): Finding {
  const tasks = configNames('task');
  for (const task of tasks) resolveConfig({ task, seed: 0, isSimulated: true });
  if (tasks.length === 0) return { status: 'fail', detail: 'config/tasks is empty', remedy: 'install Rein again' };
  return { status: 'ok', detail: `tasks: ${tasks.join(', ')}` };
}

async function serialPorts(): Promise<readonly NamedFinding[]> {
  try {
    return await portFindings();
  } catch (error) {
    const [broken] = await runChecks([{ name: 'serial ports', whenBroken: 'warn', run: () => Promise.reject(error) }]);
    return [broken!];
  }
}

/** Input devices for teleoperation: connected ones, by the name to write in `device`, and whether this user may read them. */
export function inputDevices(devices: readonly InputDevice[] = listInputDevices()): Finding {
  if (devices.length === 0) return { status: 'ok', detail: 'none; the keyboard of a terminal needs none' };
  const detail = devices
    .map(({ kind, name, path, pad, evdev, isReadable }) => {
      const what = pad === undefined ? kind : `${kind}, pad ${pad}${evdev === undefined ? '' : ', by evdev'}`;
      return `${name} (${what}) at ${path}${isReadable ? '' : ', not readable'}`;
    })
    .join('; ');
  // A keyboard that types needs no right to be read.
  const barred = devices.filter(({ isReadable, kind }) => !isReadable && kind !== 'keyboard');
  return barred.length > 0 ? { status: 'warn', detail, remedy: readRemedy(barred) } : { status: 'ok', detail };
}

function ros(): Finding {
  const { usable, detail, remedy } = rosStatus(rosEnvironment());
  return { status: usable === 'no' ? 'warn' : 'ok', detail, remedy };
}
