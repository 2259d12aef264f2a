/**
 * Packs the build, for `npm run package`: the robot's program, and each folder of `packages/` as a package beside it. In the packed
 * copies, imports of the robot's `dist/` are imports of `rein/internal/…`, an entry of `rein` that is for these packages only and may
 * change with any version; so they require `rein` in exactly their own version. Arguments are those of `npm pack`, e.g.
 * `--pack-destination FOLDER`.
 */
import './node-version.js';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'rein-package-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const folders = readdirSync(join(root, 'packages')).map(staged);
const { status } = spawnSync('npm', ['pack', '.', ...folders, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** Copy of the package `name` as installed beside `rein`. */
function staged(name) {
  const source = join(root, 'packages', name);
  const copy = join(scratch, name);
  const isPacked = (path) => !path.endsWith('.map');
  cpSync(join(source, 'dist'), join(copy, 'dist'), { recursive: true, filter: isPacked });
  cpSync(join(source, 'README.md'), join(copy, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
  for (const file of readdirSync(join(copy, 'dist'), { recursive: true }).filter((path) => path.endsWith('.js'))) {
    const path = join(copy, 'dist', file);
    writeFileSync(path, besideRein(readFileSync(path, 'utf8')));
  }
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  writeFileSync(join(copy, 'package.json'), JSON.stringify(asPacked(manifest), null, 2));
  return copy;
}

function besideRein(code) {
  return code.replace(/(\b(?:from |import |import\())"(?:\.\.\/)+dist\/([^"\n]+)"/g, '$1"rein/internal/$2"');
}

/** Without sources, and with `rein`. Optional: npm would fetch a missing peer, and any registry package of that name is unrelated. */
function asPacked(manifest) {
  const exports = Object.entries(manifest.exports).map(([entry, { default: file }]) => [entry, file]);
  return {
    ...manifest,
    exports: Object.fromEntries(exports),
    peerDependencies: { rein: manifest.version },
    peerDependenciesMeta: { rein: { optional: true } },
  };
}
