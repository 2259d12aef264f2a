/**
 * Whether ROS 2 can be used here. Looks only: importing rclnodejs without a sourced ROS starts a native build, and
 * with one it starts threads.
 */

/** What is there. */
export interface RosStatus {
  /** Name of the sourced distribution, e.g. `jazzy`. */
  readonly distro: string | undefined;
  /** Version of rclnodejs that is installed. */
  readonly rclnodejs: string | undefined;
  readonly usable: 'yes' | 'no' | 'not needed';
  /** One sentence without its full stop. */
  readonly detail: string;
  readonly remedy: string | undefined;
}

/** Distributions that rclnodejs 2.2 has binaries for; others build from source. */
const WITH_BINARIES: readonly string[] = ['humble', 'jazzy', 'kilted', 'lyrical'];

/** `env` is the process's environment; `rclnodejs` its installed version or `undefined`. Loads nothing. */
export function rosStatus(env: Readonly<Record<string, string | undefined>>, rclnodejs: string | undefined): RosStatus {
  const distro = env['ROS_DISTRO'] || undefined;
  const isSourced = distro !== undefined && Boolean(env['AMENT_PREFIX_PATH']);
  if (!isSourced) return notSourced(distro, rclnodejs);
  if (rclnodejs === undefined) {
    const detail = `ROS 2 ${distro} is sourced, but rclnodejs is not installed`;
    return {
      distro,
      rclnodejs,
      usable: 'no',
      detail,
      remedy: 'run npm install in this shell; it builds rclnodejs for the sourced ROS',
    };
  }
  const note = WITH_BINARIES.includes(distro) ? '' : ', a distribution without ready-made binaries';
  return {
    distro,
    rclnodejs,
    usable: 'yes',
    detail: `ROS 2 ${distro} with rclnodejs ${rclnodejs}${note}`,
    remedy: undefined,
  };
}

function notSourced(distro: string | undefined, rclnodejs: string | undefined): RosStatus {
  if (distro !== undefined) {
    const detail = `ROS_DISTRO is ${distro}, but AMENT_PREFIX_PATH is empty`;
    return { distro, rclnodejs, usable: 'no', detail, remedy: `source /opt/ros/${distro}/setup.bash` };
  }
  const installed = rclnodejs === undefined ? '' : ` (rclnodejs ${rclnodejs} is installed)`;
  return {
    distro,
    rclnodejs,
    usable: 'not needed',
    detail: `no ROS 2 is sourced, everything else works without${installed}`,
    remedy: undefined,
  };
}
