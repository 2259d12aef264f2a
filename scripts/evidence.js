/**
 * Makes docs/evidence.json, the tests of the safety chain with their outcomes, and from it the last part of docs/safety-check.md.
 * Runs everything one after another; nothing else should run meanwhile. The page reports failed and missing parts, and commit and
 * machine of each part, and the age of the oldest. Refuses to run with changed files that are not committed.
 *
 *   npm run evidence                       all of it: two hours or more on two cores, after "npm ci" in a fresh clone
 *   npm run evidence -- --models FOLDER    with third-party robots, of which copies are below FOLDER
 *   npm run evidence -- --quick            little of everything, as a quick check: the page says so
 *   npm run evidence -- --reuse            takes existing results of the last run in runs/evidence/, runs what is missing
 *   npm run evidence -- --only trials,qp   these anew, the rest from the last run, or from docs/evidence.json
 *   npm run evidence -- --only reward      the value of a reward classifier, which has its own page: docs/reward-classifier.md
 *   npm run evidence -- --only backward    200 episodes without resets by the simulator: docs/workflows.md
 *   npm run evidence -- --only diagnosis   trainings that learn, and the same broken on purpose, before the checks of
 *                                          docs/why-not-learning.md
 *   npm run evidence -- --page             the page only, from existing results: parts of the last run, else docs/evidence.json
 *   npm run evidence -- --page --keep foreign=f.json
 *                                          first takes a result that "npm run safety:million" wrote elsewhere for a part; its
 *                                          commit and machine are in the file
 */
import './node-version.js';
import './read-typescript.js';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.js';
import { thisMachine } from './machine.js';

const { reduced, withEvidence } = await import('./evidence-page.js');

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = scriptArguments(import.meta.url, {
  options: {
    quick: { type: 'boolean', default: false },
    reuse: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    page: { type: 'boolean', default: false },
    dirty: { type: 'boolean', default: false },
    models: { type: 'string' },
    keep: { type: 'string', multiple: true, default: [] },
    parts: { type: 'string', default: join(root, 'runs/evidence') },
    out: { type: 'string', default: join(root, 'docs') },
  },
});
const { quick, parts: folder } = values;
const bench = ['node', 'dist/bench/main.js'];
/** The default reporter shows output of tests: figures, which `linesOf` reads. */
const vitest = ['node', 'node_modules/vitest/vitest.mjs', 'run', '--reporter=default'];

const models = values.models ?? 'FOLDER';

/** Parts in the order of the page. Each writes the JSON file given at the end of its command. */
const PARTS = [
  {
    name: 'million',
    command: ['node', 'scripts/safety-million.js', ...(quick ? ['--share', '0.01'] : []), '--json'],
  },
  {
    name: 'foreign',
    command: [
      'node',
      'scripts/safety-million.js',
      '--models',
      models,
      '--only',
      'ur5e,panda,so101',
      ...(quick ? ['--ticks', '2000', '--json'] : ['--json']),
    ],
  },
  { name: 'trials', command: ['node', 'scripts/stop-trials.js', '--trials', quick ? '2' : '100', '--json'] },
  {
    name: 'faults',
    command: [...vitest, 'tests/sim-time/faults-', 'tests/process/faults-', 'tests/real-time/', '--reporter=json'],
    flag: '--outputFile',
  },
  {
    name: 'flood',
    command: [...vitest, 'tests/process/flood.test.ts', '-t', 'fills no memory', '--reporter=json'],
    flag: '--outputFile',
    env: { REIN_FLOOD_S: quick ? '5' : '600' },
  },
  {
    name: 'qp',
    env: { REIN_PROGRAMS: quick ? '1000' : '10000' },
    command: [...vitest, 'src/safety/avoidance/active-set.test.ts', '--reporter=json'],
    flag: '--outputFile',
  },
  {
    name: 'passivity',
    env: { REIN_LONG_TESTS: '1' },
    command: [...vitest, 'tests/sim-time/closed-loop', '--reporter=json'],
    flag: '--outputFile',
  },
  { name: 'benchSafety', command: [...bench, 'safety', '--ticks', quick ? '5000' : '100000', '--json'] },
  { name: 'benchTick', command: [...bench, 'tick', '--seconds', quick ? '0.5' : '30', '--json'] },
  { name: 'coverage', command: ['node', 'scripts/coverage.js', '--json'] },
  { name: 'mutants', command: ['node', 'scripts/mutants.js', ...(quick ? ['--only', 'sanitize'] : []), '--json'] },
];
/** Evidence with its own page, written by its command. Run only if named. */
const PAGES = {
  reward: ['node', 'scripts/reward-evidence.js'],
  backward: ['node', 'scripts/backward-evidence.js', ...(quick ? ['--episodes', '10'] : [])],
  // Its limits are in the checks, from which a page is generated; this compares trainings with them.
  diagnosis: ['env', `REIN_DIAGNOSIS=${quick ? 'some' : 'all'}`, ...vitest, 'tests/long/diagnosis'],
};
/** Usual duration of each part on two cores, s: for the estimate while there is no last time. */
const USUAL_S = {
  million: 4500,
  foreign: 600,
  trials: 900,
  faults: 400,
  flood: 610,
  qp: 60,
  passivity: 300,
  benchSafety: 120,
  benchTick: 120,
  coverage: 500,
  mutants: 1500,
};
/** Period at which a running part reports progress, ms. */
const PULSE_MS = 60_000;
const only = values.only.split(',').filter(Boolean);
const isPage = (name) => Object.hasOwn(PAGES, name);
const unknown = only.filter((name) => !isPage(name) && !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(', ')}. Parts: ${[...PARTS.map(({ name }) => name), ...Object.keys(PAGES)].join(', ')}.`,
  );
  process.exit(2);
}

for (const name of only.filter(isPage)) await makePage(name);
if (only.length > 0 && only.every(isPage)) process.exit();

const commit = (await run(['git', 'rev-parse', 'HEAD'], {})).output.trim() || null;
const isClean = (await run(['git', 'status', '--porcelain', '--untracked-files=no'], {})).output.trim() === '';
if (!isClean && !quick && !values.dirty && !values.page) {
  console.error('Files are changed and not committed: the page would be of no commit.');
  console.error('  → commit or stash them; --dirty makes it anyway, and the page says so');
  process.exit(2);
}
const figures = join(values.out, 'evidence.json');
/** Stored parts: used for those missing in this folder of runs. */
const kept = existsSync(figures) ? JSON.parse(readFileSync(figures, 'utf8')) : { parts: {} };
if (values.page && values.keep.length === 0 && !existsSync(folder) && existsSync(figures)) {
  writePage(readFileSync(figures, 'utf8'));
  process.exit();
}
mkdirSync(folder, { recursive: true });
for (const text of values.keep) keepPart(text);
if (!values.page) await makeParts(PARTS.filter(({ name }) => isWanted(name)));
const faultRows = await countFaultRows();
const parts = {};
for (const { name, command, env } of PARTS) {
  const part = readPart(name);
  const known = part.commit && (await run(['git', 'merge-base', '--is-ancestor', part.commit, 'HEAD'], {})).code === 0;
  parts[name] = { ...part, ...(part.commit && { isInHistory: known }), command: shown(command, env) };
}
const evidence = reduced({
  formatVersion: 2,
  createdAt: new Date().toISOString(),
  versions: await readVersions(),
  faultRows,
  failedFaultTests: existsSync(partFile('faults')) ? failedTests(parts.faults.result) : (kept.failedFaultTests ?? []),
  parts,
});
mkdirSync(values.out, { recursive: true });
const text = withoutPlaces(`${JSON.stringify(evidence, null, 1)}\n`);
writeFileSync(figures, text);
writePage(text);
const bad = Object.entries(evidence.parts).filter(
  ([name, part]) => part.exitCode !== 0 && !(name === 'foreign' && part.result === null),
);
for (const [name, part] of bad)
  console.log(`not as promised, or missing: ${name} (${part.missing ?? `exit code ${part.exitCode}`})`);
if (bad.length > 0) process.exitCode = 1;

/** Builds, and runs the command that writes its own page. */
async function makePage(name) {
  for (const command of [['node', 'scripts/build.js', '--quiet'], PAGES[name]]) {
    const { code, output } = await run(command, {}, (bytes) => process.stdout.write(bytes));
    if (code === 0) continue;
    console.error(output);
    process.exit(1);
  }
}

/** Writes the content of `text`, that of evidence.json, below the mark of the page. */
function writePage(text) {
  const page = join(values.out, 'safety-check.md');
  writeFileSync(page, withEvidence(existsSync(page) ? readFileSync(page, 'utf8') : '', JSON.parse(text)));
  console.log(`written: ${page}, from evidence.json beside it`);
}

/** Removes paths of this machine. */
function withoutPlaces(text) {
  return text.replaceAll(root, '').replaceAll(models, 'FOLDER');
}

/** `NAME=FILE`: makes the result of a run elsewhere a part, with the commit and machine given in the file. */
function keepPart(text) {
  const [, name, file] = /^(\w+)=(.+)$/.exec(text) ?? [];
  const refuse = (sentence) => {
    console.error(sentence);
    process.exit(2);
  };
  if (!['million', 'foreign'].includes(name)) refuse(`--keep takes million=FILE or foreign=FILE, not ${text}.`);
  if (!existsSync(file)) refuse(`${file} is not there: give --keep ${name}= what "npm run safety:million" wrote.`);
  const result = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof result.commit !== 'string' || typeof result.ok !== 'boolean')
    refuse(`${file} does not say of which commit it is and how it ended: it was made by an older version.`);
  const { commit, machine, wallS: seconds, createdAt: madeAt } = result;
  const about = { commit, machine, isQuick: false, exitCode: result.ok ? 0 : 1, seconds, madeAt };
  writeFileSync(partFile(name), JSON.stringify({ ...about, lines: [], result }));
}

function isWanted(name) {
  // Third-party robots: only if the folder of their copies is given.
  if (name === 'foreign' && values.models === undefined) return false;
  if (only.length > 0) return only.includes(name);
  // A part of another commit is no part of this page.
  return !(values.reuse && existsSync(partFile(name)) && readPart(name).commit === commit);
}

function partFile(name) {
  return join(folder, `${name}.json`);
}

/** Builds, and runs parts one after another; reports the present one and the remaining time, by the last durations. */
async function makeParts(parts) {
  const lastS = ({ name }) => {
    const seconds = existsSync(partFile(name)) ? readPart(name).seconds : undefined;
    return seconds ?? USUAL_S[name] * (quick ? 0.02 : 1);
  };
  const left = (from) => parts.slice(from).reduce((sum, part) => sum + lastS(part), 0);
  console.log(`${parts.length} parts, about ${minutes(left(0))} in all; nothing else should run meanwhile`);
  const built = await run(['node', 'scripts/build.js', '--quiet'], {});
  if (built.code !== 0) {
    console.error(built.output);
    process.exit(1);
  }
  for (const [i, part] of parts.entries()) {
    console.log(`[${i + 1}/${parts.length}] about ${minutes(left(i))} left`);
    await makePart(part);
  }
}

function minutes(seconds) {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Runs one part and stores its output, with its exit code. */
async function makePart({ name, command, flag, env = {} }) {
  const file = partFile(name);
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  console.log(`${name}: ${shown(command, env)}`);
  const machine = thisMachine();
  const begun = performance.now();
  // Shows the last line of a part's output now and then.
  let last = '';
  const pulse = setInterval(() => {
    console.log(`  ${minutes((performance.now() - begun) / 1000)} so far${last === '' ? '' : `: ${last}`}`);
  }, PULSE_MS);
  const onOutput = (text) => {
    last = text.trim().split('\n').at(-1).slice(0, 140) || last;
  };
  const { code, output } = await run(
    [...command, ...(flag === undefined ? [fresh] : [`${flag}=${fresh}`])],
    env,
    onOutput,
  );
  clearInterval(pulse);
  const seconds = (performance.now() - begun) / 1000;
  const result = existsSync(fresh) ? JSON.parse(readFileSync(fresh, 'utf8')) : null;
  const about = {
    commit: isClean ? commit : null,
    machine,
    isQuick: quick,
    exitCode: code,
    seconds,
    madeAt: new Date().toISOString(),
    lines: linesOf(output),
  };
  writeFileSync(fresh, JSON.stringify({ ...about, result }));
  renameSync(fresh, file);
  console.log(`  ${code === 0 ? 'as promised' : `ended with ${code}`} after ${seconds.toFixed(0)} s`);
}

/** Objects that a program printed as lines `name: {…}`. */
function linesOf(output) {
  return output.split('\n').flatMap((line) => {
    const [, name, json] = /^(?:\S*m)?([\w -]+): (\{.*\})$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, ...JSON.parse(json) }];
  });
}

function readPart(name) {
  if (!existsSync(partFile(name))) return kept.parts[name] ?? { exitCode: null, result: null, missing: 'not run' };
  const part = JSON.parse(readFileSync(partFile(name), 'utf8'));
  return part.result === null ? { ...part, missing: 'it left no result' } : part;
}

async function countFaultRows() {
  const { FAULT_ROWS } = await import('../dist/safety/faults.js');
  return { all: FAULT_ROWS.length };
}

function failedTests(result) {
  const tests = (result?.testResults ?? []).flatMap((file) => file.assertionResults);
  return tests.filter(({ status }) => status === 'failed').map(({ title }) => title);
}

async function readVersions() {
  const { packageVersions } = await import('../dist/config/index.js');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { rein: version, ...packageVersions() };
}

/** A command in the form in which it can be typed. */
function shown(command, env = {}) {
  return [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command]
    .map((word) => (/\s/.test(word) ? `'${word}'` : word))
    .join(' ')
    .replace('node node_modules/vitest/vitest.mjs', 'npx vitest')
    .replace(/ (--json)$/, '');
}

function run([command, ...args], env, onOutput = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(command === 'node' ? process.execPath : command, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        output += bytes;
        onOutput(String(bytes));
      });
    }
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
