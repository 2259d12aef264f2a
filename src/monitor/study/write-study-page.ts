/** The page of one sweep, in its folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StudyFile } from '../../config/index.ts';
import { ReinError } from '../../core/index.ts';
import type { StudyCurves } from '../../study/index.ts';
import { studySection } from './study-page.ts';
import { studyPlot } from './study-plot.ts';

/** Writes `study.md` and `study.svg` into `folder`; gives the path of the page. Throws `ReinError('storage')`. */
export function writeStudyPage(folder: string, study: StudyFile, curves: StudyCurves): string {
  const page = join(folder, 'study.md');
  try {
    mkdirSync(folder, { recursive: true });
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
