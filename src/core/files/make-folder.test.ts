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
