/** Names of nodes, topics and services: expanded and remapped as ROS 2 does. */
import { ReinError } from '../../core/index.ts';
import type { RemapRule } from './remap-rule.ts';

/** A node under its final name. */
export interface NodeIdentity {
  readonly nodeName: string;
  /** Begins with a slash. */
  readonly namespace: string;
  /** `/arm1/rein`. */
  readonly fullName: string;
}

/** The name after `__node` and `__ns`. */
export function nodeIdentity(nodeName: string, namespace: string, remaps: readonly RemapRule[]): NodeIdentity {
  const find = (kind: RemapRule['kind'], current: string): string | undefined =>
    remaps.find((rule) => rule.kind === kind && (rule.node === undefined || rule.node === current))?.to;
  const name = find('nodeName', nodeName) ?? nodeName;
  const given = find('namespace', name) ?? namespace;
  const space = given.startsWith('/') ? given : `/${given}`;
  return { nodeName: name, namespace: space, fullName: below(space, name) };
}

const VALID = /^(~\/|\/|~$)?([A-Za-z_][A-Za-z0-9_]*(\/[A-Za-z_][A-Za-z0-9_]*)*)?$/;

/** `joint_states` → `/arm1/joint_states`, `~/state` → `/arm1/rein/state`. Throws `ReinError('config')` for what is no name. */
export function expandName(name: string, node: NodeIdentity): string {
  if (!VALID.test(name) || name === '' || name === '/' || name === '~/')
    throw new ReinError('config', `"${name}" is no name of a topic, service or action`);
  if (name.startsWith('/')) return name;
  if (name === '~') return node.fullName;
  if (name.startsWith('~/')) return `${node.fullName}/${name.slice(2)}`;
  return below(node.namespace, name);
}

/** The name that ROS shows: expanded, then the first remap that fits. */
export function resolveName(
  name: string,
  kind: 'topic' | 'service',
  node: NodeIdentity,
  remaps: readonly RemapRule[],
): string {
  const expanded = expandName(name, node);
  const rule = remaps.find(
    (candidate) =>
      (candidate.kind === kind || candidate.kind === 'name') &&
      (candidate.node === undefined || candidate.node === node.nodeName) &&
      expandName(candidate.from, node) === expanded,
  );
  return rule === undefined ? expanded : expandName(rule.to, node);
}

function below(namespace: string, name: string): string {
  return namespace === '/' ? `/${name}` : `${namespace}/${name}`;
}
