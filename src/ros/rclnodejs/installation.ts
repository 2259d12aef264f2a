/** What an installed rclnodejs was built and generated for, told from its files. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EnvironmentProbe } from './probe.ts';

/** Distributions by the number that the addon is compiled with. */
const DISTROS: Readonly<Record<string, string>> = {
  '2205': 'humble',
  '2305': 'iron',
  '2405': 'jazzy',
  '2505': 'kilted',
  '2605': 'lyrical',
  '5000': 'rolling',
};

/** Written by `npm run ros:install` beside the generated messages, so that it goes where they go. */
export interface Stamp {
  readonly distro: string;
  /** Of the interface definitions outside ROS itself, which people change and rebuild. */
  readonly fingerprint: string;
}

/** Within the folder of rclnodejs. */
export const STAMP_FILE = 'generated/rein-stamp.json';

/** The distribution that the addon is built for; `unknown` where nothing tells, `undefined` where there is none. */
export function addonDistro(probe: EnvironmentProbe): string | 'unknown' | undefined {
  const folder = probe.packageFolder;
  if (folder === undefined) return undefined;
  if (readyMade(probe, folder) !== undefined) return probe.env['ROS_DISTRO'];
  const addon = join(folder, 'build', 'Release', 'rclnodejs.node');
  const size = probe.sizeBytes(addon);
  if (size === undefined) return undefined;
  // node-gyp leaves how it compiled; a ready-made addon is copied here without that.
  const recipe = probe.readText(join(folder, 'build', 'rclnodejs.target.mk'));
  const version = recipe === undefined ? undefined : /-DROS_VERSION=(\d+)/.exec(recipe)?.[1];
  if (version !== undefined) return DISTROS[version] ?? 'unknown';
  return copiedFrom(probe, folder, addon, size) ?? 'unknown';
}

/** The ready-made addon that rclnodejs prefers: the one for exactly this system and distribution. */
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

/** Packages with messages, services or actions that the sourced ROS offers. */
export function interfacePackages(probe: EnvironmentProbe): ReadonlySet<string> {
  return new Set(probe.prefixes().flatMap((prefix) => probe.list(join(prefix, INDEX))));
}

const INDEX = 'share/ament_index/resource_index/rosidl_interfaces';

export function readStamp(probe: EnvironmentProbe): Stamp | undefined {
  if (probe.packageFolder === undefined) return undefined;
  const text = probe.readText(join(probe.packageFolder, STAMP_FILE));
  if (text === undefined) return undefined;
  try {
    const stamp = JSON.parse(text) as Partial<Stamp>;
    return typeof stamp.distro === 'string' && typeof stamp.fingerprint === 'string'
      ? { distro: stamp.distro, fingerprint: stamp.fingerprint }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a stamp for what is sourced now. */
export function stampText(probe: EnvironmentProbe): string {
  const stamp: Stamp = { distro: probe.env['ROS_DISTRO'] ?? '', fingerprint: fingerprintOf(probe) };
  return `${JSON.stringify(stamp)}\n`;
}

/**
 * Of `rein`'s own interface definitions in the sourced workspace: messages generated from older ones have another
 * layout in memory than the workspace's libraries, which nothing would notice.
 */
export function fingerprintOf(probe: EnvironmentProbe): string {
  const hash = createHash('sha256');
  for (const prefix of probe.prefixes()) {
    const index = probe.readText(join(prefix, INDEX, 'rein'));
    if (index === undefined) continue;
    for (const file of index.split('\n').filter((line) => /\.(msg|srv|action)$/.test(line))) {
      hash.update(file).update('\0');
      hash.update(probe.readText(join(prefix, 'share', 'rein', file)) ?? '').update('\0');
    }
    break;
  }
  return hash.digest('hex').slice(0, 16);
}
