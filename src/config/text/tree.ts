/** Plain data with the position of each value, so that a check can report it after merging. */
import { didYouMean } from '../../model/index.ts';
import { type Place, problemsError } from './place.ts';
import { shown } from './shown.ts';

export type Scalar = string | number | boolean | null;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: Scalar;
  /** As written, without quotes. */
  readonly source: string;
  readonly place: Place;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly TreeNode[];
  readonly place: Place;
}

export interface MapEntry {
  readonly keyPlace: Place;
  readonly value: TreeNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly place: Place;
}

export type TreeNode = ScalarNode | ListNode | MapNode;
export type TreePath = readonly (string | number)[];

/** Returns the data without positions. Objects have no prototype, so that a key named `__proto__` stays a key. */
export function plainOf(node: TreeNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainOf);
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of node.entries) object[key] = plainOf(entry.value);
  return object;
}

/** The node at `path`, or `undefined` if there is none. */
export function nodeAt(root: TreeNode, path: TreePath): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const step of path) {
    if (node?.kind === 'map') node = node.entries.get(String(step))?.value;
    else if (node?.kind === 'list') node = node.items[Number(step)];
    else return undefined;
  }
  return node;
}

/** Position to report for `path`: its value, or the nearest enclosing value that was written. */
export function placeOf(root: TreeNode, path: TreePath): Place {
  for (let length = path.length; length > 0; length--) {
    const here = path.slice(0, length);
    const node = nodeAt(root, here);
    if (node === undefined) continue;
    // A missing key is reported at the key of the map that lacks it, not at the map's first child.
    return length === path.length && node.kind === 'scalar' ? node.place : (keyPlaceOf(root, here) ?? node.place);
  }
  return root.place;
}

/** Position of the value at `path`; if there is none, as `placeOf`. */
export function valuePlaceOf(root: TreeNode, path: TreePath): Place {
  return nodeAt(root, path)?.place ?? placeOf(root, path);
}

/** Position of the key at the end of `path`; `undefined` if it is no key or was not written. */
export function keyPlaceOf(root: TreeNode, path: TreePath): Place | undefined {
  const parent = nodeAt(root, path.slice(0, -1));
  return parent?.kind === 'map' ? parent.entries.get(String(path.at(-1)))?.keyPlace : undefined;
}

/**
 * Merges `over` onto `base`: maps are merged key by key, a list of named entries takes a map of entries by name, everything else is
 * replaced. Throws `ReinError` for a name that the list does not have.
 */
export function merge(base: TreeNode, over: TreeNode): TreeNode {
  if (base.kind === 'list' && over.kind === 'map') return mergeByName(base, over);
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = base.entries.get(key);
    entries.set(
      key,
      below === undefined ? entry : { keyPlace: entry.keyPlace, value: merge(below.value, entry.value) },
    );
  }
  return { kind: 'map', entries, place: base.place };
}

function mergeByName(base: ListNode, over: MapNode): TreeNode {
  const names = base.items.map((item) => plainOf(nodeAt(item, ['name']) ?? { ...NOTHING, place: item.place }));
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) return over;
  const strangers = [...over.entries].filter(([name]) => !names.includes(name));
  if (strangers.length > 0) {
    const problems = strangers.map(([name, { keyPlace }]) => ({
      place: keyPlace,
      message: `there is none named "${shown(name)}" in the list${didYouMean(name, names)}, there are ${names.join(', ')}`,
    }));
    throw problemsError(problems);
  }
  const items = base.items.map((item, i) => {
    const entry = over.entries.get(names[i]!);
    return entry === undefined ? item : merge(item, entry.value);
  });
  return { kind: 'list', items, place: base.place };
}

const NOTHING = { kind: 'scalar', value: null, source: '' } as const;

/** A map with one value at `path` and the given `place`: how a command-line option overrides a file. */
export function treeAt(path: readonly string[], value: Scalar | readonly Scalar[], place: Place): TreeNode {
  const scalar = (one: Scalar): TreeNode => ({ kind: 'scalar', value: one, source: String(one), place });
  let node: TreeNode = isList(value) ? { kind: 'list', items: value.map(scalar), place } : scalar(value);
  for (const key of [...path].reverse())
    node = { kind: 'map', entries: new Map([[key, { keyPlace: place, value: node }]]), place };
  return node;
}

function isList(value: Scalar | readonly Scalar[]): value is readonly Scalar[] {
  return Array.isArray(value);
}
