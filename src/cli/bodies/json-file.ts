/** The file that `--json` names: checked before the work begins, so that an hour is not spent for nothing. */
import { open, unlink, writeFile } from 'node:fs/promises';
import { ReinError } from '../../core/index.ts';

/** Rejects with `ReinError('storage')` where `path` cannot be written. Leaves everything as it was. */
export async function checkJsonFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
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
    throw unwritable(path, cause);
  }
}

/** Writes `value`. Rejects with `ReinError('storage')`. */
export async function writeJsonFile(path: string | undefined, value: object): Promise<void> {
  if (path === undefined) return;
  try {
    await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): ReinError {
  return new ReinError('storage', `The file of --json cannot be written: ${(cause as Error).message}.`, {
    remedy: `Choose another path than ${path}.`,
    cause,
  });
}
