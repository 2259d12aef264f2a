import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makeFolder } from './make-folder.ts';

it('makes a folder and all that leads to it, and fails where the working directory is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-make-folder-'));
  await makeFolder(join(folder, 'a', 'b'));
  await makeFolder(join(folder, 'a', 'b'));
  expect(statSync(join(folder, 'a', 'b')).isDirectory()).toBe(true);
  // What Node says of a working directory that was removed.
  const gone = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' });
  });
  try {
    await expect(makeFolder('a')).rejects.toThrow('uv_cwd');
  } finally {
    gone.mockRestore();
    rmSync(folder, { recursive: true });
  }
});

it.skipIf(process.platform !== 'linux')('says of what is in the way, not of the folders that are missing', async () => {
  // Takes no entries, and Node says ENOENT of it or never ends.
  await expect(makeFolder('/proc/rein-x/y')).rejects.toThrow("mkdir '/proc/rein-x'");
  await expect(makeFolder('/sys/rein-x/y')).rejects.toThrow(/^(EROFS|EPERM|EACCES).*mkdir '\/sys\/rein-x'/);
  await expect(makeFolder('/dev/null/x')).rejects.toThrow('ENOTDIR');
});
