/** What `npm pack` puts into the package: everything that the installed program runs, and nothing for builders. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it('holds the compiled program, and neither types nor maps', () => {
  // The tests have built dist already.
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
  const [list] = JSON.parse(packed.stdout) as [{ files: { path: string }[] }];
  const paths = list.files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['bin/rein.js', 'dist/cli/main.js', 'config/tasks/insert.yaml']));
  expect(paths.filter((path) => /\.(d\.ts|map)$|^dist\/\./.test(path))).toEqual([]);
});

it('is compiled before it is packed', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['package']).toMatch(/^node scripts\/build\.js .*&& npm pack$/);
});
