/**
 * Writes a file whole or not at all: beside it first, as `<path>.new`, through to the disk, then under its name. Whoever reads
 * `path` meanwhile, or after a crash, finds the old content or the new one. One process a path.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** The last write of each path that is still to be done. */
const writes = new Map<string, Promise<void>>();

/** Rejects as the file system does, and then leaves nothing beside `path`. Two at once are done one after the other. */
export function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const write = (): Promise<void> => writeWhole(path, content);
  const done = (writes.get(path) ?? Promise.resolve()).then(write, write);
  writes.set(path, done);
  const forget = (): void => {
    if (writes.get(path) === done) writes.delete(path);
  };
  done.then(forget, forget);
  return done;
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
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
