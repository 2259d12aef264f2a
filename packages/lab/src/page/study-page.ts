/** Section of a results page for one study: claim, outcome, plot and table. Markdown, from curves alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StudyConfig, StudyMeasure } from '../../../../src/config/index.ts';
import type { StudyFile } from '../../../../src/config/study-file.ts';
import { makeFolder } from '../../../../src/host/index.ts';
import { markdownTable, percent, ReinError, significant } from '../../../../src/model/index.ts';
import { meanInterval } from '../curves/intervals.ts';
import { partOf, type SeedCurve, type StudyCurves } from '../curves/samples.ts';
import { judge, type Verdict } from '../curves/verdict.ts';
import { studyPlot } from './study-plot.ts';

/** Writes `study.md` and `study.svg` into `folder`; returns the path of the page. Throws `ReinError('storage')`. */
export function writeStudyPage(folder: string, study: StudyFile, curves: StudyCurves): string {
  const page = join(folder, 'study.md');
  try {
    makeFolder(folder);
    writeFileSync(join(folder, 'study.svg'), studyPlot(study.study, curves));
    writeFileSync(page, `${studySection(study, curves, 'study.svg')}\n`);
  } catch (cause) {
    throw new ReinError('storage', `The page ${page} cannot be written: ${(cause as Error).message}.`, {
      remedy: 'Make room, then give --page: nothing is trained again.',
      cause,
    });
  }
  return page;
}

/** Outcome of a check as the words that lead its sentence. */
const WORD: Readonly<Record<Verdict['outcome'], string>> = {
  shown: '**Shown.**',
  'not decided': '**Not decided.**',
  'not reproduced': '**Not reproduced.**',
};

/** Returns the study's section, below a heading of that level; `plot` is the path of the image for the page. */
export function studySection(
  { study }: StudyFile,
  curves: StudyCurves,
  plot: string,
  level: '##' | '###' = '##',
): string {
  const lines = [
    `${level} ${study.title}`,
    '',
    `${study.claim} (${study.source})${study.notes === '' ? '' : ` ${study.notes}`}`,
    '',
  ];
  for (const { outcome, message } of judge(study, curves)) lines.push(`- ${WORD[outcome]} ${message}`);
  if (study.checks.length > 0) lines.push('');
  return [...lines, `![${study.title}](${plot})`, '', studyTable(study, curves)].join('\n');
}

/** Returns one row per variant: its seeds, and the mean of the last fifth of the evaluations with its interval. */
export function studyTable(study: StudyConfig, curves: StudyCurves): string {
  const measures = measuresOf(curves);
  const head = ['variant', 'seeds', 'steps', 'updates', ...measures.map((measure) => `${measure}, last fifth`)];
  const rows = Object.entries(study.variants).flatMap(([variant, { title }]) => {
    const seeds = curves[variant];
    if (seeds === undefined) return [];
    const last = seeds.map(({ samples }) => samples.at(-1)!);
    const most = (values: readonly number[]): string => Math.max(...values).toLocaleString('en');
    const cells = [title, namesOf(seeds), most(last.map(({ step }) => step)), most(last.map(({ updates }) => updates))];
    return [[...cells, ...measures.map((measure) => cell(seeds, measure))]];
  });
  return markdownTable(head, rows);
}

/** Number of seeds and their list: "5 (0–4)", "3 (0, 1, 4)". */
function namesOf(curves: readonly SeedCurve[]): string {
  const seeds = curves.map(({ seed }) => seed).sort((a, b) => a - b);
  const [first, last] = [seeds[0]!, seeds.at(-1)!];
  const isRange = seeds.length > 1 && last - first === seeds.length - 1;
  return `${seeds.length} (${isRange ? `${first}–${last}` : seeds.join(', ')})`;
}

/** Returns the measures with any data: a table of zeros is of no use. */
function measuresOf(curves: StudyCurves): StudyMeasure[] {
  const all = Object.values(curves).flatMap((seeds) => seeds.flatMap(({ samples }) => samples));
  return (['return', 'success', 'cost'] as const).filter((measure) =>
    all.some((sample) => sample[measure] !== null && sample[measure] !== 0),
  );
}

function cell(seeds: readonly SeedCurve[], measure: StudyMeasure): string {
  const values = seeds.flatMap((seed) => partOf(seed, measure, 'end') ?? []);
  if (values.length === 0) return '';
  const { mean, low, high } = meanInterval(values);
  const share = measure === 'success';
  const shown = (value: number): string => (share ? percent(value) : significant(value, 4).replace('-', '−'));
  if (values.length < 2) return shown(mean);
  // A share lies between 0 and 1, whatever the symmetric interval gives.
  const [from, to] = share ? [Math.max(0, low), Math.min(1, high)] : [low, high];
  return `${shown(mean)} (${shown(from)} to ${shown(to)})`;
}
