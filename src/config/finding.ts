/** What checks beyond the range of single values find. */
import type { JointKind } from '../core/index.ts';
import type { TreePath } from './text/tree.ts';

/** Something that is wrong at `path` of a file; `message` is a sentence without its full stop. */
export interface Finding {
  readonly path: TreePath;
  readonly message: string;
}

/** ` m` or ` rad`: what positions of a joint are in, though its keys say rad. */
export function unitOf(kind: JointKind | undefined): 'm' | 'rad' {
  return kind === 'prismatic' || kind === 'path' ? 'm' : 'rad';
}

/** `1 joint`, `2 joints`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Four significant digits, for messages. */
export function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}
