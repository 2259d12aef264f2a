export { formatProblem, type Place, type Problem, problemsError } from './place.ts';
export { parseYaml, readYaml, type YamlFile } from './read-yaml.ts';
export { clean, shown } from './shown.ts';
export { didYouMean, editDistance, nearest } from './suggest.ts';
export {
  keyPlaceOf,
  type MapNode,
  merge,
  nodeAt,
  placeOf,
  plainOf,
  type Scalar,
  type TreeNode,
  type TreePath,
  treeAt,
} from './tree.ts';
export { sameInOtherUnit, withoutUnit } from './unit-hints.ts';
