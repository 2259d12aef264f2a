/**
 * Everything the project checks, in one command (`npm test`): build, types, lint, dependency direction, dead code,
 * generated pages, launch files, and all tests. Runs all of it whatever fails, lists the failures at the end, and
 * closes with one plain line of counts. `npm test -- PATTERN` builds, then hands PATTERN to vitest only.
 */
import './node-version.js';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'rein-test-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** A hung test must not hang whoever waits for the result. What yields to others takes as long as they leave it. */
const suiteLimitMs = 15 * 60_000;
/** Programs of a real ROS 2 take seconds to find each other, and run one after the other. */
const rosLimitMs = 25 * 60_000;
/** Tests in real time that mostly wait for a slow robot or for people's hands, and leave most of the machine to another. */
const waiting = [
  'authority',
  'exit-ramp',
  'identify-ends',
  'identify-person',
  'run-alone',
  'plugin-processes',
  'run-demonstrate',
  'run-learn',
  'run-without-learner',
  'faults-node',
  'faults-link',
  'faults-silence',
  'record',
  'teleop-devices',
  'watch',
].map((name) => `tests/wall-time/${name}.`);
/** Tests in real time that leave each other one of two cores. */
const paired = [
  'bring-up',
  'burn-in',
  'emulate',
  'faults-weights-peer',
  'identify-real-time',
  'ladder',
  'ros-half',
  'run-asks',
].map((name) => `tests/wall-time/${name}.`);
/**
 * Unit tests of heartbeats, answers and processes that keep time by the machine's clock: one that yields to others is held up for
 * longer than those may take. They mostly wait, too.
 */
const clocked = ['link/link', 'link/query', 'link/downlink', 'session/supervisor'].map((name) => `src/${name}.test.ts`);
/** One that takes a command of more than 50 ms for old: held up for longer, it has nothing left to look at. */
const alone = ['src/ros/bridge/bridge.test.ts'];
/** A page is late for its lease where its browser shares two cores with other tests: they have the machine for themselves. */
const inBrowser = ['monitor', 'monitor-views', 'monitor-lost', 'monitor-camera', 'monitor-access'].map(
  (name) => `tests/wall-time/${name}.test.ts`,
);
/** Of a command that runs beside others: it yields to them, and prints when it is done. */
const BESIDE = { show: false, isPatient: true };
/** Of tests in real time. */
const TIMED = { isTimed: true };
/** About a thirtieth of what others get, and not so little that a test beside busy ones runs into its limit. */
const PATIENT_NICE = 15;
/** Test files of one worker share their modules, which are loaded once and not once a file; a busy machine is given time. */
const SHARED = ['--no-isolate', '--testTimeout=120000'];
const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
/** More than so many at once are no busy machine. */
const MOST_AGAIN = 5;
/** How often this process looks whether the machine stands still, and what counts as that: a sixth of what a robot of 50 Hz bears, ms. */
const LOOK_MS = 5;
const STANDS_STILL_MS = 25;
/** `{ atMs, ms }` each, from 1970. */
const stalls = [];
/** Tests in real time that failed while the machine stood still, `{ path, what, stallMs }` each: they have it for themselves once, at the end. */
const again = [];
watchMachine();

const patterns = process.argv.slice(2);
await check('build', ['node', 'scripts/build.js', '--quiet']);
if (patterns.length > 0) {
  await suite('tests', patterns);
} else {
  // What waits for no clock takes what is left of the machine by what waits for one. Each test has one try, but for one in real time in
  // whose file the machine stood still; that is told of, and gets a line in tests/flakes.md all the same.
  await Promise.all([withoutClock(), inRealTime()]);
  await suite('tests in a browser', [...inBrowser, ...SHARED, '--no-file-parallelism'], TIMED);
  await tryAgain();
}
finish();

async function withoutClock() {
  await staticChecks();
  // One that replaces modules would replace them for the others.
  const replacing = testsThatReplaceModules();
  const elsewhere = ['tests/sim-time/**', 'tests/wall-time/**', 'tests/ros/**', ...clocked, ...alone, ...replacing];
  const unit = [...SHARED, ...without(elsewhere)];
  await suite('unit, property and contract tests', unit, BESIDE);
  await suite('unit tests that replace modules', replacing, BESIDE);
  await suite('tests in simulated time', ['tests/sim-time', ...SHARED, '--maxWorkers=3'], BESIDE);
}

async function inRealTime() {
  await suite('tests in real time that mostly wait', [...waiting, ...clocked, ...SHARED, '--maxWorkers=3'], TIMED);
  await suite('tests in real time, two at a time', [...paired, ...SHARED, '--maxWorkers=2'], TIMED);
  // One file at a time: these keep real time to the millisecond.
  const others = without([...[...waiting, ...paired].map((path) => `${path}*`), ...inBrowser]);
  const args = ['tests/wall-time', ...alone, ...SHARED, '--no-file-parallelism', ...others];
  await suite('tests in real time, one after the other', args, TIMED);
  // The same, against a real ROS 2: each test is skipped, and counted, where none is sourced.
  if (!process.env.AMENT_PREFIX_PATH) {
    console.log('\nThe tests against a real ROS 2 are skipped: none is sourced (AMENT_PREFIX_PATH is empty).');
  }
  // Against a real graph one file at a time; without one nobody is in another's way, and most only have to be loaded.
  const room = process.env.AMENT_PREFIX_PATH ? ['--no-file-parallelism'] : SHARED;
  await suite('ROS 2 tests', ['tests/ros', ...room, '--passWithNoTests'], { limitMs: rosLimitMs });
}

/** Arguments that leave out the files of `paths`. */
function without(paths) {
  return paths.flatMap((path) => ['--exclude', path]);
}

/** Test files of `src/` that replace a module for themselves. */
function testsThatReplaceModules() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `src/${path}`)
    .filter((path) => /\bvi\.(mock|doMock)\(/.test(readFileSync(join(root, path), 'utf8')));
}

async function staticChecks() {
  await check('types', tool('typescript-native/bin/tsc', '--noEmit'));
  await check('lint and format', tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'));
  await check(
    'dependency direction',
    tool('dependency-cruiser/bin/dependency-cruise.mjs', 'src', 'bench', '--config', '.dependency-cruiser.cjs'),
  );
  await check('dead code', tool('knip/bin/knip.js', '--no-progress'));
  await check('code that only tests use', tool('knip/bin/knip.js', '--no-progress', '--production'));
  await check('generated pages are current', ['node', 'scripts/docs.js', '--check']);
  await checkLaunchFiles();
}

async function checkLaunchFiles() {
  if (spawnSync('python3', ['--version']).status !== 0) {
    skip('launch files', 'python3 is not installed');
    return;
  }
  await check('launch files', ['python3', 'scripts/check-launch.py']);
}

/** Runs one command and counts it as one check; prints its output only if it fails. */
async function check(name, [command, ...args]) {
  const started = performance.now();
  const result = await run(command === 'node' ? process.execPath : command, args, {
    ...BESIDE,
    limitMs: suiteLimitMs,
  });
  report(name, result.code === 0, started);
  if (result.code === 0) return;
  console.log(result.output.trimEnd());
  failures.push(name);
}

/** Runs vitest with `args` and counts every test of it. */
async function suite(name, args, { limitMs = suiteLimitMs, show = true, isPatient = false, isTimed = false } = {}) {
  const started = performance.now();
  if (show) console.log(`\n── ${name}`);
  const jsonFile = join(scratch, `${name.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${jsonFile}`];
  const [command, ...vitest] = tool('vitest/vitest.mjs', 'run', ...reporters, ...args);
  const result = await run(command, vitest, { show, isPatient, limitMs });
  if (!show) console.log(`\n── ${name}\n${result.output.trimEnd()}`);
  let failed = existsSync(jsonFile) ? countTests(JSON.parse(readFileSync(jsonFile, 'utf8')), isTimed) : 0;
  // Besides failed tests: errors that belong to none, and a suite that did not come to its end.
  if (result.timedOut || (result.code !== 0 && failed === 0)) {
    failed++;
    totals.failed++;
    failures.push(
      `${name}: ${result.timedOut ? `not done after ${limitMs / 60_000} min` : `vitest ended with ${result.code}`}`,
    );
  }
  printLine(name, failed === 0, started);
}

/** Notes for how long the machine keeps this process, which does nothing else, from running. */
function watchMachine() {
  let lookedMs = Date.now();
  const look = () => {
    const atMs = Date.now();
    if (atMs - lookedMs >= LOOK_MS + STANDS_STILL_MS) stalls.push({ atMs, ms: atMs - lookedMs - LOOK_MS });
    lookedMs = atMs;
  };
  setInterval(look, LOOK_MS).unref();
}

/** For how long the machine stood still at most between two times, ms since 1970; 0: not at all. */
function longestStallMs(fromMs, toMs) {
  return Math.max(0, ...stalls.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).map(({ ms }) => ms));
}

/** Runs the files of `again` once more: whatever fails in them now has failed. */
async function tryAgain() {
  if (again.length === 0) return;
  const before = { ...totals };
  const files = [...new Set(again.map(({ path }) => path))];
  await suite('tests in real time that failed, once more and alone', [...files, ...SHARED, '--no-file-parallelism']);
  // The others of these files were counted before.
  totals.passed = before.passed + Math.max(0, again.length - (totals.failed - before.failed));
  totals.skipped = before.skipped;
}

/** Adds the tests of one suite to the totals; gives how many failed. Few in real time have another try, where the machine stood still. */
function countTests(json, isTimed) {
  const failed = json.testResults.flatMap((file) => {
    const path = file.name.startsWith(root) ? file.name.slice(root.length) : file.name;
    const stallMs = isTimed ? longestStallMs(file.startTime, file.endTime) : 0;
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map((test) => ({ path, what: test.fullName, stallMs }));
    // The file itself could not be loaded, so none of its tests was counted.
    return file.status === 'failed' ? [{ path, what: file.message.split('\n')[0] || 'did not load', stallMs: 0 }] : [];
  });
  const excused = failed.length > MOST_AGAIN ? [] : failed.filter(({ stallMs }) => stallMs > 0);
  const certain = failed.filter((one) => !excused.includes(one));
  again.push(...excused);
  totals.failed += certain.length;
  failures.push(...certain.map(({ path, what }) => `${path}: ${what}`));
  totals.passed += json.numPassedTests;
  totals.skipped += json.numPendingTests + json.numTodoTests;
  return failed.length;
}

function report(name, passed, started) {
  totals[passed ? 'passed' : 'failed']++;
  printLine(name, passed, started);
}

function skip(name, reason) {
  totals.skipped++;
  console.log(`skipped  ${name}: ${reason}`);
}

function printLine(name, passed, started) {
  console.log(`${passed ? 'ok      ' : 'FAILED  '} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}

function finish() {
  const twice = again.map(
    ({ path, what, stallMs }) => `  ${path}, the machine stood still for up to ${stallMs} ms: ${what}`,
  );
  if (twice.length > 0) console.log(`\nTried twice, which wants a line in tests/flakes.md:\n${twice.join('\n')}`);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = failures.length > 0 || totals.failed > 0 ? 1 : 0;
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
}

/** The command line of an installed tool, without npx's start-up. */
function tool(entry, ...args) {
  const file = join(root, 'node_modules', entry);
  if (!existsSync(file)) {
    console.error(`${entry.split('/bin')[0]} is not installed. Run \`npm ci\` first.`);
    process.exit(1);
  }
  return [process.execPath, file, ...args];
}

function run(command, args, { show, isPatient, limitMs }) {
  return new Promise((resolve) => {
    const output = [];
    // Both streams into one, so that the closing line stays the last one.
    const stdio = show ? ['ignore', 1, 1] : ['ignore', 'pipe', 'pipe'];
    // A group of its own, so that what the child started can be ended with it.
    const child = spawn(command, args, { cwd: root, stdio, detached: true });
    if (isPatient && child.pid !== undefined) yieldToOthers(child.pid);
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup(child.pid);
    }, limitMs);
    const onInterrupt = () => {
      endGroup(child.pid);
      process.exit(130);
    };
    process.once('SIGINT', onInterrupt);
    process.once('SIGTERM', onInterrupt);
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onInterrupt);
      resolve({ code: code ?? 1, timedOut, output: Buffer.concat(output).toString('utf8') });
    });
  });
}

/**
 * Lets process group `pid` have little of the machine where others want it. Linux weighs the sessions of processes first, each of
 * which is an autogroup (sched(7)), and the processes of one against each other afterwards: both get the number.
 */
function yieldToOthers(pid) {
  setPriority(pid, PATIENT_NICE);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(PATIENT_NICE));
  } catch {
    // Another system, or a kernel without autogroups, where the number above is all there is.
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
