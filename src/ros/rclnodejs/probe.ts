/** Facts for the environment checks: of this machine, or of a test. Read-only. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

export interface EnvironmentProbe {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly isMainThread: boolean;
  /** Folder of rclnodejs. */
  readonly packageFolder: string | undefined;
  packageVersion(): string | undefined;
  /** First folder of AMENT_PREFIX_PATH that holds librcl. */
  rosPrefix(): string | undefined;
  /** All folders of AMENT_PREFIX_PATH. */
  prefixes(): readonly string[];
  readText(path: string): string | undefined;
  /** Names in a folder; none if there is no such folder. */
  list(path: string): readonly string[];
  sizeBytes(path: string): number | undefined;
  readBytes(path: string): Uint8Array | undefined;
}

const LIBRARIES = ['lib/librcl.so', 'lib/librcl.dylib', 'bin/rcl.dll'];

/** Probe of this process on this machine. `env` and the package's folder may be replaced. */
export function machineProbe(
  env: Readonly<Record<string, string | undefined>> = process.env,
  packageFolder: string | undefined = findPackage(),
): EnvironmentProbe {
  const prefixes = (env['AMENT_PREFIX_PATH'] ?? '').split(process.platform === 'win32' ? ';' : ':').filter(Boolean);
  return {
    env,
    platform: process.platform,
    arch: process.arch,
    isMainThread,
    packageFolder,
    packageVersion: () => versionIn(packageFolder),
    rosPrefix: () => prefixes.find((prefix) => LIBRARIES.some((library) => existsSync(join(prefix, library)))),
    prefixes: () => prefixes,
    readText: (path) => quietly(() => readFileSync(path, 'utf8')),
    list: (path) => quietly(() => readdirSync(path)) ?? [],
    sizeBytes: (path) => quietly(() => statSync(path).size),
    readBytes: (path) => quietly(() => readFileSync(path)),
  };
}

/** Folder of the installed rclnodejs, without loading it. */
export function findPackage(): string | undefined {
  return quietly(() => dirname(createRequire(import.meta.url).resolve('rclnodejs/package.json')));
}

function versionIn(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  return quietly(() => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version as string);
}

/** Returns `undefined` for anything missing: that is an answer here, not an error. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
