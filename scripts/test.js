/**
 * Runs all checks of the project in one command (`npm test`): build, types, lint, dependency direction, dead code, generated
 * pages, launch files, and all tests. Runs all of it whatever fails, lists the failures at the end, and closes with one plain
 * line of counts. Tests are grouped by their folder (`vitest.config.ts`).
 *
 *   npm test                      all but tests/long, as CI does it
 *   npm test -- PATTERN           builds, then passes PATTERN to vitest only
 *   npm run test:long             the same as `npm test` with its further cases, then tests/long; the random cases of property tests,
 *                                 of which `npm test` tries a third, ten times
 */
import './node-version.js';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'rein-test-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Time limit for a suite that hangs. The longest takes some five minutes on two cores. */
const SUITE_LIMIT_MS = 30 * 60_000;
const LONG_LIMIT_MS = 180 * 60_000;

const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const [first, ...rest] = process.argv.slice(2);
const isLong = first === '--long';
const patterns = isLong ? rest : process.argv.slice(2);
const hasRos = Boolean(process.env.AMENT_PREFIX_PATH);

await check('build', ['node', 'scripts/build.js', '--quiet']);
if (patterns.length > 0) {
  await suite('tests', patterns);
} else {
  // Tests of real time first: nothing else runs meanwhile.
  await suite('tests in real time', projects('real-time'));
  const others = ['together', 'isolated', ...(hasRos ? [] : ['ros'])];
  if (!hasRos) console.log('\nROS 2 is not sourced (AMENT_PREFIX_PATH is empty): its tests are skipped, and counted.');
  // Nothing is judged by time there: the checks run beside them. Pages belong to robots in real time, and have the machine to themselves.
  await Promise.all([staticChecks(), suite('tests', projects(...others))]);
  await suite('tests in a browser', projects('browser'));
  if (hasRos) await suite('ROS 2 tests', projects('ros'));
  if (isLong) await suite('long tests', projects('long'), LONG_LIMIT_MS);
}
finish();

/** Arguments that select suites. */
function projects(...names) {
  return ['--passWithNoTests', ...names.flatMap((name) => ['--project', name])];
}

async function staticChecks() {
  await check('types', tool('typescript-native/bin/tsc', '--noEmit'));
  await check('types of the page', tool('typescript-native/bin/tsc', '--noEmit', '-p', 'src/monitor/app'));
  await check('lint and format', tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'));
  await check(
    'dependency direction',
    tool(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      'src',
      'packages',
      'bench',
      '--config',
      '.dependency-cruiser.cjs',
    ),
  );
  await check('dead code', tool('knip/bin/knip.js', '--no-progress'));
  if (isLong) await check('code that only tests use', tool('knip/bin/knip.js', '--no-progress', '--production'));
  await check('generated pages are current', ['node', 'scripts/docs.js', '--check']);
  if (spawnSync('python3', ['--version']).status === 0) {
    await check('launch files', ['python3', 'scripts/check-launch.py']);
  } else {
    skip('launch files', 'python3 is not installed');
  }
}

/** Runs one command and counts it as one check; prints its output only if it fails. */
async function check(name, [command, ...args]) {
  const started = performance.now();
  const { code, output } = await run(command === 'node' ? process.execPath : command, args, SUITE_LIMIT_MS, 'quiet');
  totals[code === 0 ? 'passed' : 'failed']++;
  printLine(name, code === 0, started);
  if (code === 0) return;
  console.log(output.trimEnd());
  failures.push(name);
}

/** Runs vitest with `args` and counts every test of it. */
async function suite(name, args, limitMs = SUITE_LIMIT_MS) {
  const started = performance.now();
  console.log(`\n── ${name}`);
  const jsonFile = join(scratch, `${name.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${jsonFile}`];
  const [command, ...vitest] = tool('vitest/vitest.mjs', 'run', ...reporters, ...args);
  const { code, timedOut } = await run(command, vitest, limitMs, 'shown');
  const failed = existsSync(jsonFile) ? countTests(JSON.parse(readFileSync(jsonFile, 'utf8'))) : 0;
  // Besides failed tests: errors that belong to none, and a suite that was not completed.
  const isBroken = timedOut || (code !== 0 && failed === 0);
  if (isBroken) {
    totals.failed++;
    failures.push(`${name}: ${timedOut ? `not done after ${limitMs / 60_000} min` : `vitest ended with ${code}`}`);
  }
  printLine(name, failed === 0 && !isBroken, started);
}

/** Adds the tests of one suite to the totals; returns how many failed. */
function countTests(json) {
  const failed = json.testResults.flatMap((file) => {
    const path = file.name.startsWith(root) ? file.name.slice(root.length) : file.name;
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map((test) => `${path}: ${test.fullName}`);
    // The file itself could not be loaded, so that none of its tests was counted.
    return file.status === 'failed' ? [`${path}: ${file.message.split('\n')[0] || 'did not load'}`] : [];
  });
  failures.push(...failed);
  totals.failed += failed.length;
  totals.passed += json.numPassedTests;
  totals.skipped += json.numPendingTests + json.numTodoTests;
  return failed.length;
}

function skip(name, reason) {
  totals.skipped++;
  console.log(`skipped  ${name}: ${reason}`);
}

function printLine(name, passed, started) {
  console.log(`${passed ? 'ok      ' : 'FAILED  '} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}

function finish() {
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = failures.length > 0 || totals.failed > 0 ? 1 : 0;
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
}

/** Command line of an installed tool, without npx's start-up. */
function tool(entry, ...args) {
  const file = join(root, 'node_modules', entry);
  if (!existsSync(file)) {
    console.error(`${entry.split('/bin')[0]} is not installed. Run \`npm ci\` first.`);
    process.exit(1);
  }
  return [process.execPath, file, ...args];
}

/** Runs a command to its end, or for `limitMs`. Its output is `shown`, or returned (`quiet`). */
function run(command, args, limitMs, output) {
  return new Promise((resolve) => {
    const heard = [];
    // Both streams in one, so that the closing line stays the last one.
    const stdio = output === 'shown' ? ['ignore', 1, 1] : ['ignore', 'pipe', 'pipe'];
    const env = isLong ? { ...process.env, REIN_LONG_TESTS: '1' } : process.env;
    // A separate process group, so that the child's own children can be ended with it.
    const child = spawn(command, args, { cwd: root, stdio, env, detached: true });
    child.stdout?.on('data', (chunk) => heard.push(chunk));
    child.stderr?.on('data', (chunk) => heard.push(chunk));
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
    child.on('error', (error) => heard.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onInterrupt);
      resolve({ code: code ?? 1, timedOut, output: Buffer.concat(heard).toString('utf8') });
    });
  });
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
