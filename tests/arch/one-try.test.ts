/** Each test has one try, and what failed now and then is in the ledger. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Files below `folder` that hold tests or run them. */
function filesOf(folder: string): string[] {
  const below = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return below.filter((path) => /\.(test\.ts|contract\.ts|js)$/.test(path)).map((path) => `${folder}/${path}`);
}

/** Whether `folder` holds test files of its own. */
function hasTests(folder: string): boolean {
  return statSync(folder).isDirectory() && readdirSync(folder).some((name) => name.endsWith('.test.ts'));
}

describe('one try', () => {
  it('is all that a test has: no runner option tries again', () => {
    const files = [...['src', ...PACKAGE_SOURCES, 'bench', 'tests', 'scripts'].flatMap(filesOf), 'vitest.config.ts'];
    const again = files.filter((path) => /(--|\b)retry\b['"]?\s*[:=]|\.retry\(|--retry/.test(read(path)));
    expect(again.filter((path) => path !== 'tests/arch/one-try.test.ts')).toEqual([]);
  });

  it('is all that a suite has: each is run once, and each folder of tests belongs to one', () => {
    const config = read('vitest.config.ts');
    const suites = [...config.matchAll(/\bsuite\('([^']+)'/g)].map(([, name]) => name!);
    const script = read('scripts/test.js');
    const runs = [...script.matchAll(/'([^']+)'/g)].map(([, word]) => word!);
    for (const name of suites) {
      const inAnyCase = name === 'ros' ? 2 : 1; // With a real ROS 2 alone at the end, without one beside the others.
      expect(
        runs.filter((word) => word === name),
        name,
      ).toHaveLength(inAnyCase);
    }
    const named = [...config.matchAll(/inFolder\('\{?([^}']+)\}?'\)/g)].flatMap(([, names]) => names!.split(','));
    const folders = readdirSync(join(root, 'tests')).filter((folder) => hasTests(join(root, 'tests', folder)));
    expect(named.filter((name) => folders.includes(name)).sort()).toEqual(folders.sort());
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
