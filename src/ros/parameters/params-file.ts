/** A parameter file of ROS 2: node names, perhaps nested in namespaces, each with `ros__parameters`. */
import { type Problem, problemsError, type RawYaml, readRawYaml } from '../../config/index.ts';
import type { ParameterRule } from './resolve.ts';
import { givenValue } from './scalars.ts';

const KEY = 'ros__parameters';

/** All values of a file in its order. Throws `ReinError('config')` with file, line and column. */
export function readParametersFile(path: string): readonly ParameterRule[] {
  return rulesOf(readRawYaml(path));
}

/** The same for text that is already parsed. */
export function rulesOf(root: RawYaml): readonly ParameterRule[] {
  const rules: ParameterRule[] = [];
  readNodes(root, '', rules);
  return rules;
}

function readNodes(node: RawYaml, above: string, rules: ParameterRule[]): void {
  if (node.kind !== 'map') {
    refuse(node, above === '' ? 'a parameter file begins with node names' : `there is no value before ${KEY}`);
  }
  for (const [key, value] of node.entries) {
    if (key !== KEY) {
      readNodes(value, above === '' || above.endsWith('/') ? `${above}${key}` : `${above}/${key}`, rules);
      continue;
    }
    if (above === '') refuse(value, `there is no node name before ${KEY}`);
    checkPattern(above, value);
    readParameters(value, above, '', rules);
  }
}

function readParameters(node: RawYaml, nodes: string, prefix: string, rules: ParameterRule[]): void {
  if (node.kind !== 'map') refuse(node, `below ${KEY} stand parameters, one "name: value" a line`);
  for (const [key, value] of node.entries) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (key === '') refuse(value, 'a parameter has a name');
    if (value.kind === 'map') readParameters(value, nodes, name, rules);
    else {
      const { file, line } = value.place;
      rules.push({ nodes, name, given: givenValue(value, `${file}:${line}: `, name) });
    }
  }
}

/** One part of a name, or `*` for any one and `**` for any number of them. */
const PART = /^(\*|\*\*|[A-Za-z_][A-Za-z0-9_]*)$/;

function checkPattern(nodes: string, at: RawYaml): void {
  const parts = (nodes.startsWith('/') ? nodes.slice(1) : nodes).split('/');
  const bad = parts.find((part) => !PART.test(part));
  if (bad !== undefined) refuse(at, `"${nodes}" is no node name: ${bad === '' ? 'a slash is doubled' : `"${bad}"`}`);
}

function refuse(node: RawYaml, message: string): never {
  const problem: Problem = { place: node.place, message };
  throw problemsError([problem]);
}
