/** What checks beyond the range of single values find. */
import type { TreePath } from './text/index.ts';

/** Something that is wrong at `path` of a file; `message` is a sentence without its full stop. */
export interface Finding {
  readonly path: TreePath;
  readonly message: string;
}

/** Four significant digits, for messages. */
export function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}
