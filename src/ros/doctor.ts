/**
 * Diagnosis of ROS 2 on this machine: the checks of `rosEnvironment`, and further needs of some robots. Read-only;
 * nothing is loaded.
 */
import { type RosEnvironment, remedyFor, rosEnvironment } from './rclnodejs/environment.ts';
import { generatedPackages, interfacePackages } from './rclnodejs/installation.ts';
import { type EnvironmentProbe, machineProbe } from './rclnodejs/probe.ts';

/** ROS 2 of this machine, in one line. */
export interface RosStatus {
  readonly usable: 'yes' | 'no' | 'not needed';
  /** One sentence without its full stop. */
  readonly detail: string;
  readonly remedy: string | undefined;
}

/** Line of `rein doctor`. `environment`: result of `rosEnvironment`. */
export function rosStatus(environment: RosEnvironment): RosStatus {
  const { distro, checks, problem } = environment;
  const isSourced = checks[0]?.isGood === true || distro !== undefined;
  if (!isSourced)
    return { usable: 'not needed', detail: 'no ROS 2 is sourced, everything else works without', remedy: undefined };
  if (problem !== undefined) return { usable: 'no', detail: problem.message, remedy: problem.remedy };
  const version = checks.find((check) => check.name === 'rclnodejs')?.detail ?? '';
  return { usable: 'yes', detail: `ROS 2 ${distro} with rclnodejs ${version}`, remedy: undefined };
}

/** One row of `npm run ros:doctor`. */
export interface RosFinding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly remedy?: string | undefined;
}

/** Interface packages that only some robots need, with their purpose. */
const OPTIONAL: Readonly<Record<string, string>> = {
  ackermann_msgs: 'cars that are steered by ackermann_msgs',
  controller_manager_msgs: 'deactivating a controller when everything else has failed',
};

/** All rows: requirements, in order, then the needs of Rein's own package and of individual robots. */
export function rosFindings(probe: EnvironmentProbe = machineProbe()): readonly RosFinding[] {
  const environment = rosEnvironment([], probe);
  const rows = environment.checks.map(
    ({ name, isGood, detail, remedy }): RosFinding => ({ name, status: isGood ? 'ok' : 'fail', detail, remedy }),
  );
  if (environment.problem !== undefined) return rows;
  return [...rows, ownInterfaces(probe), ...optionalInterfaces(probe), ...settings(probe)];
}

function ownInterfaces(probe: EnvironmentProbe): RosFinding {
  const name = 'package rein';
  const { problem } = rosEnvironment(['rein'], probe);
  if (problem === undefined) return { name, status: 'ok', detail: 'built and sourced' };
  return { name, status: 'fail', detail: problem.message, remedy: problem.remedy };
}

function optionalInterfaces(probe: EnvironmentProbe): readonly RosFinding[] {
  const there = interfacePackages(probe);
  const generated = generatedPackages(probe);
  return Object.entries(OPTIONAL).map(([name, purpose]): RosFinding => {
    if (generated.has(name) && there.has(name)) return { name, status: 'ok', detail: 'there' };
    const remedy = remedyFor(name, probe.env['ROS_DISTRO'] ?? '', there.has(name));
    return { name, status: 'warn', detail: `missing; needed for ${purpose}`, remedy };
  });
}

/** Variables that determine which nodes this computer can reach; ROS has a default for each. */
function settings({ env }: EnvironmentProbe): readonly RosFinding[] {
  const rmw = env['RMW_IMPLEMENTATION'] || 'the default of this distribution';
  const reach = env['ROS_LOCALHOST_ONLY'] === '1' ? ', this computer only' : '';
  return [
    { name: 'middleware', status: 'ok', detail: rmw },
    { name: 'ROS domain', status: 'ok', detail: `${env['ROS_DOMAIN_ID'] || '0'}${reach}` },
  ];
}
