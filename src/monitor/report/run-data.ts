/** Data of a report, read back from a run's folder, so that the report can be regenerated at any time. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ReinError } from '../../model/index.ts';
import {
  decodeRecording,
  type EncodedRecording,
  type EpisodeRecording,
  type MetricRecord,
  parseMetrics,
  RUN_FILES,
  type RunSummary,
} from '../../record/index.ts';

/** All data of a report, as plain values. */
export interface ReportData {
  readonly runId: string;
  /** Null if the run ended before writing one. */
  readonly summary: RunSummary | null;
  /** Resolved configuration as written to the run's folder. */
  readonly configText: string;
  readonly records: readonly MetricRecord[];
  /** Number of unreadable lines in the metrics files. */
  readonly skippedLines: number;
  readonly recordings: readonly EpisodeRecording[];
}

/**
 * Loads the data of the run in `folder`. Missing files leave their part empty, since an aborted run deserves a report
 * too; unreadable files throw a `ReinError`.
 */
export async function loadReportData(folder: string): Promise<ReportData> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new ReinError('storage', `${folder} is not a folder that can be read.`, { cause });
  });
  // Robot and learner may each write their own file.
  const files = names.filter((name) => /^metrics.*\.jsonl$/.test(name)).sort();
  const parts = await Promise.all(files.map(async (name) => parseMetrics(await readFile(join(folder, name), 'utf8'))));
  return {
    runId: basename(resolve(folder)),
    summary: await readJson<RunSummary>(join(folder, RUN_FILES.summary)),
    configText: (await readIfThere(join(folder, RUN_FILES.config))) ?? '',
    records: parts.flatMap((part) => part.records),
    skippedLines: parts.reduce((sum, part) => sum + part.skipped, 0),
    recordings: await readRecordings(join(folder, RUN_FILES.recordings)),
  };
}

async function readRecordings(folder: string): Promise<EpisodeRecording[]> {
  const names = await readdir(folder).catch(() => []);
  const recordings: EpisodeRecording[] = [];
  for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
    const encoded = await readJson<EncodedRecording>(join(folder, name));
    if (encoded?.version === 1) recordings.push(decodeRecording(encoded));
  }
  return recordings;
}

async function readJson<T>(path: string): Promise<T | null> {
  const content = await readIfThere(path);
  if (content === null) return null;
  try {
    return JSON.parse(content) as T;
  } catch (cause) {
    throw new ReinError('storage', `${path} is not JSON.`, { cause });
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ReinError('storage', `${path} cannot be read.`, { cause });
  }
}
