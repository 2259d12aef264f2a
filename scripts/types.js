/**
 * Writes the type declarations of the exports of `rein` and `rein/learner` into `types/`, for `npm run package`: those of the
 * entries and of every file reachable from these.
 */
import './node-version.js';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'types');
const all = mkdtempSync(join(tmpdir(), 'rein-types-'));
try {
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', join(root, 'tsconfig.types.json'), '--outDir', all],
    {
      encoding: 'utf8',
    },
  );
  if (stdout !== '') console.error(stdout);
  if (status !== 0) process.exit(1);
  rmSync(out, { recursive: true, force: true });
  const files = new Set();
  for (const entry of ['index.d.ts', 'learner/toolkit.d.ts']) collect(entry, files);
  console.log(`types: ${files.size} files`);
} finally {
  rmSync(all, { recursive: true, force: true });
}

/** Copies `file` and what it imports; imports of `./x.ts` become imports of `./x.js`, whose types are in `./x.d.ts`. */
function collect(file, files) {
  if (files.has(file)) return;
  files.add(file);
  const text = readFileSync(join(all, file), 'utf8');
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), text.replace(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g, '$1$2.js$1'));
  for (const [, , path] of text.matchAll(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g)) {
    collect(join(dirname(file), `${path}.d.ts`), files);
  }
}
