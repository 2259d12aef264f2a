/** The folder of `--out`, created before the work begins. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';

/** Creates `folder` and its parents. Throws `ReinError('config')`: the command line is wrong. */
export function makeOutFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    const whole = resolve(folder);
    let at = whole;
    while (!existsSync(at)) at = dirname(at);
    const message = statSync(at).isDirectory()
      ? `${folder} cannot be made (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'})`
      : `${at === whole ? folder : at} is a file, not a folder`;
    throw new ReinError('config', message, { remedy: 'give --out another folder', cause });
  }
}
