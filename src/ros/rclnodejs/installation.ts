/** Node.js and ROS versions that an installed rclnodejs was built and generated for, read from its files. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EnvironmentProbe } from './probe.ts';

/** Distributions by the number compiled into the addon. */
const DISTROS: Readonly<Record<string, string>> = {
  '2205': 'humble',
  '2305': 'iron',
  '2405': 'jazzy',
  '2505': 'kilted',
  '2605': 'lyrical',
  '5000': 'rolling',
};

/** Written by `npm run ros:install` beside the generated messages, so that it moves with them. */
export interface Stamp {
  readonly distro: string;
  /**
   * Fingerprints of the definitions of all interface packages offered then, by name: including those that nothing could
   * be generated for, so that they are not tried again at every call.
   */
  readonly packages: Readonly<Record<string, string>>;
}

/** Within the folder of rclnodejs. */
export const STAMP_FILE = 'generated/rein-stamp.json';

/** Distribution that the addon is built for; `unknown` if undetermined, `undefined` if there is no addon. */
export function addonDistro(probe: EnvironmentProbe): string | 'unknown' | undefined {
  const folder = probe.packageFolder;
  if (folder === undefined) return undefined;
  if (readyMade(probe, folder) !== undefined) return probe.env['ROS_DISTRO'];
  const addon = join(folder, 'build', 'Release', 'rclnodejs.node');
  const size = probe.sizeBytes(addon);
  if (size === undefined) return undefined;
  // node-gyp leaves its build recipe; a prebuilt addon is copied here without one.
  const recipe = probe.readText(join(folder, 'build', 'rclnodejs.target.mk'));
  const version = recipe === undefined ? undefined : /-DROS_VERSION=(\d+)/.exec(recipe)?.[1];
  if (version !== undefined) return DISTROS[version] ?? 'unknown';
  return copiedFrom(probe, folder, addon, size) ?? 'unknown';
}

/** Prebuilt addon preferred by rclnodejs: the one for exactly this system and distribution. */
function readyMade(probe: EnvironmentProbe, folder: string): string | undefined {
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(probe.readText('/etc/os-release') ?? '')?.[1]?.trim();
  const distro = probe.env['ROS_DISTRO'];
  if (probe.platform !== 'linux' || !codename || !distro) return undefined;
  const name = `${distro}-${codename}-${probe.arch}-node-rclnodejs.node`;
  const place = join(folder, 'prebuilds', `${probe.platform}-${probe.arch}`);
  return probe.list(place).includes(name) ? name : undefined;
}

function copiedFrom(probe: EnvironmentProbe, folder: string, addon: string, size: number): string | undefined {
  const place = join(folder, 'prebuilds', `${probe.platform}-${probe.arch}`);
  const original = probe.list(place).find((name) => {
    if (!name.includes('-node-') || probe.sizeBytes(join(place, name)) !== size) return false;
    const [left, right] = [probe.readBytes(addon), probe.readBytes(join(place, name))];
    return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
  });
  return original?.split('-')[0];
}

/** Packages that messages are generated for. */
export function generatedPackages(probe: EnvironmentProbe): ReadonlySet<string> {
  if (probe.packageFolder === undefined) return new Set();
  const names = probe.list(join(probe.packageFolder, 'generated'));
  return new Set(names.filter((name) => name !== 'srv_msg' && !name.includes('.')));
}

/** Packages with messages, services or actions in the sourced ROS. */
export function interfacePackages(probe: EnvironmentProbe): ReadonlySet<string> {
  return new Set(placesOfPackages(probe).keys());
}

/** Folder of AMENT_PREFIX_PATH that each package is taken from: the first that has it. */
function placesOfPackages(probe: EnvironmentProbe): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const prefix of probe.prefixes()) {
    for (const name of probe.list(join(prefix, INDEX))) if (!places.has(name)) places.set(name, prefix);
  }
  return places;
}

const INDEX = 'share/ament_index/resource_index/rosidl_interfaces';

export function readStamp(probe: EnvironmentProbe): Stamp | undefined {
  if (probe.packageFolder === undefined) return undefined;
  const text = probe.readText(join(probe.packageFolder, STAMP_FILE));
  if (text === undefined) return undefined;
  try {
    const { distro, packages } = JSON.parse(text) as Partial<Stamp>;
    return typeof distro === 'string' && typeof packages === 'object' ? { distro, packages } : undefined;
  } catch {
    return undefined;
  }
}

/** Text of a stamp for what is sourced now. */
export function stampText(probe: EnvironmentProbe): string {
  const packages = Object.fromEntries(
    [...placesOfPackages(probe)].map(([name, prefix]) => [name, fingerprintOf(probe, name, prefix)]),
  );
  const stamp: Stamp = { distro: probe.env['ROS_DISTRO'] ?? '', packages };
  return `${JSON.stringify(stamp)}\n`;
}

/** Interface packages sourced now that were not sourced when messages were last generated. */
export function unseenPackages(probe: EnvironmentProbe): readonly string[] {
  const seen = readStamp(probe)?.packages ?? {};
  return [...interfacePackages(probe)].filter((name) => seen[name] === undefined);
}

/**
 * Packages whose definitions have changed since messages were generated: their memory layout differs from that of the
 * sourced libraries, which nothing else would detect.
 */
export function changedPackages(probe: EnvironmentProbe): readonly string[] {
  const seen = readStamp(probe)?.packages ?? {};
  return [...placesOfPackages(probe)]
    .filter(([name, prefix]) => seen[name] !== undefined && seen[name] !== fingerprintOf(probe, name, prefix))
    .map(([name]) => name);
}

/**
 * Fingerprint of a package's interfaces: their names, and for workspace packages, which users change and rebuild, their
 * full content. Those of ROS itself do not change within a distribution, and are too large to read at every start.
 */
function fingerprintOf(probe: EnvironmentProbe, name: string, prefix: string): string {
  const hash = createHash('sha256');
  const isOfRos = prefix === probe.rosPrefix();
  const index = probe.readText(join(prefix, INDEX, name)) ?? '';
  for (const file of index.split('\n').filter((line) => /\.(msg|srv|action)$/.test(line))) {
    hash.update(file).update('\0');
    if (!isOfRos) hash.update(probe.readText(join(prefix, 'share', name, file)) ?? '').update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
