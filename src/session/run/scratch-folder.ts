/** A private folder for the guard's socket, with a path that a socket can have. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReinError } from '../../core/index.ts';

/** Longest path of a unix socket, bytes (`sun_path` less its final zero, unix(7)). Longer ones are cut without a word. */
const LONGEST_SOCKET_PATH = 107;
/** What `mkdtemp` puts behind its prefix. */
const RANDOM_LETTERS = 6;

/**
 * Makes a folder that only this user can enter, in `places` from the first on, and gives its path; `fileName` is the
 * socket's in it. Rejects places that do not exist or whose paths would be too long. Throws `ReinError('storage')`
 * when none will do.
 */
export function makeScratchFolder(fileName: string, places: readonly string[] = [tmpdir(), '/tmp']): string {
  const reasons: string[] = [];
  for (const place of places) {
    const prefix = join(place, 'rein-');
    const length = Buffer.byteLength(join(`${prefix}${'x'.repeat(RANDOM_LETTERS)}`, fileName));
    if (length > LONGEST_SOCKET_PATH) {
      reasons.push(`${place}: the path would have ${length} bytes, ${LONGEST_SOCKET_PATH} are allowed`);
      continue;
    }
    try {
      return mkdtempSync(prefix);
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new ReinError('storage', `There is no place for the guard's socket: ${reasons.join('; ')}.`, {
    remedy: 'Set TMPDIR to a folder with a short path that you may write to.',
  });
}
