/** Each test has one try, and what failed now and then is in the ledger. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Files below `folder` that hold tests or run them. */
function filesOf(folder: string): string[] {
  const below = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return below.filter((path) => /\.(test\.ts|contract\.ts|js)$/.test(path)).map((path) => `${folder}/${path}`);
}

describe('one try', () => {
  it('is all that a test has', () => {
    const files = [...['src', 'bench', 'tests', 'scripts'].flatMap(filesOf), 'vitest.config.ts'];
    const again = files.filter((path) => /(--|\b)retry\b['"]?\s*[:=]|\.retry\(|--retry/.test(read(path)));
    expect(again.filter((path) => path !== 'tests/arch/one-try.test.ts')).toEqual([]);
  });

  it('is told of in the ledger by tests that are there', () => {
    const rows = read('tests/flakes.md').matchAll(/^\| `([^`]+)` \|(.*)\|(.*)\|(.*)\|$/gm);
    const lines = [...rows].map(([, path, ...cells]) => ({ path: path!, cells }));
    expect(lines.length).toBeGreaterThan(0);
    for (const { path, cells } of lines) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(cells.every((cell) => cell.trim() !== '')).toBe(true);
    }
  });
});
