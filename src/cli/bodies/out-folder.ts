/** The folder that `--out` names, made before the work begins. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ReinError } from '../../core/index.ts';

/**
 * Makes `folder` and those above it. Throws `ReinError('config')`: the command line is wrong. One by one, for `recursive`
 * never ends where a folder is there and takes no entries, as in /proc.
 */
export function makeOutFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); ; at = dirname(at)) {
    const kind = kindOf(at, folder);
    if (kind === 'file') throw unusable(`${at === resolve(folder) ? folder : at} is a file, not a folder`);
    if (kind === 'folder') break;
    missing.push(at);
  }
  for (const at of missing.reverse()) {
    try {
      mkdirSync(at);
    } catch (cause) {
      // Another process may have been faster.
      if (kindOf(at, folder) !== 'folder') throw unusable(`${folder} cannot be made (${codeOf(cause)})`, cause);
    }
  }
}

function kindOf(path: string, folder: string): 'file' | 'folder' | 'none' {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'none';
    return stat.isDirectory() ? 'folder' : 'file';
  } catch (cause) {
    // Below a file there is nothing: the file itself is found further up.
    if (codeOf(cause) === 'ENOTDIR') return 'none';
    throw unusable(`${folder} cannot be made (${codeOf(cause)})`, cause);
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown reason';
}

function unusable(message: string, cause?: unknown): ReinError {
  return new ReinError('config', message, { remedy: 'give --out another folder', cause });
}
