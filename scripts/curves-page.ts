/** All studies, as a part of docs/results.md: their claims and outcomes. */

import type { StudyCurves } from '../packages/lab/src/curves/samples.ts';
import { judge, type Verdict } from '../packages/lab/src/curves/verdict.ts';
import { studySection } from '../packages/lab/src/page/study-page.ts';
import type { StudyFile } from '../src/config/study-file.ts';
import { markdownTable } from '../src/model/portable.ts';

/** A study with its curves. */
export interface StudyResult {
  readonly file: StudyFile;
  readonly curves: StudyCurves;
}

/**
 * Returns the part in Markdown. `results/curves/NAME.svg` is the plot of each study that has curves. Made from `results` alone, so that
 * it can be repeated without training.
 */
export function curvesPart(results: readonly StudyResult[]): string {
  const run = results.filter(({ curves }) => Object.keys(curves).length > 0);
  const sections = run.map(({ file, curves }) => studySection(file, curves, `results/curves/${file.name}.svg`, '###'));
  const rest = results.filter((result) => !run.includes(result)).map(({ file }) => file);
  return [HEAD, overview(run), ...sections, ...waiting(rest)].join('\n');
}

/** Studies that have not been run: one line each. */
function waiting(files: readonly StudyFile[]): string[] {
  if (files.length === 0) return [];
  const lines = files.map(
    ({ name, study }) => `- ${study.title} (\`npm run curves -- --only ${name}\`): ${study.claim}`,
  );
  return ['### Not run yet', '', ...lines, ''];
}

const HEAD = `## Learning curves

Made by \`npm run curves\` from the studies in [config/studies](../config/studies) and the curves in [results/curves](results/curves), one file
a study, one line a run; \`npm run curves -- --page\` makes it again from these files and trains nothing. A run repeats bit for bit from its
environment, learner and seed on one version of the program. These curves are of several: a newer engine may round its sums in another order,
and all are from before critics began near 0, and those that begin with cloning from before critics were warmed up, so that new critics unteach
the clone at first.

Every evaluation is of episodes without exploring that are the same for all variants and seeds. Intervals are 95 % over seeds:
Student's t for a mean and for differences paired by seed: the same seed begins from the same demonstrations and
clone in each variant. With five seeds they are wide. *Shown* means that the interval of the
difference lies on the side that is claimed, *not reproduced* that it lies on the other, *not decided* that it holds zero.
The sentences are made from the numbers.
`;

function overview(results: readonly StudyResult[]): string {
  const rows = results.map(({ file, curves }) => {
    const verdicts = judge(file.study, curves);
    const count = (outcome: Verdict['outcome']): number => verdicts.filter((each) => each.outcome === outcome).length;
    const anchor = file.study.title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-');
    const runs = Object.values(curves).reduce((sum, seeds) => sum + seeds.length, 0);
    const cells = [
      `[${file.study.title}](#${anchor})`,
      runs,
      count('shown'),
      count('not decided'),
      count('not reproduced'),
    ];
    return cells;
  });
  return markdownTable(['study', 'runs', 'shown', 'not decided', 'not reproduced'], rows);
}
