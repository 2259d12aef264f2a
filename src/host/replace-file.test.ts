import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile, replaceFileSync } from './replace-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each([
  ['replaceFile', replaceFile],
  ['replaceFileSync', async (...args: Parameters<typeof replaceFileSync>) => replaceFileSync(...args)],
])('%s', (_, replace) => {
  it('writes text and bytes over what was there, and leaves nothing beside it', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'long ago, and longer');
    await replace(path, 'text');
    expect(readFileSync(path, 'utf8')).toBe('text');
    await replace(path, Uint8Array.of(0, 255));
    expect([...readFileSync(path)]).toEqual([0, 255]);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves what it cannot replace as it was, and nothing beside it', async () => {
    const path = join(folder, 'taken');
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), '');
    await expect(replace(path, 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  it('writes what is given twice at once whole, the later last', async () => {
    const path = join(folder, 'file');
    const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(1e6));
    await Promise.all(contents.map((content) => replace(path, content)));
    expect(readFileSync(path, 'utf8') === contents[2]).toBe(true);
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
