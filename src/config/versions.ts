/** Software versions that affect a run's results, for the record in its folder. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Packages whose version can change results. */
const PACKAGES = ['onnxruntime-node', '@mujoco/mujoco', 'zeromq'] as const;

/** Versions by name: `rein`, `node`, the platform and the installed packages. */
export function packageVersions(): Readonly<Record<string, string>> {
  const versions: Record<string, string> = {
    rein: versionIn(new URL('../../package.json', import.meta.url)) ?? 'unknown',
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
  for (const name of PACKAGES) {
    const version = installedVersion(name);
    if (version !== undefined) versions[name] = version;
  }
  return versions;
}

/** Version of an installed package, without loading it; `undefined` if it is missing. */
export function installedVersion(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of folders) {
    const version = versionIn(join(folder, name, 'package.json'));
    if (version !== undefined) return version;
  }
  return undefined;
}

function versionIn(file: string | URL): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    // Not installed, or not readable: the version is unknown.
    return undefined;
  }
}
