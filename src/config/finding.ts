/** Findings of the configuration checks, their wording, and the error that refuses a file with findings. */
import { significant } from '../model/index.ts';
import { type Checked, oneAPlace } from './schema/check.ts';
import { type Place, type Problem, problemsError } from './text/place.ts';
import { nodeAt, type TreeNode, type TreePath, valuePlaceOf } from './text/tree.ts';

/** A mistake at `path` of a file; `message` is a sentence without its full stop. */
export interface Finding {
  readonly path: TreePath;
  /** Path of the value compared with the one at `path`: errors point there if nothing is written at `path`, which then has a default. */
  readonly orAt?: TreePath;
  readonly message: string;
  /** Ends `message`, depending on where the values at `path` and `orAt` are written; `undefined`: a default. */
  readonly remedy?: (at: Place | undefined, orAt: Place | undefined) => string;
}

/** Returns the checked value. Throws `ReinError('config')` with all its problems and those of the text it was read from. */
export function checkedValue<T>(checked: Checked<T>, ofText: readonly Problem[]): T {
  const problems = oneAPlace([...ofText, ...checked.problems]);
  if (checked.value === undefined || problems.length > 0) throw problemsError(problems);
  return checked.value;
}

/** Throws `ReinError('config')` with all `findings` and their positions in `tree`; does nothing if there are none. */
export function throwFindings(tree: TreeNode, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  throw problemsError(
    findings.map(({ path, orAt, message, remedy }) => {
      const at = nodeAt(tree, path)?.place;
      const other = orAt && nodeAt(tree, orAt)?.place;
      const place = at ?? other ?? valuePlaceOf(tree, path);
      return { place, message: remedy === undefined ? message : `${message}: ${remedy(at, other)}` };
    }),
  );
}

/** Rounds to four significant digits, for messages. */
export function round(value: number): string {
  return significant(value, 4);
}
