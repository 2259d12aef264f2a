/**
 * docs/results.md and the plots on it, from the files in docs/results/: the runs of `npm run results` and the curves of
 * `npm run curves`. Nothing is trained. Import `read-typescript.js` first.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { configNames } = await import('../src/config/index.ts');
const { loadStudyFile } = await import('../src/config/study-file.ts');
const { studyPlot } = await import('../packages/lab/src/page/study-plot.ts');
const { readCurves } = await import('../packages/lab/src/curves/samples.ts');
const { curvesPart } = await import('./curves-page.ts');
const { page, tasksOf } = await import('./results-page.js');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const pageFile = join(root, 'docs/results.md');
const curvesFolder = join(root, 'docs/results/curves');

/** One line per run. */
export const runsFile = join(root, 'docs/results/runs.jsonl');

export function readRuns() {
  if (!existsSync(runsFile)) return [];
  const lines = readFileSync(runsFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** One line per run of the study called `name`. */
export function curvesFile(name) {
  return join(curvesFolder, `${name}.jsonl`);
}

/** Returns the text of the page, and the plots on it by their paths. */
export function resultsPage() {
  const studies = configNames('study').map((name) => {
    const file = loadStudyFile(name);
    return { file, curves: readCurves(curvesFile(name), Object.keys(file.study.variants)) };
  });
  const drawn = studies.filter(({ curves }) => Object.keys(curves).length > 0);
  const runs = readRuns();
  const tasks = tasksOf(runs).length === 0 ? '# Results\n' : page(runs);
  return {
    text: `${tasks}\n${curvesPart(studies)}`,
    plots: new Map(drawn.map(({ file, curves }) => [plotFile(file.name), studyPlot(file.study, curves)])),
  };
}

function plotFile(name) {
  return join(curvesFolder, `${name}.svg`);
}

export function writeResults() {
  mkdirSync(curvesFolder, { recursive: true });
  const { text, plots } = resultsPage();
  for (const [path, svg] of plots) writeFileSync(path, svg);
  writeFileSync(pageFile, text);
  console.log(`written: ${pageFile}`);
}
