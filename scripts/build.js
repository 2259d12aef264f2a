/**
 * Transpiles `src/` into `dist/`, `bench/` into `dist/bench/` and `packages/X/src/` into `packages/X/dist/`, file by file, copies other
 * files (scenes, pages) beside it, and bundles the monitor's page for browsers. Types are not checked here: `npm run types` and `npm test`
 * do that. Does nothing when nothing changed; removes outputs whose source is gone. `--quiet` prints only that it compiles and for how
 * long, or what failed.
 */
import './node-version.js';
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
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp.json');
const lockFile = join(dist, '.build-lock');
/**
 * Browser scripts, each bundled with all its imports, and a style sheet if there is one, so that they work without a network.
 * The monitor serves those in `monitor/app`; `monitor/page` is embedded in pages that are files.
 */
const app = {
  folder: 'src/monitor/app/',
  entries: {
    'monitor/app/main': 'main.tsx',
    'monitor/page/charts': 'charts.tsx',
    'monitor/page/recordings': 'recordings.tsx',
  },
  outputs: ['app/main.js', 'app/main.css', 'page/charts.js', 'page/charts.css', 'page/recordings.js'].map(
    (path) => `dist/monitor/${path}`,
  ),
};
/** Folders from which a build removes outputs without a source. */
const outputFolders = ['dist', ...packages().map((name) => `packages/${name}/dist`)];
const compilerInputs = ['tsconfig.json', 'package-lock.json', 'scripts/build.js'];
const quiet = process.argv.includes('--quiet');

const started = performance.now();
mkdirSync(dist, { recursive: true });
if (!isCurrent()) {
  await takeLock();
  process.on('exit', () => rmSync(lockFile, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  // Another build may have finished the work while this one waited for the lock.
  if (!isCurrent()) await build();
} else if (!quiet) {
  console.log('dist is up to date');
}

async function build() {
  const sources = listSources();
  const outputs = [...sources.flatMap(outputsOf), ...app.outputs];
  const stampBefore = fingerprint(sources);
  rmSync(stampFile, { force: true });
  removeStale(new Set(outputs));
  process.stdout.write(`compiling ${sources.length} files once, which takes seconds ... `);
  copyAssets(sources);
  await transpile(sources.filter(isCompiled));
  await bundleApp();
  writeFileSync(`${stampFile}.new`, JSON.stringify({ key: stampBefore, outputs }));
  renameSync(`${stampFile}.new`, stampFile);
  console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** One output and one map per source, as processes and threads are started by the path of their file. */
async function transpile(sources) {
  const result = await compiled({
    entryPoints: sources.map((file) => ({ in: file, out: stemOf(file) })),
    outdir: '.',
    bundle: false,
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    // Nothing is minified or dropped, and types are removed as by tsc: a written import stays.
    tsconfig: 'tsconfig.json',
  });
  for (const folder of new Set(result.outputFiles.map(({ path }) => dirname(path))))
    mkdirSync(folder, { recursive: true });
  for (const { path, text } of result.outputFiles) {
    writeFileSync(path, path.endsWith('.js') ? pointAtOutputs(text, path.slice(root.length)) : text);
  }
}

async function bundleApp() {
  const result = await compiled({
    entryPoints: Object.entries(app.entries).map(([out, file]) => ({ in: `${app.folder}${file}`, out })),
    outdir: 'dist',
    bundle: true,
    minify: true,
    platform: 'browser',
    // Two years older than this code.
    target: ['chrome120', 'firefox121', 'safari17'],
    tsconfig: `${app.folder}tsconfig.json`,
    legalComments: 'inline',
  });
  for (const { path, contents } of result.outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
}

/** Output of esbuild with these options, in memory; a failure ends this process with its lines. */
async function compiled(options) {
  const esbuild = await import('esbuild').catch(() =>
    fail('\nesbuild is not installed. Run `npm ci` first (`npm install` adds it to what is there).'),
  );
  const shared = { absWorkingDir: root, write: false, format: 'esm', charset: 'utf8', logLevel: 'silent' };
  return esbuild.build({ ...shared, ...options }).catch(async (error) => {
    const lines = await esbuild.formatMessages(error.errors ?? [{ text: String(error) }], { kind: 'error' });
    fail(`\n${lines.join('')}\nThe build failed: see the lines above.`);
  });
}

/** Path of a source's outputs, without extension. */
function stemOf(source) {
  const stem = source.replace(/\.ts$/, '');
  const inPackage = /^packages\/[^/]+\//.exec(stem)?.[0];
  if (inPackage !== undefined) return stem.replace(`${inPackage}src/`, `${inPackage}dist/`);
  return `dist/${stem.replace(/^src\//, '')}`;
}

/**
 * Rewrites imports of `./x.ts` to `./x.js`, as tsc does for relative ones, and those that leave the folder of their sources (from
 * `bench/` and `packages/`) to the place of the outputs; esbuild prints each on its own line, or ends one of several lines with
 * `} from "./x.ts";`. No line moves, so that source maps stay right.
 */
function pointAtOutputs(code, output) {
  const pointed = (all, before, path) => {
    const source = posix.join(posix.dirname(sourceOf(output)), path);
    if (!/^(src|bench|packages)\//.test(source)) return all;
    const relative = posix.relative(posix.dirname(output), `${stemOf(source)}.js`);
    return `${before}"${relative.startsWith('.') ? relative : `./${relative}`}"`;
  };
  return code
    .replace(/^((?:import |export |\} from )(?:.* from )?)"(\.{1,2}\/[^"\n]*\.ts)"(?=;$)/gm, pointed)
    .replace(/(\bimport\()"(\.{1,2}\/[^"\n]*\.ts)"(?=\))/g, pointed);
}

/** The source of an output of `transpile`. */
function sourceOf(output) {
  const source = output.replace(/\.js$/, '.ts');
  const inPackage = /^packages\/[^/]+\//.exec(source)?.[0];
  if (inPackage !== undefined) return source.replace(`${inPackage}dist/`, `${inPackage}src/`);
  return source.replace(/^dist\/(?!bench\/)/, 'src/').replace(/^dist\//, '');
}

function isCurrent() {
  if (!existsSync(stampFile)) return false;
  const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
  if (stamp.key !== fingerprint(listSources())) return false;
  // Neither less nor more: an output without a source would go into the package.
  const there = listOutputs();
  const wanted = new Set(stamp.outputs);
  return there.length === wanted.size && there.every((file) => wanted.has(file));
}

/** Paths of the build's inputs, sorted. */
function listSources() {
  return ['bench', ...packages().map((name) => `packages/${name}/src`), 'src']
    .flatMap(filesBelow)
    .filter((file) => !/__snapshots__|\.test\.ts$|\.d\.m?ts$|\.md$|~$|\/\./.test(file));
}

/** Contents of the output folders, except hidden files. */
function listOutputs() {
  return outputFolders.flatMap(filesBelow).filter((file) => !/(^|\/)dist\/\./.test(file));
}

/** Names of the folders in `packages/`. */
function packages() {
  const folder = join(root, 'packages');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Paths of the files in `folder`, from the root. */
function filesBelow(folder) {
  return existsSync(join(root, folder)) ? listFiles(join(root, folder)).map((file) => join(folder, file)) : [];
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();
}

function isAsset(file) {
  if (file.startsWith(app.folder)) return file.endsWith('.html');
  return !/\.(ts|js|map)$/.test(file);
}

function isCompiled(file) {
  return file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith(app.folder);
}

function outputsOf(source) {
  const stem = stemOf(source);
  if (!isCompiled(source)) return isAsset(source) ? [stem] : [];
  return [`${stem}.js`, `${stem}.js.map`];
}

function fingerprint(sources) {
  const files = [...sources, ...compilerInputs];
  return files
    .map((file) => {
      const { size, mtimeMs } = statSync(join(root, file), { throwIfNoEntry: false }) ?? {};
      return `${file} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

function copyAssets(sources) {
  for (const file of sources.filter(isAsset)) {
    const copy = join(root, stemOf(file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, file), copy);
  }
}

function removeStale(outputs) {
  for (const file of listOutputs()) {
    if (!outputs.has(file)) rmSync(join(root, file), { force: true });
  }
}

/** Only one build at a time, as tests and demo may start it concurrently. The lock of a process that has ended is ignored. */
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

/** The lock's owner; a new and still empty lock counts as alive, a missing one as 0. */
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
