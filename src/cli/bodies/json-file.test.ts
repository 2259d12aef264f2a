import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkJsonFile, writeJsonFile } from './json-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-json-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the file of --json', () => {
  it('is replaced and never written over: who has the old one open keeps it whole', async () => {
    const path = join(folder, 'found.json');
    writeFileSync(path, 'old');
    const before = lstatSync(path).ino;
    await writeJsonFile(path, { a: 1 });
    expect(readFileSync(path, 'utf8')).toBe('{\n  "a": 1\n}\n');
    expect(lstatSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(['found.json']);
  });

  it('may be a link, which stays one', async () => {
    const [path, target] = [join(folder, 'link.json'), join(folder, 'target.json')];
    writeFileSync(target, 'old');
    symlinkSync(target, path);
    await writeJsonFile(path, {});
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('{}\n');
  });

  it('may be a pipe, which is written into', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    await writeJsonFile(path, {});
    const bytes = Buffer.alloc(8);
    expect(bytes.toString('utf8', 0, readSync(reader, bytes))).toBe('{}\n');
    closeSync(reader);
    expect(lstatSync(path).isFIFO()).toBe(true);
  });

  it('is refused with what is in the way, and not as one that is missing', async () => {
    // A folder that takes no entries, not even from root.
    await expect(checkJsonFile('/sys/found.json')).rejects.toThrow(
      /^The file of --json cannot be written: (EACCES|EPERM|EROFS)/,
    );
    await expect(checkJsonFile(join(folder, 'gone', 'found.json'))).rejects.toThrow('ENOENT');
    await checkJsonFile(join(folder, 'found.json'));
    expect(readdirSync(folder)).toEqual([]);
  });
});
