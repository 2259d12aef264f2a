/** Body of `rein report`; live runs write their report with it at their end. */
import { join } from 'node:path';
import { writeErrorOf } from '../../host/index.ts';
import { ReinError, withoutFullStop } from '../../model/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import type { ReportOptions } from '../report.ts';

/** Resolves to the exit code. Rejects with `ReinError` if the folder holds no run. */
export async function reportBody({ run }: ReportOptions): Promise<number> {
  const { loadReportData, writeReport } = await pages();
  const data = await loadReportData(run);
  if (data.records.length === 0 && data.configText === '') {
    throw new ReinError('storage', `${run} holds no run: neither metrics nor config.yaml is there.`, {
      remedy: 'Give the folder of a rein sim, run or learn, such as runs/a1.',
    });
  }
  const path = await writeReport(run, data).catch((cause) => {
    throw writeErrorOf(join(run, RUN_FILES.report), cause);
  });
  process.stdout.write(`Written: ${path}\n`);
  return 0;
}

/** Writes the report of an ended run; returns the line that names it. A failure to write is not an error of the run. */
export async function reportLine(folder: string): Promise<string> {
  try {
    const { loadReportData, writeReport } = await pages();
    return `  report ${await writeReport(folder, await loadReportData(folder))}`;
  } catch (error) {
    return `  report not written: ${withoutFullStop((error as Error).message)}; try: rein report ${folder}`;
  }
}

/** Loaded at the end of a run, not at its start, so that a robot does not wait for code it does not need. */
export const pages = (): Promise<typeof import('../../monitor/report.ts')> => import('../../monitor/report.ts');
