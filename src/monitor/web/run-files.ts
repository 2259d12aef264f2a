/**
 * Files that pages may read: metrics and settings of the run shown, and of runs beside it, for comparison. No other
 * folder is accessible: a name that is not a listed run's gives nothing, whatever it contains.
 */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asObject, parseJson, percent } from '../../model/index.ts';
import { RUN_FILES, type RunSummary } from '../../record/index.ts';

/** Run that pages may show. */
export interface RunListing {
  readonly name: string;
  /** Last change of its metrics, ms since 1970. */
  readonly changedAtMs: number;
  /** True for the run of this monitor. */
  readonly isThis: boolean;
  /** Empty if its folder does not contain it. */
  readonly task: string;
  readonly seed: string;
  /** Outcome, such as `98.5 % of 200 episodes`; empty if the run has not finished. */
  readonly outcome: string;
}

const SHOWN_FILES: Readonly<Record<string, string>> = {
  metrics: RUN_FILES.metrics,
  learner: RUN_FILES.learnerMetrics,
  config: RUN_FILES.config,
};
/** Largest part returned of a file, bytes; a page requests what was added since. */
const FILE_PART_BYTES = 1024 * 1024;
const CONFIG_HEAD_BYTES = 2048;
/** Most runs listed, newest first: a folder may hold years of runs. */
const MOST_RUNS = 50;

/** Runs in the parent folder of the run's `folder`, newest first. */
export async function listRuns(folder: string): Promise<readonly RunListing[]> {
  const parent = dirname(folder);
  // Links are skipped: they could lead anywhere.
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(entries.filter((entry) => entry.isDirectory()).map(({ name }) => listing(name)));
  return found
    .filter((run) => run !== undefined)
    .sort((a, b) => b.changedAtMs - a.changedAtMs)
    .slice(0, MOST_RUNS);

  async function listing(name: string): Promise<RunListing | undefined> {
    const metrics = await stat(join(parent, name, RUN_FILES.metrics)).catch(() => undefined);
    if (metrics?.isFile() !== true) return undefined;
    const place = join(parent, name);
    return {
      name,
      changedAtMs: Math.round(metrics.mtimeMs),
      isThis: name === basename(folder),
      ...(await askedFor(join(place, RUN_FILES.config))),
      outcome: await outcomeOf(join(place, RUN_FILES.summary)),
    };
  }
}

/** Task and seed from the head of a run's settings; the rest is not read, since streams wait for it. */
async function askedFor(path: string): Promise<Pick<RunListing, 'task' | 'seed'>> {
  const head = (await partOf(path, 0, CONFIG_HEAD_BYTES)).toString();
  const [, task = ''] = /^task:\n {2}name: (\S+)$/m.exec(head) ?? [];
  const [, seed = ''] = /^seed: (\d+)$/m.exec(head) ?? [];
  return { task, seed };
}

async function outcomeOf(path: string): Promise<string> {
  const summary = asObject(parseJson((await partOf(path, 0)).toString())) as Partial<RunSummary> | undefined;
  const { success_rate: rate, eval_episodes: episodes } = summary ?? {};
  if (typeof rate !== 'number' || typeof episodes !== 'number' || episodes === 0) return '';
  return `${percent(rate)} of ${episodes} episodes`;
}

/**
 * Whole lines, from byte `from` on, of the file named `name` by pages, of the run in `folder` or the one beside it
 * called `run`; `undefined` if pages have no such file. Empty if there is nothing more.
 */
export async function readRunFile(
  folder: string,
  { name, run, from }: { readonly name: string; readonly run: string | undefined; readonly from: number },
): Promise<Buffer | undefined> {
  const file = Object.hasOwn(SHOWN_FILES, name) ? SHOWN_FILES[name] : undefined;
  if (file === undefined) return undefined;
  if (run === undefined) return partOf(join(folder, file), from);
  const known = (await listRuns(folder)).find((listed) => listed.name === run);
  return known === undefined ? undefined : partOf(join(dirname(folder), known.name, file), from);
}

/** Empty if there is no such file. */
async function partOf(path: string, from: number, most = FILE_PART_BYTES): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size <= from) return Buffer.alloc(0);
    if (from === 0 && size <= most) return wholeLines(await readFile(path));
    const file = await open(path);
    try {
      const bytes = Buffer.alloc(Math.min(size - from, most));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
      return wholeLines(bytes.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return Buffer.alloc(0); // not written yet
  }
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
}
