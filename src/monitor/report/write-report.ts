/** Puts the report and its recordings into a run's folder. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderReport } from './page.ts';
import { type EpisodeRecording, encodeRecording } from './recording.ts';
import { type ReportData, RUN_FILES } from './report-data.ts';

/** Writes `report.html` into `folder`, whole or not at all; gives its path. Rejects when the disk refuses. */
export async function writeReport(folder: string, data: ReportData): Promise<string> {
  const path = join(folder, RUN_FILES.report);
  await replace(path, renderReport(data));
  return path;
}

/**
 * Writes one episode to `recordings/<name>.json`, from where `loadReportData` takes it; gives its path.
 * Recordings are shown in the order of their names: `1-first`, `2-last`.
 */
export async function writeRecording(folder: string, name: string, recording: EpisodeRecording): Promise<string> {
  if (!/^[\w.-]+$/.test(name)) throw new RangeError(`"${name}" is not a plain file name`);
  await mkdir(join(folder, RUN_FILES.recordings), { recursive: true });
  const path = join(folder, RUN_FILES.recordings, `${name}.json`);
  await replace(path, JSON.stringify(encodeRecording(recording)));
  return path;
}

async function replace(path: string, content: string): Promise<void> {
  const fresh = `${path}.new`;
  await writeFile(fresh, content);
  await rename(fresh, path);
}
