/**
 * Output files named by options, checked before the work begins, so that an hour is not lost. Files to be kept are only overwritten on
 * request; pages and `--json`, which report the last call, always are.
 */
import { statSync } from 'node:fs';
import { access, constants, open, realpath, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shownPath } from '../../config/index.ts';
import { replaceFile } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';

/** Throws `ReinError('config')` if one of the files of --out, which are to be kept, exists. */
export function checkFree(paths: readonly string[], force: boolean): void {
  const taken = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (taken === undefined || force) return;
  throw new ReinError('config', `${shownPath(taken)} is there already`, {
    remedy: 'give --out another name, or --force to write over it',
  });
}

/** Rejects with `ReinError('storage')` if `path` cannot be written. Leaves everything as it was. */
export async function checkJsonFile(path: string | undefined): Promise<void> {
  if (path !== undefined) await checkFile(path, '--json');
}

/** As `checkJsonFile`, for the file that `option` names. */
export async function checkFile(path: string, option: string): Promise<void> {
  try {
    const isNew = await open(path, 'wx').then(
      async (file) => {
        await file.close();
        return true;
      },
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST') return false;
        throw cause;
      },
    );
    if (isNew) await unlink(path);
    else {
      await (await open(path, 'r+')).close();
      const target = await fileBehind(path);
      if (target !== undefined) await access(dirname(target), constants.W_OK);
    }
  } catch (cause) {
    throw unwritable(path, option, cause);
  }
}

/** Writes atomically; a terminal, a pipe or a device is written to directly. */
export async function replaceNamedFile(path: string, text: string): Promise<void> {
  const target = await fileBehind(path);
  if (target === undefined) await writeFile(path, text);
  else await replaceFile(target, text);
}

/** The file that `path` resolves to over links, or `path` itself if there is none yet; `undefined` for anything but a regular file. */
async function fileBehind(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
}

/** Writes `value` as JSON. Rejects with `ReinError('storage')`. */
export async function writeJsonFile(path: string | undefined, value: object): Promise<void> {
  if (path === undefined) return;
  try {
    await replaceNamedFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
  } catch (cause) {
    throw unwritable(path, '--json', cause);
  }
}

function unwritable(path: string, option: string, cause: unknown): ReinError {
  return new ReinError('storage', `The file of ${option} cannot be written: ${(cause as Error).message}.`, {
    remedy: `Choose another path than ${path}.`,
    cause,
  });
}
