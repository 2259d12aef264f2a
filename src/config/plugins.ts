/** Plugins that a configuration names: which keys do, and where their modules are. */
import { dirname } from 'node:path';
import { findPlugin, type PluginKind } from '../core/index.ts';
import { problemsError } from './text/place.ts';
import { nodeAt, placeOf, type TreeNode, type TreePath } from './text/tree.ts';

/** Where a file of each kind may name plugins. */
const PLACES = {
  task: [
    { path: [], kind: 'task' },
    { path: ['policyPlugin'], kind: 'policy' },
    { path: ['operatorPlugin'], kind: 'operator' },
  ],
  robot: [{ path: ['driver'], kind: 'driver' }],
  learner: [{ path: ['algorithmPlugin'], kind: 'algorithm' }],
} as const satisfies Record<string, readonly { path: TreePath; kind: PluginKind }[]>;

/**
 * `value`, the checked content of `tree`, with every module that it names as an absolute path: relative ones count from the
 * file that names them, which `tree` knows; from where the program was started on the command line. Loads nothing. Throws
 * `ReinError('config')` that points at a module that is not there.
 */
export function withPlugins<T>(file: keyof typeof PLACES, value: T, tree: TreeNode): T {
  return PLACES[file].reduce<T>((all, { path, kind }) => withModule(all, path, kind, tree), value);
}

function withModule<T>(value: T, path: TreePath, kind: PluginKind, tree: TreeNode): T {
  const [key] = path;
  const group = (key === undefined ? value : (value as Record<string, unknown>)[key]) as
    | { module?: string }
    | undefined;
  if (group?.module === undefined) return value;
  const at = [...path, 'module'];
  const place = nodeAt(tree, at)?.place ?? placeOf(tree, at);
  const found = findPlugin(kind, group.module, dirname(place.file));
  if (found.trouble !== undefined) throw problemsError([{ place, message: found.trouble }]);
  const whole = { ...group, module: found.file };
  return (key === undefined ? whole : { ...value, [key]: whole }) as T;
}
