import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ReinError } from '../../model/index.ts';
import { checkFree, checkJsonFile } from './json-file.ts';
import { makeOutFolder } from './out-folder.ts';

const dir = mkdtempSync(join(tmpdir(), 'rein-out-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Refusal of `folder`. */
function refusal(folder: string): string {
  try {
    makeOutFolder(folder);
  } catch (error) {
    expect((error as ReinError).kind).toBe('config');
    return (error as Error).message.replaceAll(dir, '');
  }
  return 'made';
}

describe('the folder of --out', () => {
  it('is made with those above it, and may be there', () => {
    makeOutFolder(join(dir, 'a', 'b', 'c'));
    expect(statSync(join(dir, 'a', 'b', 'c')).isDirectory()).toBe(true);
    expect(refusal(join(dir, 'a', 'b', 'c'))).toBe('made');
    expect(refusal(dir)).toBe('made');
  });

  it('is refused in a sentence where it is a file, below one, or where nothing can be made', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(refusal(join(dir, 'file'))).toBe('/file is a file, not a folder');
    expect(refusal(join(dir, 'file', 'x', 'y'))).toBe('/file is a file, not a folder');
    if (existsSync('/proc')) expect(refusal('/proc/rein-x/y')).toBe('/proc/rein-x/y cannot be made (ENOENT)');
    expect(refusal(join(dir, 'n'.repeat(300)))).toMatch(/cannot be made \(ENAMETOOLONG\)$/);
  });
});

describe('the file of --json', () => {
  it('is refused before the work begins, and left as it was', async () => {
    await expect(checkJsonFile(join(dir, 'none', 'x.json'))).rejects.toThrow(ReinError);
    await expect(checkJsonFile(dir)).rejects.toThrow(/--json cannot be written/);
    await checkJsonFile(join(dir, 'new.json'));
    expect(existsSync(join(dir, 'new.json'))).toBe(false);
  });
});

describe('a file that is to be kept', () => {
  const [taken, free] = [join(dir, 'policy.onnx'), join(dir, 'policy.json')];

  it('is never written over, unless that is asked for', () => {
    writeFileSync(taken, 'precious');
    const refused = { kind: 'config', remedy: 'give --out another name, or --force to write over it' };
    expect(() => checkFree([free, taken], false)).toThrow(expect.objectContaining(refused));
    expect(() => checkFree([free, taken], false)).toThrow(/policy\.onnx is there already$/);
    checkFree([free, taken], true);
    checkFree([free], false);
  });

  it('is no folder, device or pipe: those are for who writes to refuse or to take', () => {
    checkFree([dir, '/dev/null'], false);
  });
});
