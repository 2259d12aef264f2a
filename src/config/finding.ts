/** What checks beyond the range of single values find. */
import { significant } from '../core/index.ts';
import type { TreePath } from './text/tree.ts';

/** Something that is wrong at `path` of a file; `message` is a sentence without its full stop. */
export interface Finding {
  readonly path: TreePath;
  readonly message: string;
}

/** `1 joint`, `2 joints`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Four significant digits, for messages. */
export function round(value: number): string {
  return significant(value, 4);
}
