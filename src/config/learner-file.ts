/** A learner's file on its own: what training without a robot needs. */
import { ReinError } from '../core/index.ts';
import { type LearnerConfig, learnerSchema } from '../learner/options.ts';
import { withEncoderFrom } from './encoder-file.ts';
import { findConfig } from './names.ts';
import { withPlugins } from './plugins.ts';
import { check, oneAPlace } from './schema/check.ts';
import { checkLearner } from './task-checks.ts';
import { type Place, problemsError } from './text/place.ts';
import { readYaml } from './text/read-yaml.ts';
import { merge, nodeAt, placeOf, type Scalar, type TreeNode, treeAt } from './text/tree.ts';

/** Keys of a learner that are set elsewhere than in its file. */
export interface LearnerKeys {
  /** How errors name the place: an option, or a file. */
  readonly place: Place;
  readonly values: Readonly<Record<string, Scalar | readonly Scalar[]>>;
}

/**
 * Reads the learner that `name` stands for (a name in `config/learner/`, or a path relative to the folder `from`), with `over` laid
 * over it. Throws `ReinError('config')` with every problem.
 */
export function loadLearnerFile(
  name: string,
  over: readonly (LearnerKeys | TreeNode)[] = [],
  from: string = process.cwd(),
): LearnerConfig {
  const found = findConfig('learner', name, from);
  if (found.trouble !== undefined) throw new ReinError('config', found.trouble);
  const file = readYaml(found.path, found.shownAs);
  let tree: TreeNode = file.tree;
  for (const layer of over) {
    if ('kind' in layer) tree = merge(tree, layer);
    else
      for (const [key, value] of Object.entries(layer.values))
        tree = merge(tree, treeAt(key.split('.'), value, layer.place));
  }
  const checked = check(tree, learnerSchema);
  const problems = oneAPlace([...file.problems, ...checked.problems]);
  if (checked.value === undefined || problems.length > 0) throw problemsError(problems);
  const findings = checkLearner(checked.value);
  if (findings.length === 0) return withPlugins('learner', withEncoderFrom(checked.value, tree), tree);
  throw problemsError(
    findings.map(({ path, message }) => ({ place: nodeAt(tree, path)?.place ?? placeOf(tree, path), message })),
  );
}
