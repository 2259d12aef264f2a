/** Puts the report into a run's folder. */
import { join } from 'node:path';
import { replaceFile } from '../../core/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import { renderReport } from './page.ts';
import type { ReportData } from './report-data.ts';

/** Writes `report.html` into `folder`, whole or not at all; gives its path. Rejects when the disk refuses. */
export async function writeReport(folder: string, data: ReportData): Promise<string> {
  const path = join(folder, RUN_FILES.report);
  await replaceFile(path, renderReport(data));
  return path;
}
