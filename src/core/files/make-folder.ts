import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and all that leads to it, one by one: Node's own `recursive` says ENOENT of a read-only disk, and never ends where a
 * folder is there and takes no entries, as in /proc, or where the working directory is gone. `mode`: of each that is
 * made. Throws what the file system throws.
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
