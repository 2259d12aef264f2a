import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing ancestors, one by one: Node's own `recursive` reports ENOENT for a read-only disk, and
 * never returns if an existing folder takes no entries, as in /proc, or if the working directory is gone. `mode`: of each
 * created folder. Throws the file system's errors.
 */
export function makeFolder(path: string, mode?: number): void {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolder(parent, mode);
    makeFolder(folder, mode);
  }
}
