/**
 * What pages read of files: of the run that is shown, and of the runs beside it, for comparing. Metrics and settings, and of no other folder:
 * a name that is no run's gives nothing, whatever it is made of.
 */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asObject, parseJson, percent } from '../../core/index.ts';
import { RUN_FILES, type RunSummary } from '../../record/index.ts';

/** A run that pages may show. */
export interface RunListing {
  readonly name: string;
  /** When its metrics were written to last, ms since 1970. */
  readonly changedAtMs: number;
  /** The run that this monitor is of. */
  readonly isThis: boolean;
  /** Empty where its folder does not say it. */
  readonly task: string;
  readonly seed: string;
  /** What came of it: `98.5 % of 200 episodes`; empty where it has not come to its end. */
  readonly outcome: string;
}

const SHOWN_FILES: Readonly<Record<string, string>> = {
  metrics: RUN_FILES.metrics,
  learner: RUN_FILES.learnerMetrics,
  config: RUN_FILES.config,
};
/** A page asks for what was added since: so much at once, bytes. */
const FILE_PART_BYTES = 1024 * 1024;
const CONFIG_HEAD_BYTES = 2048;
/** A folder may hold years of runs: the newest are listed. */
const MOST_RUNS = 50;

/** The runs in the folder that holds the run's `folder`, the newest first. */
export async function listRuns(folder: string): Promise<readonly RunListing[]> {
  const parent = dirname(folder);
  // A link is no folder: it could lead anywhere.
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

/** The task and the seed of a run stand in the head of its settings, which are not read further: streams wait for it. */
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
 * Whole lines, from a byte on, of the file that pages call `name`, of the run in `folder` or the one beside it called `run`; `undefined`
 * where there is no such file for pages. Empty where nothing more is in it.
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

/** Nothing where there is no such file. */
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
