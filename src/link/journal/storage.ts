/** The few file operations that the journal's writer needs, as an interface so that tests can fill or break the disk. */
import { close, closeSync, fdatasync, fsyncSync, openSync, statfs, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One open segment. The methods reject with what the file system says. */
export interface SegmentFile {
  /** Writes all of `bytes` at `position`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when what was written would survive a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Where segments are made. */
export interface JournalStorage {
  /** Creates the file; with `exclusive` it throws when there is one already, else it empties that one. */
  create(path: string, mode: 'exclusive' | 'replace'): SegmentFile;
  /** Adds `text` to the end of the file, which is made where there is none; resolves when it would survive a loss of power. */
  append(path: string, text: string): Promise<void>;
  /** Makes the names of created files in `dir` survive a loss of power. */
  syncDirectory(dir: string): void;
  /** Room that is left for this user, and the size of the file system, bytes. */
  space(dir: string): Promise<{ freeBytes: number; totalBytes: number }>;
}

const writeAt = promisify(write);
const syncData = promisify(fdatasync);
const closeFile = promisify(close);
const statFileSystem = promisify(statfs);

/** The machine's file system. */
export const nodeStorage: JournalStorage = {
  create(path, mode) {
    const fd = openSync(path, mode === 'exclusive' ? 'wx' : 'w');
    return {
      async write(bytes, position) {
        let done = 0;
        while (done < bytes.length) {
          const { bytesWritten } = await writeAt(fd, bytes, done, bytes.length - done, position + done);
          done += bytesWritten;
        }
      },
      sync: () => syncData(fd),
      close: () => closeFile(fd),
    };
  },
  async append(path, text) {
    const file = await open(path, 'a');
    try {
      await file.write(text);
      await file.datasync();
    } finally {
      await file.close();
    }
  },
  syncDirectory(dir) {
    const fd = openSync(dir, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  async space(dir) {
    const { bavail, blocks, bsize } = await statFileSystem(dir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
};
