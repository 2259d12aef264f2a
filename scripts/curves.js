/**
 * Makes docs/results/curves.md: runs every study in config/studies/, keeps each finished run's curve as a small file in
 * docs/results/curves/, and makes page and plots from these files. Ended at any moment, the same command goes on.
 *
 *   npm run curves                         what is missing, then the page: many hours on two cores
 *   npm run curves -- --only pendulum,expo
 *   npm run curves -- --jobs 8             so many runs at a time
 *   npm run curves -- --page               the page only, from the curves that are there
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configNames, loadStudyFile } from '../dist/config/index.js';
import { curvesPage } from '../dist/monitor/study/curves-page.js';
import { studyPlot } from '../dist/monitor/study/study-plot.js';
import { readSamples, writeSamples } from '../dist/study/curves/samples.js';
import { sweepCurves } from '../dist/study/index.js';
import { scriptArguments } from './arguments.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const resultsFolder = join(root, 'docs/results');
const curvesFolder = join(resultsFolder, 'curves');

const { values } = scriptArguments(import.meta.url, {
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    page: { type: 'boolean', default: false },
  },
});

/** Runs what is missing of a study; a run that failed has said so, and the others count. */
async function sweep(name, folder) {
  const args = [join(root, 'bin/rein.js'), 'sweep', name, '--jobs', values.jobs, '--out', folder];
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: root });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** Keeps the curves of the finished runs in `folder`. */
function keep(study, folder) {
  for (const [variant, seeds] of Object.entries(sweepCurves({ study, folder }, 'finished'))) {
    for (const { seed, samples } of seeds) writeSamples(join(curvesFolder, study.name), variant, seed, samples);
  }
}

function writePage() {
  mkdirSync(curvesFolder, { recursive: true });
  const results = configNames('study').map((name) => {
    const file = loadStudyFile(name);
    return { file, curves: readSamples(join(curvesFolder, name), Object.keys(file.study.variants)) };
  });
  for (const { file, curves } of results) {
    const plot = join(curvesFolder, `${file.name}.svg`);
    if (Object.keys(curves).length > 0) writeFileSync(plot, studyPlot(file.study, curves));
    else if (existsSync(plot)) rmSync(plot);
  }
  const page = join(resultsFolder, 'curves.md');
  writeFileSync(page, curvesPage(results));
  console.log(`written: ${page}`);
}

const names = values.only === undefined ? configNames('study') : values.only.split(',');
let failed = 0;
for (const name of values.page ? [] : names) {
  const folder = join(root, 'runs/studies', name);
  const code = await sweep(name, folder);
  if (code !== 0) failed = code;
  keep(loadStudyFile(name), folder);
  writePage();
  // Ctrl+C ends all of it.
  if (code === 130) break;
}
if (values.page) writePage();
process.exitCode = failed;
