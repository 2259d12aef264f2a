/** A new folder for a run, with the configuration that it was started with. */
import { access, mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { type ResolvedConfig, resolvedConfigText } from '../config/index.ts';
import { RUN_FILES, replaceFile } from '../record/index.ts';

export interface RunFolder {
  readonly path: string;
  readonly runId: string;
  readonly configFile: string;
}

/** Longest run id: journals store it in a field of fixed size, bytes. */
const MAX_ID_BYTES = 64;

/**
 * Makes `out`, or a new folder below `runs/` named after time, task and seed, and writes `config.yaml` into it. Throws
 * `ReinError('storage')` where that is not possible or the folder holds a run already.
 */
export async function createRunFolder(config: ResolvedConfig, out: string | undefined, now: Date): Promise<RunFolder> {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const name = `${stamp}-${config.task.name}-s${config.seed}`;
  try {
    const path = out ?? (await firstFree(join('runs', name)));
    if (out !== undefined) await claim(out);
    const configFile = join(path, RUN_FILES.config);
    await replaceFile(configFile, resolvedConfigText(config));
    return { path, runId: runIdOf(path), configFile };
  } catch (error) {
    if (error instanceof ReinError) throw error;
    throw new ReinError('storage', `The run's folder cannot be made: ${(error as Error).message}.`, {
      remedy: 'Choose another one with --out, or make room.',
      cause: error,
    });
  }
}

/** Takes back a folder in which nothing has been recorded, so that the same command can be tried again. */
export async function abandonRunFolder({ path, configFile }: RunFolder): Promise<void> {
  await rm(configFile, { force: true });
  // Fails where something else is in it, which is then somebody's.
  await rmdir(path).catch(() => undefined);
}

async function firstFree(path: string): Promise<string> {
  await makeFolder('runs');
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

/** Takes `path` for a new run: it may exist, but not hold one. */
async function claim(path: string): Promise<void> {
  await makeFolder(path);
  const found = (await readdir(path)).find((name) => name === RUN_FILES.config || name === 'journal');
  if (found === undefined) return;
  throw new ReinError('storage', `${path} holds a run already (${found}).`, {
    remedy: 'Choose another folder with --out; nothing there was touched.',
  });
}

/** With all that is missing above it. Node's own recursive mkdir tries for ever below /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isThere) return;
    const parent = dirname(resolve(path));
    const isParentMissing = await access(parent).then(
      () => false,
      () => true,
    );
    if (code !== 'ENOENT' || !isParentMissing) throw error;
    await makeFolder(parent);
    await mkdir(path);
  }
}

/** The id of the run that lives in `path`: its last part, as far as an id may hold it. */
export function runIdOf(path: string): string {
  const name = basename(resolve(path)).replaceAll(/[^\w.-]/g, '_');
  return name === '' ? 'run' : Buffer.from(name).subarray(0, MAX_ID_BYTES).toString();
}
