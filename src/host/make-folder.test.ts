import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makeFolder } from './make-folder.ts';

it('makes a folder and all that leads to it, and fails where the working directory is gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-make-folder-'));
  makeFolder(join(folder, 'a', 'b'));
  makeFolder(join(folder, 'a', 'b'));
  expect(statSync(join(folder, 'a', 'b')).isDirectory()).toBe(true);
  // Node's error if the working directory was removed.
  const gone = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' });
  });
  try {
    expect(() => makeFolder('a')).toThrow('uv_cwd');
  } finally {
    gone.mockRestore();
    rmSync(folder, { recursive: true });
  }
});

it.skipIf(process.platform !== 'linux')('says of what is in the way, not of the folders that are missing', () => {
  // These folders take no entries; Node's own `recursive` reports ENOENT or never returns.
  expect(() => makeFolder('/proc/rein-x/y')).toThrow("mkdir '/proc/rein-x'");
  expect(() => makeFolder('/sys/rein-x/y')).toThrow(/^(EROFS|EPERM|EACCES).*mkdir '\/sys\/rein-x'/);
  expect(() => makeFolder('/dev/null/x')).toThrow('ENOTDIR');
});
