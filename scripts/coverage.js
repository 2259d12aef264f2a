/**
 * Branch coverage of src/safety by its unit and property tests: 100 %, or it ends with code 1 and lists uncovered branches.
 *
 *   npm run coverage
 *   npm run coverage -- --json FILE       the summary of each file as well
 *   npm run coverage -- src/safety/limits
 */
import './node-version.js';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals: only } = scriptArguments(import.meta.url, {
  options: { json: { type: 'string' } },
  allowPositionals: true,
});
// A separate folder: two concurrent runs would remove each other's files.
const reports = mkdtempSync(join(tmpdir(), 'rein-coverage-'));
process.on('exit', () => rmSync(reports, { recursive: true, force: true }));
/** Tests that count: those beside the code, and the properties of the whole chain. */
const tests =
  only.length > 0
    ? only
    : [
        'src/safety',
        'tests/sim-time/safety-chain',
        'tests/sim-time/stages-matter',
        'tests/sim-time/clearances-matter',
        'tests/sim-time/pressing',
      ];
const counted = only.length > 0 ? only.map((path) => `${path}/**/*.ts`) : ['src/safety/**/*.ts'];

const args = [
  'run',
  ...tests,
  '--coverage.enabled',
  '--coverage.provider=v8',
  ...counted.map((glob) => `--coverage.include=${glob}`),
  '--coverage.exclude=**/*.test.ts',
  '--coverage.exclude=**/index.ts',
  '--coverage.reporter=text',
  '--coverage.reporter=json-summary',
  '--coverage.thresholds.branches=100',
  '--coverage.reportOnFailure=true',
  `--coverage.reportsDirectory=${reports}`,
  // Instrumented code is a few times slower.
  '--testTimeout=120000',
];
const run = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
  cwd: root,
  // Branches taken depend on the duration of attacks, not on the number of programs for the solver.
  env: { REIN_PROGRAMS: '600', REIN_TICKS: '300000', ...process.env },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const summary = join(reports, 'coverage-summary.json');
if (values.json !== undefined && existsSync(summary)) copyFileSync(summary, values.json);
process.exitCode = run.status ?? 1;
