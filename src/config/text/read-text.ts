/** Reads a small UTF-8 file. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { readTrouble } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * Returns the text of `path`, which errors call `shownAs`, without a byte order mark. Throws a one-sentence `ReinError`, with `remedy` if
 * the file does not exist.
 */
export function readText(
  path: string,
  shownAs: string,
  remedy = `give its path, which counts from ${process.cwd()}`,
): string {
  const bytes = readBytes(path, shownAs, remedy);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start));
    if (!text.includes('\0')) return text;
  } catch {
    // Reported below, together with NUL characters.
  }
  throw new ReinError('config', `${shownAs}: this is not a text file in UTF-8`);
}

function readBytes(path: string, shownAs: string, remedy: string): Uint8Array {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would block until it has a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw new ReinError('config', `${shownAs}: this is a folder, not a file`);
    if (!stat.isFile()) {
      throw new ReinError('config', `${shownAs}: this is not a regular file`, {
        remedy: 'Write what comes by a pipe or a device into a file first, and name that.',
      });
    }
    if (stat.size > MAX_BYTES) {
      throw new ReinError(
        'config',
        `${shownAs}: the file has ${stat.size} bytes; a configuration has at most ${MAX_BYTES}`,
      );
    }
    const bytes = new Uint8Array(stat.size);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(file, bytes, filled, bytes.length - filled, null);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } catch (cause) {
    if (cause instanceof ReinError) throw cause;
    const isForbidden = ['EACCES', 'EPERM'].includes((cause as NodeJS.ErrnoException).code ?? '');
    throw new ReinError('config', `${shownAs}: ${readTrouble(cause)}`, {
      remedy: isForbidden ? `let this user read it, and enter its folders: namei -l ${path}` : remedy,
      cause,
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
