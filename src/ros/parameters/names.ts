/** Names of nodes, topics and services: expanded, and remapped by rules such as `[node:]FROM:=TO`, as in ROS 2. */
import { ReinError } from '../../model/index.ts';

/** One remap rule: `[node:]FROM:=TO`, `__node:=name`, `__ns:=/namespace`. */
export interface RemapRule {
  /** Applies only to a node of this name. */
  readonly node: string | undefined;
  readonly kind: 'nodeName' | 'namespace' | 'topic' | 'service' | 'name';
  /** Name as in the code; empty for node names and namespaces. */
  readonly from: string;
  readonly to: string;
}

const TOKEN = '[A-Za-z_][A-Za-z0-9_]*';
const NAME = `(?:~/|/)?${TOKEN}(?:/${TOKEN})*`;
const RULE = new RegExp(`^(?:(${TOKEN}):(?!=|//))?(.*?):=(.*)$`, 's');
const NODE_NAME = new RegExp(`^${TOKEN}$`);
const NAMESPACE = new RegExp(`^/(?:${TOKEN}(?:/${TOKEN})*/?)?$`);
const FROM = new RegExp(`^(rostopic://|rosservice://)?(${NAME})$`);
const TO = new RegExp(`^${NAME}$`);

/** Throws `ReinError('config')` that shows the rule. */
export function parseRemap(rule: string): RemapRule {
  const match = RULE.exec(rule);
  if (match === null) throw wrong(rule, 'this is not FROM:=TO');
  const [, node, from = '', to = ''] = match;
  if (from === '__node' || from === '__name') {
    if (!NODE_NAME.test(to)) throw wrong(rule, `"${to}" is no node name: letters, digits and _ without a slash`);
    return { node, kind: 'nodeName', from: '', to };
  }
  if (from === '__ns') {
    if (!NAMESPACE.test(to)) throw wrong(rule, `"${to}" is no namespace: it begins with a slash, like /arm1`);
    return { node, kind: 'namespace', from: '', to: to.length > 1 ? to.replace(/\/$/, '') : to };
  }
  const source = FROM.exec(from);
  if (source === null) throw wrong(rule, `"${from}" is no name of a topic or service`);
  if (!TO.test(to)) throw wrong(rule, `"${to}" is no name of a topic or service`);
  const kind = source[1] === 'rostopic://' ? 'topic' : source[1] === 'rosservice://' ? 'service' : 'name';
  return { node, kind, from: source[2] ?? '', to };
}

function wrong(rule: string, why: string): ReinError {
  return new ReinError('config', `-r ${rule}: ${why}`, { remedy: 'for example -r joint_states:=/arm/joint_states' });
}

/** Final name of a node. */
export interface NodeIdentity {
  readonly nodeName: string;
  /** Begins with a slash. */
  readonly namespace: string;
  /** `/arm1/rein`. */
  readonly fullName: string;
}

/** Identity after applying `__node` and `__ns`. */
export function nodeIdentity(nodeName: string, namespace: string, remaps: readonly RemapRule[]): NodeIdentity {
  const find = (kind: RemapRule['kind'], current: string): string | undefined =>
    remaps.find((rule) => rule.kind === kind && (rule.node === undefined || rule.node === current))?.to;
  const name = find('nodeName', nodeName) ?? nodeName;
  const given = find('namespace', name) ?? namespace;
  const space = given.startsWith('/') ? given : `/${given}`;
  return { nodeName: name, namespace: space, fullName: below(space, name) };
}

const VALID = /^(~\/|\/|~$)?([A-Za-z_][A-Za-z0-9_]*(\/[A-Za-z_][A-Za-z0-9_]*)*)?$/;

/** `joint_states` → `/arm1/joint_states`, `~/state` → `/arm1/rein/state`. Throws `ReinError('config')` for an invalid name. */
export function expandName(name: string, node: NodeIdentity): string {
  if (!VALID.test(name) || name === '' || name === '/' || name === '~/')
    throw new ReinError('config', `"${name}" is no name of a topic, service or action`);
  if (name.startsWith('/')) return name;
  if (name === '~') return node.fullName;
  if (name.startsWith('~/')) return `${node.fullName}/${name.slice(2)}`;
  return below(node.namespace, name);
}

/** Name as shown by ROS: expanded, then remapped by the first matching rule. */
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
