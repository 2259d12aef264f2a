/** The few file operations of the journal's writer, as an interface so that tests can fill or break the disk. */
import { close, closeSync, fdatasync, fsyncSync, openSync, statfs, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One open segment. The methods reject with the file system's errors. */
export interface SegmentFile {
  /** Writes all of `bytes` at `position`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when the data written would survive a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Creates segments. */
export interface JournalStorage {
  /** Creates the file; with `exclusive` it throws if the file exists, else it truncates it. */
  create(path: string, mode: 'exclusive' | 'replace'): SegmentFile;
  /** Appends `text` to the file, creating it if missing; resolves when it would survive a power loss. */
  append(path: string, text: string): Promise<void>;
  /** Makes the names of files created in `dir` survive a power loss. */
  syncDirectory(dir: string): void;
  /** Space left for this user, and the size of the file system, bytes. */
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
