/**
 * Replaces a file atomically: written as `<path>.new`, flushed to disk, then renamed. A reader of `path`, also after a crash,
 * finds either the old or the new content. One process per path.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Last pending write of each path. */
const writes = new Map<string, Promise<void>>();

/** Rejects with the file system's error, leaving no temporary file behind. Concurrent writes of one path are done in order. */
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
    // A partial file would keep a full disk full.
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Synchronous `replaceFile`, for code that may block on the disk. */
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
      // The first error is the one to report.
    }
    throw error;
  }
}
