/**
 * Checks before rclnodejs is imported. Importing it without a matching ROS 2 starts a rebuild that first deletes the
 * installed addon, so everything is checked in files first and nothing is loaded.
 */
import { ReinError } from '../../model/index.ts';
import { addonDistro, changedPackages, generatedPackages, interfacePackages, readStamp } from './installation.ts';
import { type EnvironmentProbe, machineProbe } from './probe.ts';

/** Interface packages that every part of Rein's ROS side needs. */
export const NEEDED_INTERFACES: readonly string[] = [
  'action_msgs',
  'builtin_interfaces',
  'diagnostic_msgs',
  'geometry_msgs',
  'lifecycle_msgs',
  'nav_msgs',
  'rcl_interfaces',
  'rosgraph_msgs',
  'sensor_msgs',
  'std_msgs',
  'std_srvs',
  'trajectory_msgs',
  'unique_identifier_msgs',
];

/** Result of one check. */
export interface EnvironmentCheck {
  readonly name: string;
  readonly isGood: boolean;
  /** Finding or problem, without its full stop. */
  readonly detail: string;
  readonly remedy?: string;
}

export interface RosEnvironment {
  readonly distro: string | undefined;
  /** In order of dependency; those after the first failed one were not tried. */
  readonly checks: readonly EnvironmentCheck[];
  /** First failed check, of the kind `environment`; `undefined` if rclnodejs may be imported. */
  readonly problem: ReinError | undefined;
}

const INSTALL = 'run npm run ros:install';

/** Runs all checks; loads and changes nothing. `needs`: interface packages beyond the usual ones, e.g. `rein`. */
export function rosEnvironment(
  needs: readonly string[] = [],
  probe: EnvironmentProbe = machineProbe(),
): RosEnvironment {
  const checks: EnvironmentCheck[] = [];
  for (const check of [sourced, library, placement, packageFound, addon, messages]) {
    const result = check(probe, needs);
    checks.push(result);
    if (!result.isGood) break;
  }
  const bad = checks.find((check) => !check.isGood);
  const options = bad?.remedy === undefined ? {} : { remedy: bad.remedy };
  return {
    distro: probe.env['ROS_DISTRO'] || undefined,
    checks,
    problem: bad === undefined ? undefined : new ReinError('environment', bad.detail, options),
  };
}

type Check = (probe: EnvironmentProbe, needs: readonly string[]) => EnvironmentCheck;

function good(name: string, detail: string): EnvironmentCheck {
  return { name, isGood: true, detail };
}

function bad(name: string, detail: string, remedy: string): EnvironmentCheck {
  return { name, isGood: false, detail, remedy };
}

const sourced: Check = ({ env }) => {
  const name = 'ROS 2 sourced';
  const distro = env['ROS_DISTRO'];
  if (!distro && !env['AMENT_PREFIX_PATH']) {
    return bad(name, 'no ROS 2 is sourced in this shell', 'source /opt/ros/<distribution>/setup.bash');
  }
  if (!distro) return bad(name, 'AMENT_PREFIX_PATH is set, but ROS_DISTRO is empty', 'source the setup.bash of ROS 2');
  if (!env['AMENT_PREFIX_PATH'])
    return bad(name, `ROS_DISTRO is ${distro}, but AMENT_PREFIX_PATH is empty`, `source /opt/ros/${distro}/setup.bash`);
  return good(name, distro);
};

const library: Check = (probe) => {
  const name = 'ROS 2 library';
  const prefix = probe.rosPrefix();
  if (prefix === undefined) {
    return bad(
      name,
      `none of the folders of AMENT_PREFIX_PATH (${probe.env['AMENT_PREFIX_PATH']}) holds lib/librcl`,
      'source the setup.bash of an installed ROS 2',
    );
  }
  const paths = (probe.env['LD_LIBRARY_PATH'] ?? '').split(':');
  if (probe.platform === 'linux' && !paths.includes(`${prefix}/lib`))
    return bad(name, `${prefix}/lib is not in LD_LIBRARY_PATH`, `source ${prefix}/setup.bash`);
  return good(name, prefix);
};

/** In a worker thread the addon ends the process; with this variable it rebuilds itself at every import. */
const placement: Check = (probe) => {
  const name = 'process';
  if (!probe.isMainThread)
    return bad(name, 'rclnodejs works on the main thread only', 'start the ROS side as a process of its own');
  if (probe.env['RCLNODEJS_FORCE_BUILD'] === '1')
    return bad(name, 'RCLNODEJS_FORCE_BUILD=1 would rebuild rclnodejs at every start', 'unset RCLNODEJS_FORCE_BUILD');
  return good(name, 'main thread');
};

const packageFound: Check = (probe) => {
  const name = 'rclnodejs';
  if (probe.packageFolder === undefined) return bad(name, 'rclnodejs is not installed', INSTALL);
  return good(name, probe.packageVersion() ?? 'unknown version');
};

const addon: Check = (probe) => {
  const name = 'native addon';
  const distro = probe.env['ROS_DISTRO'] ?? '';
  const built = addonDistro(probe);
  if (built === undefined) return bad(name, 'rclnodejs is installed, but its native addon is not built', INSTALL);
  if (built === 'unknown')
    return bad(name, 'the ROS 2 distribution that the native addon of rclnodejs was built for is unknown', INSTALL);
  if (built !== distro)
    return bad(name, `the native addon of rclnodejs is built for ROS 2 ${built}, sourced is ${distro}`, INSTALL);
  return good(name, `built for ${built}`);
};

const messages: Check = (probe, needs) => {
  const name = 'messages';
  const distro = probe.env['ROS_DISTRO'] ?? '';
  const stamp = readStamp(probe);
  if (stamp === undefined) return bad(name, 'the messages of rclnodejs are not generated, or not by Rein', INSTALL);
  if (stamp.distro !== distro)
    return bad(name, `the messages of rclnodejs are made for ROS 2 ${stamp.distro}, sourced is ${distro}`, INSTALL);
  const generated = generatedPackages(probe);
  const offered = interfacePackages(probe);
  for (const needed of [...NEEDED_INTERFACES, ...needs]) {
    if (!offered.has(needed))
      return bad(name, `the interface package ${needed} is not in the sourced ROS 2`, remedyFor(needed, distro, false));
    if (!generated.has(needed)) return bad(name, `rclnodejs has no messages of the package ${needed} yet`, INSTALL);
  }
  const [changed] = changedPackages(probe);
  if (changed !== undefined)
    return bad(name, `the interfaces of ${changed} have changed since rclnodejs' messages were generated`, INSTALL);
  return good(name, `${generated.size} packages for ${distro}`);
};

/** Remedy for a missing interface package; `isOffered`: ROS has it, only rclnodejs has not. */
export function remedyFor(interfacePackage: string, distro: string, isOffered: boolean): string {
  if (isOffered) return INSTALL;
  if (interfacePackage === 'rein')
    return `build the workspace (colcon build), source its install/setup.bash, then ${INSTALL}`;
  return `install ros-${distro}-${interfacePackage.replaceAll('_', '-')}, then ${INSTALL}`;
}
