import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the sources of all packages, from the root: `packages/…/src`. */
export const PACKAGE_SOURCES: readonly string[] = readdirSync(join(import.meta.dirname, '..', '..', 'packages')).map(
  (name) => `packages/${name}/src`,
);
