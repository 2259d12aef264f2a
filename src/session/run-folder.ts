/** The folder of a run: a new one with the run's configuration, or one whose journal is continued. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadResolvedConfig, type ResolvedConfig, resolvedConfigText } from '../config/index.ts';
import { makeFolder } from '../host/index.ts';
import { ReinError } from '../model/index.ts';
import { RUN_FILES } from '../record/index.ts';

export interface RunFolder {
  readonly path: string;
  readonly runId: string;
  readonly configFile: string;
  /** Content of `configFile`. */
  readonly config: ResolvedConfig;
}

/** Longest run id, bytes: journals store it in a field of fixed size. */
const MAX_ID_BYTES = 64;
/** Random bytes at the end of an id: runs in folders of the same name must not take each other's robots. */
const RANDOM_BYTES = 4;
/** Key of the id in the `run` section of `config.yaml`. */
const ID_KEY = 'id';

/**
 * Creates `out`, or a new folder below `runs/` named after time, task and seed, and writes `config.yaml` into it, with the run's id: `id`,
 * or the folder's name and a random end. Throws `ReinError('storage')` if that is not possible or the folder holds a run already.
 */
export async function createRunFolder(
  config: ResolvedConfig,
  out: string | undefined,
  now: Date,
  id?: string,
): Promise<RunFolder> {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const name = `${stamp}-${config.task.name}-s${config.seed}`;
  try {
    const path = out ?? (await firstFree(join('runs', name)));
    if (out !== undefined) await checkEmpty(out);
    const configFile = join(path, RUN_FILES.config);
    const runId = id ?? drawRunId(path);
    const named = { ...config, run: { ...config.run, [ID_KEY]: runId } };
    await claim(path, configFile, resolvedConfigText(named));
    return { path, runId, configFile, config: named };
  } catch (error) {
    if (error instanceof ReinError) throw error;
    throw new ReinError('storage', `The run's folder cannot be made: ${(error as Error).message}.`, {
      remedy: 'Choose another folder with --out, or make room.',
      cause: error,
    });
  }
}

/** Removes a folder in which nothing was recorded, so that the same command can be tried again. */
export async function abandonRunFolder({ path, configFile }: Pick<RunFolder, 'path' | 'configFile'>): Promise<void> {
  await rm(configFile, { force: true });
  // Each fails if it contains anything else, which is not ours to remove.
  for (const folder of [join(path, RUN_FILES.learnerEvents), path]) await rmdir(folder).catch(() => undefined);
}

async function firstFree(path: string): Promise<string> {
  makeFolder('runs');
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? path : `${path}-${attempt}`;
    try {
      await mkdir(candidate);
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Creates `path` if it is missing: it may exist, but not hold a run. */
async function checkEmpty(path: string): Promise<void> {
  makeFolder(path);
  const found = (await readdir(path)).find((name) => name === RUN_FILES.config || name === 'journal');
  if (found !== undefined) throw takenError(path, found);
}

/** Claims `path` by its configuration, which appears atomically: of two programs that try at the same time, one gets it. */
async function claim(path: string, configFile: string, text: string): Promise<void> {
  const fresh = `${configFile}.${process.pid}-${randomBytes(RANDOM_BYTES).toString('hex')}.new`;
  try {
    await writeFile(fresh, text);
    await link(fresh, configFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw takenError(path, RUN_FILES.config);
  } finally {
    await rm(fresh, { force: true });
  }
}

function takenError(path: string, found: string): ReinError {
  return new ReinError('storage', `${path} holds a run already (${found}).`, {
    remedy: 'Choose another folder with --out; nothing there was touched.',
  });
}

/** Draws an id for a new run in `path`: its last part, truncated to fit, and a random end. */
function drawRunId(path: string): string {
  const end = `-${randomBytes(RANDOM_BYTES).toString('hex')}`;
  return nameOf(path).slice(0, MAX_ID_BYTES - end.length) + end;
}

/**
 * Returns the id of the run in `path` that was started with `config`: the one drawn then, wherever the folder is now. Runs from before ids
 * were drawn have the name of their folder.
 */
export function runIdOf(path: string, config: ResolvedConfig): string {
  const id = config.run[ID_KEY];
  return typeof id === 'string' && id !== '' ? id : nameOf(path).slice(0, MAX_ID_BYTES);
}

/** Last part of `path` in single-byte characters. */
function nameOf(path: string): string {
  const name = basename(resolve(path)).replaceAll(/[^\w.-]/g, '_');
  return name === '' ? 'run' : name;
}

/** `command` of a live run in `config.yaml`. */
export const LIVE_COMMAND = 'run';

/**
 * Opens a new folder, or `out` if a robot with the same settings, task and seed ran there before. Learner settings may differ: a robot does
 * not use them. Throws `ReinError('storage')` if `out` holds another kind of run, or one started with other settings.
 */
export async function openLiveFolder(config: ResolvedConfig, out: string | undefined): Promise<RunFolder> {
  if (out === undefined || !existsSync(join(out, RUN_FILES.config))) return createRunFolder(config, out, new Date());
  const configFile = join(out, RUN_FILES.config);
  const before = loadResolvedConfig(configFile);
  const isSame =
    before.run['command'] === LIVE_COMMAND &&
    isDeepStrictEqual(before.task, config.task) &&
    isDeepStrictEqual(before.robot, config.robot);
  if (!isSame) {
    throw new ReinError('storage', `${out} holds another run, which this robot cannot carry on.`, {
      remedy: 'Choose another folder with --out; nothing there was touched.',
    });
  }
  if (before.seed !== config.seed) {
    throw new ReinError('storage', `${out} holds a run with seed ${before.seed}, not ${config.seed}.`, {
      remedy: `Carry it on with --seed ${before.seed}, or choose another folder with --out.`,
    });
  }
  // People may use other devices at each start.
  const { operators } = config;
  return { path: out, runId: runIdOf(out, before), configFile, config: { ...before, operators } };
}
