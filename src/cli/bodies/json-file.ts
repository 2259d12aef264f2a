/** The files that options name, `--json` above all: checked before the work begins, so that an hour is not spent for nothing. */
import { open, unlink, writeFile } from 'node:fs/promises';
import { ReinError } from '../../core/index.ts';

/** Rejects with `ReinError('storage')` where `path` cannot be written. Leaves everything as it was. */
export async function checkJsonFile(path: string | undefined): Promise<void> {
  if (path !== undefined) await checkFile(path, '--json');
}

/** The same of the file that `option` names. */
export async function checkFile(path: string, option: string): Promise<void> {
  try {
    const isNew = await open(path, 'wx').then(
      async (file) => {
        await file.close();
        return true;
      },
      () => false,
    );
    if (isNew) await unlink(path);
    else await (await open(path, 'r+')).close();
  } catch (cause) {
    throw unwritable(path, option, cause);
  }
}

/** Writes `value`. Rejects with `ReinError('storage')`. */
export async function writeJsonFile(path: string | undefined, value: object): Promise<void> {
  if (path === undefined) return;
  try {
    await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
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
