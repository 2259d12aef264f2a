/** What the guard logs in a run's folder: when the arm is moved and held, how late its ticks were, what went wrong. */
import { readFileSync } from 'node:fs';
import { parseObject, ReinError } from '../../core/index.ts';

export const GUARD_LOG = 'guard.log';

/** `error` in the guard's own words, where its log at `path` has any. */
export function explainedBy(path: string, error: unknown): unknown {
  if (!(error instanceof ReinError)) return error;
  const said = lastError(path);
  if (said === undefined) return error;
  return new ReinError(error.kind, said.msg, said.remedy === undefined ? {} : { remedy: said.remedy });
}

/** The last line at level error or above in a log of JSON lines. */
function lastError(path: string): { readonly msg: string; readonly remedy?: string } | undefined {
  const lines = readFileSync(path, 'utf8').split('\n');
  for (const line of lines.reverse()) {
    if (!line.startsWith('{')) continue;
    // One that was cut, because the disk is full or the guard died writing it, is none.
    const entry = parseObject(line) as
      | { readonly level: number; readonly msg: string; readonly remedy?: string }
      | undefined;
    if (entry !== undefined && entry.level >= 50) return entry;
  }
  return undefined;
}
