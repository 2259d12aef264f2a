/**
 * Breaks src/safety in one way after another (tests/mutants/mutants.json) and checks whether a test notices. Each mutant is
 * made in a copy of the tree; the tests beside the changed file run first, and all of the safety chain's if those pass.
 * Ends with code 1 if fewer than 95 % are noticed, and with 2 if tests fail on the copy before anything is broken.
 *
 *   npm run mutants                        all of them, two at a time: some ten minutes
 *   npm run mutants -- --only limiter      those whose id contains this
 *   npm run mutants -- --json FILE         the result there as well
 */
import './node-version.js';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = scriptArguments(import.meta.url, {
  options: {
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
});
/** Minimum share of mutants that have to be noticed. */
const LEAST_SHARE = 0.95;
/** Tests in which any change of the safety chain can show, if those beside it pass. */
const ALL_TESTS = [
  'src/safety',
  'tests/sim-time/safety-chain',
  'tests/sim-time/stages-matter',
  'tests/sim-time/clearances-matter',
  'tests/sim-time/closed-loop',
  'src/guard',
];
const LIMIT_MS = 5 * 60_000;
const COPIED = [
  'src',
  'packages',
  'bench',
  'tests',
  'scripts',
  'config',
  'docs',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

const list = JSON.parse(readFileSync(join(root, 'tests/mutants/mutants.json'), 'utf8'));
const chosen = list.filter(({ id }) => id.includes(values.only));
if (chosen.length === 0) {
  console.error(`No mutant's id holds ${values.only}.`);
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), 'rein-mutants-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const results = [];
const started = performance.now();
const queue = [...chosen];
const copies = Array.from({ length: Number(values.jobs) }, (_, k) => makeCopy(k));
// Tests that fail anyway would count every mutant as noticed.
if (await fails(copies[0], [...new Set([...ALL_TESTS, ...chosen.flatMap(nearest)])], 'inherit')) {
  console.error('Tests fail on a copy in which nothing is broken: no mutant was tried.');
  process.exit(2);
}
await Promise.all(copies.map(work));
finish();

function makeCopy(number) {
  const folder = join(scratch, String(number));
  mkdirSync(folder);
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  // Tests load `dist/` where they can build it (`tests/support/build-first.ts`), else `src/`, which is broken here.
  rmSync(join(folder, 'scripts/build.js'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function work(folder) {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const result = await tryMutant(folder, mutant);
    results.push(result);
    const seconds = (result.ms / 1000).toFixed(0);
    console.log(`${result.outcome.padEnd(8)} ${mutant.id.padEnd(34)} ${seconds.padStart(4)} s  ${mutant.breaks}`);
  }
}

/** Tests that run first on a mutant. */
function nearest({ file, tests }) {
  return tests ?? [dirname(file)];
}

async function tryMutant(folder, mutant) {
  const { id, file, find, replace, breaks } = mutant;
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const begun = performance.now();
  if (text.split(find).length !== 2) return { id, file, breaks, outcome: 'missing', ms: 0 };
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    const isKilled = (await fails(folder, nearest(mutant))) || (await fails(folder, ALL_TESTS));
    return { id, file, breaks, outcome: isKilled ? 'killed' : 'survived', ms: performance.now() - begun };
  } finally {
    writeFileSync(path, text);
  }
}

/** Resolves to true if a test of `paths` fails, or does not end. */
function fails(folder, paths, stdio = 'ignore') {
  return new Promise((resolve) => {
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...paths, '--bail=1', '--maxWorkers=1'];
    const child = spawn(process.execPath, [...args, '--reporter=dot', '--passWithNoTests'], {
      cwd: folder,
      stdio,
      detached: true,
    });
    const timer = setTimeout(() => end(child.pid), LIMIT_MS);
    const onExit = () => end(child.pid);
    process.once('exit', onExit);
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('exit', onExit);
      resolve(code !== 0);
    });
  });
}

function end(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function finish() {
  const killed = results.filter(({ outcome }) => outcome === 'killed').length;
  const share = killed / results.length;
  const alive = results.filter(({ outcome }) => outcome !== 'killed');
  for (const { id, file, outcome, breaks } of alive) console.log(`\n${outcome}: ${id} in ${file}: ${breaks}`);
  const minutes = (performance.now() - started) / 60_000;
  console.log(
    `\n${killed} of ${results.length} mutants killed (${(100 * share).toFixed(1)} %), ${minutes.toFixed(1)} min`,
  );
  if (values.json !== undefined) {
    const rows = results.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    writeFileSync(values.json, `${JSON.stringify({ killed, total: results.length, minutes, rows }, null, 2)}\n`);
  }
  if (share < LEAST_SHARE) process.exitCode = 1;
}
