/**
 * Makes the learning curves of docs/results.md: runs every study in config/studies/, stores the curves of finished runs in
 * docs/results/curves/, a small file per study, and makes page and plots from these files. If interrupted, the same command continues.
 *
 *   npm run curves                         what is missing, then the page: many hours on two cores
 *   npm run curves -- --only pendulum,expo
 *   npm run curves -- --jobs 8             number of concurrent runs
 *   npm run curves -- --page               the page only, from stored curves
 */
import './read-typescript.js';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './arguments.js';

const { configNames } = await import('../src/config/index.ts');
const { loadStudyFile } = await import('../src/config/study-file.ts');
const { keepCurves } = await import('../packages/lab/src/curves/samples.ts');
const { sweepCurves } = await import('../packages/lab/src/sweep/sweep.ts');
const { curvesFile, writeResults } = await import('./write-results.js');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const { values } = scriptArguments(import.meta.url, {
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    page: { type: 'boolean', default: false },
  },
});

/** Runs what is missing of a study; a failed run has reported its error, and the others count. */
async function sweep(name, folder) {
  const args = [join(root, 'bin/rein.js'), 'sweep', name, '--jobs', values.jobs, '--out', folder];
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: root });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

const names = values.only === undefined ? configNames('study') : values.only.split(',');
let failed = 0;
for (const name of values.page ? [] : names) {
  const folder = join(root, 'runs/studies', name);
  const code = await sweep(name, folder);
  if (code !== 0) failed = code;
  keepCurves(curvesFile(name), sweepCurves({ study: loadStudyFile(name), folder }, 'finished'));
  writeResults();
  // Ctrl+C ends everything.
  if (code === 130) break;
}
if (values.page) writeResults();
process.exitCode = failed;
