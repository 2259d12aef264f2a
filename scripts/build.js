/**
 * Compiles `src/` into `dist/` and copies what is not TypeScript (scenes, pages) beside it. Does nothing when
 * nothing changed; removes outputs whose source is gone. `--quiet` says only how long it took, or what failed.
 */
import './node-version.js';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp.json');
const lockFile = join(dist, '.build-lock');
const buildInfo = join(dist, '.tsbuildinfo');
const compilerInputs = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/build.js'];
const quiet = process.argv.includes('--quiet');

const started = performance.now();
mkdirSync(dist, { recursive: true });
if (!isCurrent()) {
  await takeLock();
  process.on('exit', () => rmSync(lockFile, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  // Another build may have finished the work while this one waited for the lock.
  if (!isCurrent()) build();
} else if (!quiet) {
  console.log('dist is up to date');
}

function build() {
  const sources = listSources();
  const outputs = sources.flatMap(outputsOf);
  const stampBefore = fingerprint(sources);
  rmSync(stampFile, { force: true });
  removeStale(new Set(outputs));
  // The compiler trusts its own record of what it wrote: without the files the record is worth nothing.
  if (outputs.some((file) => !isAsset(file) && !existsSync(join(dist, file)))) rmSync(buildInfo, { force: true });
  copyAssets(sources);
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) fail('TypeScript is not installed. Run `npm ci` first.');
  const run = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (run.status !== 0) fail(`${run.stdout ?? ''}${run.stderr ?? ''}\nThe build failed: see the lines above.`);
  writeFileSync(`${stampFile}.new`, JSON.stringify({ key: stampBefore, outputs }));
  renameSync(`${stampFile}.new`, stampFile);
  console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function isCurrent() {
  if (!existsSync(stampFile)) return false;
  const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
  if (stamp.key !== fingerprint(listSources())) return false;
  // Neither less nor more: what has no source any more would go into the package.
  const there = listFiles(dist).filter((file) => !file.startsWith('.'));
  const wanted = new Set(stamp.outputs);
  return there.length === wanted.size && there.every((file) => wanted.has(file));
}

/** Paths under `src/` that the build reads, sorted. */
function listSources() {
  return listFiles(join(root, 'src')).filter((file) => !/__snapshots__|\.test\.ts$|\.md$|~$|^\.|\/\./.test(file));
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();
}

function isAsset(file) {
  return !/\.(ts|js|map)$/.test(file);
}

function outputsOf(source) {
  if (!source.endsWith('.ts') || source.endsWith('.d.ts')) return isAsset(source) ? [source] : [];
  const stem = source.slice(0, -'.ts'.length);
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
}

function fingerprint(sources) {
  const files = [...sources.map((file) => join('src', file)), ...compilerInputs];
  return files
    .map((file) => {
      const { size, mtimeMs } = statSync(join(root, file), { throwIfNoEntry: false }) ?? {};
      return `${file} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

function copyAssets(sources) {
  for (const file of sources.filter(isAsset)) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    copyFileSync(join(root, 'src', file), join(dist, file));
  }
}

function removeStale(outputs) {
  for (const file of listFiles(dist)) {
    if (!file.startsWith('.') && !outputs.has(file)) rmSync(join(dist, file), { force: true });
  }
}

/** One build at a time: tests and demo may start it side by side. A lock whose owner is gone counts for nothing. */
async function takeLock() {
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isAlive(Number(readLock()))) rmSync(lockFile, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The lock's owner; just made and still empty counts as alive, gone as 0. */
function readLock() {
  try {
    return readFileSync(lockFile, 'utf8') || process.pid;
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
}

function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function fail(message) {
  console.error(message.trim());
  process.exit(1);
}
