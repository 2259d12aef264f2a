export { type Place, type Problem, problemsError } from './place.ts';
export { parseRawYaml, type RawYaml, readRawYaml } from './raw-yaml.ts';
export { readYaml, type YamlFile } from './read-yaml.ts';
export { shown } from './shown.ts';
export {
  keyPlaceOf,
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
