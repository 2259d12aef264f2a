/**
 * Writes a file whole or not at all: beside it first, as `<path>.new`, through to the disk, then under its name. Whoever reads
 * `path` meanwhile, or after a crash, finds the old content or the new one. One writer a path.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Rejects as the file system does, and then leaves nothing beside `path`. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${path}.new`;
  try {
    await writeFile(fresh, content, { flush: true });
    await rename(fresh, path);
  } catch (error) {
    // Half a file would keep a full disk full.
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** `replaceFile` for work that is done step by step and may wait for the disk. */
export function replaceFileSync(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.new`;
  try {
    const file = openSync(fresh, 'w');
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    try {
      rmSync(fresh, { force: true });
    } catch {
      // The first trouble is the one to report.
    }
    throw error;
  }
}
