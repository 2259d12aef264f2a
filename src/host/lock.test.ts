import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, lockHolder } from './lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a lock', () => {
  it('names its process for as long as it is held, and refuses others in one sentence', () => {
    const path = join(folder, 'a.lock');
    expect(lockHolder(path)).toBeUndefined();
    const lock = acquireLock(path, 'the folder a');
    expect(lockHolder(path)).toBe(process.pid);
    expect(() => acquireLock(path, 'the folder a')).toThrow(`the folder a is in use by process ${process.pid}`);
    lock.release();
    lock.release();
    expect(lockHolder(path)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says in one sentence why it cannot be taken where nothing can be written', () => {
    const path = join(folder, 'nowhere', 'a.lock');
    writeFileSync(join(folder, 'nowhere'), '');
    expect(() => acquireLock(path, 'the folder a')).toThrow(
      expect.objectContaining({
        name: 'ReinError',
        kind: 'storage',
        message: `${path} cannot be written: there is a file where a folder is needed.`,
      }),
    );
  });

  it('that was handed to a child is held until the child is gone, or the giver takes it back', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(child, 'exit');
    const path = join(folder, 'a.lock');
    const lock = acquireLock(path, 'the folder a');
    lock.handTo(child.pid!);
    expect(lockHolder(path)).toBe(child.pid);
    expect(() => acquireLock(path, 'the folder a')).toThrow(`is in use by process ${child.pid}`);
    child.stdin.end();
    await ended;
    expect(lockHolder(path)).toBeUndefined();
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is handed on where the disk has no room for another file, and leaves nothing beside it', () => {
    const path = join(folder, 'a.lock');
    const lock = acquireLock(path, 'the folder a');
    // Writing through this link fails, as on a full disk.
    symlinkSync(join(folder, 'nowhere', 'b'), `${path}.${process.pid}`);
    lock.handTo(process.ppid);
    expect(lockHolder(path)).toBe(process.ppid);
    lock.handTo(process.pid);
    expect(lockHolder(path)).toBe(process.pid);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
