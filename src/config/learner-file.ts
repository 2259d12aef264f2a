/** Loads a learner's file on its own, for training without a robot. */
import { type LearnerConfig, learnerSchema } from '../learner/options.ts';
import { checkedValue, throwFindings } from './finding.ts';
import { openConfig } from './names.ts';
import { learnerWithPaths } from './paths.ts';
import { check } from './schema/check.ts';
import { checkLearner } from './task-checks.ts';
import type { Place } from './text/place.ts';
import { merge, type Scalar, type TreeNode, treeAt } from './text/tree.ts';

/** Keys of a learner that are set outside its file. */
export interface LearnerKeys {
  /** Option or file that errors name. */
  readonly place: Place;
  readonly values: Readonly<Record<string, Scalar | readonly Scalar[]>>;
}

/**
 * Reads the learner `name` (a name in `config/learner/`, or a path relative to the folder `from`), overridden by `over`. `place`: the key
 * that names it, if there is one. Throws `ReinError('config')` with every problem.
 */
export function loadLearnerFile(
  name: string,
  over: readonly (LearnerKeys | TreeNode)[] = [],
  from: string = process.cwd(),
  place?: Place,
): LearnerConfig {
  const file = openConfig('learner', name, from, { place });
  let tree: TreeNode = file.tree;
  for (const layer of over) {
    if ('kind' in layer) tree = merge(tree, layer);
    else
      for (const [key, value] of Object.entries(layer.values))
        tree = merge(tree, treeAt(key.split('.'), value, layer.place));
  }
  const learner = checkedValue(check(tree, learnerSchema), file.problems);
  throwFindings(tree, checkLearner(learner));
  return learnerWithPaths(learner, tree);
}
