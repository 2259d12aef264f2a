/** What CONTRIBUTING says of style and the linter has no rule for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');

/** Source files below `folder`. */
function filesOf(folder: string): string[] {
  const below = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return below.filter((path) => /\.(ts|js)$/.test(path)).map((path) => `${folder}/${path}`);
}

describe('style', () => {
  it('packs no members into a literal that is spread', () => {
    const files = ['src', ...PACKAGE_SOURCES, 'bench', 'scripts', 'tests', 'examples', 'bin'].flatMap(filesOf);
    expect(files.length).toBeGreaterThan(1000);
    const packed = files.filter((path) => /\.\.\.\{(?!\})/.test(readFileSync(join(root, path), 'utf8')));
    expect(packed.filter((path) => path !== 'tests/arch/style.test.ts')).toEqual([]);
  });

  it("makes folders by the core's makeFolder, which ends and says what is in the way", () => {
    const files = ['src', ...PACKAGE_SOURCES].flatMap(filesOf).filter((path) => !/\.test\.ts$/.test(path));
    const recursive = /\bmkdir(?:Sync)?\([^;]*recursive: true/;
    expect(files.filter((path) => recursive.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });
});
