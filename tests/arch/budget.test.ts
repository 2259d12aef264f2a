/** Rooms and files stay within `budget.json`: a change that needs more says so there, and one that frees lines lowers it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');

interface Budget {
  /** Lines of a room or package without tests. */
  readonly rooms: Readonly<Record<string, number>>;
  /** Lines of a file. */
  readonly file: number;
  /** Files that are longer, and how long. */
  readonly longer: Readonly<Record<string, number>>;
}

const budget = JSON.parse(readFileSync(join(root, 'tests/arch/budget.json'), 'utf8')) as Budget;
/** A budget is lowered once so many lines are free. */
const SLACK = 200;

/** Lines of each source file below `folder`, without tests. */
function linesIn(folder: string): Map<string, number> {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(ts|tsx|css|html)$/.test(name) && !/\.test\.ts$/.test(name),
  );
  return new Map(
    files.map((name) => [join(folder, name), readFileSync(join(root, folder, name), 'utf8').split('\n').length - 1]),
  );
}

const folders = [
  ...readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [`src/${e.name}`] : [])),
  ...PACKAGE_SOURCES,
];
const lines = new Map(folders.map((folder) => [folder, linesIn(folder)]));

describe('the budget', () => {
  it('names every room and package, and nothing else', () => {
    expect(Object.keys(budget.rooms).sort()).toEqual([...folders].sort());
  });

  it.each(folders)('of %s holds, and is no larger than it needs to be', (folder) => {
    const all = [...lines.get(folder)!.values()].reduce((sum, each) => sum + each, 0);
    expect(all).toBeLessThanOrEqual(budget.rooms[folder]!);
    expect(all).toBeGreaterThan(budget.rooms[folder]! - SLACK);
  });

  it('of a file holds, but for those that are named, which grow no longer', () => {
    const long = [...lines.values()].flatMap((files) => [...files]).filter(([, count]) => count > budget.file);
    expect(long.filter(([file, count]) => count > (budget.longer[file] ?? 0))).toEqual([]);
    expect(Object.keys(budget.longer).filter((file) => !long.some(([each]) => each === file))).toEqual([]);
  });
});
