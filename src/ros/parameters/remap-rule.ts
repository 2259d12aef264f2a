/** One remap rule: `[node:]FROM:=TO`, `__node:=name`, `__ns:=/namespace`. */
import { ReinError } from '../../core/index.ts';

export interface RemapRule {
  /** Holds only for a node of this name. */
  readonly node: string | undefined;
  readonly kind: 'nodeName' | 'namespace' | 'topic' | 'service' | 'name';
  /** A name as it is in the code; empty for node names and namespaces. */
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
