/** Parser of a process's `--ros-args` and their parameter files, by the rules of ROS 2; and resolution of the values for a node. */
import { type Problem, parseRawYaml, problemsError, type RawYaml, readRawYaml } from '../../config/index.ts';
import { ReinError } from '../../model/index.ts';
import { parseRemap, type RemapRule } from './names.ts';
import { type GivenValue, givenValue } from './scalars.ts';

export interface RosArguments {
  /** Arguments not meant for ROS, in order. */
  readonly rest: readonly string[];
  /** In the order given. */
  readonly parameters: readonly ParameterRule[];
  readonly remaps: readonly RemapRule[];
  /** As given, e.g. `debug` or `rcl:=warn`. */
  readonly logLevels: readonly string[];
  readonly enclave: string | undefined;
  /** Arguments without parameters, for a ROS library that must not resolve them itself. */
  readonly withoutParameters: readonly string[];
}

interface Collected {
  rest: string[];
  parameters: ParameterRule[];
  remaps: RemapRule[];
  logLevels: string[];
  enclave: string | undefined;
  passed: string[];
}

type Take = (value: string, into: Collected) => void;

const WITH_VALUE: Readonly<Record<string, Take>> = {
  '-p': takeParameter,
  '--param': takeParameter,
  '--params-file': (path, into) => void into.parameters.push(...readParametersFile(path)),
  '-r': takeRemap,
  '--remap': takeRemap,
  '--log-level': (level, into) => {
    checkLogLevel(level);
    into.logLevels.push(level);
    into.passed.push('--log-level', level);
  },
  '--log-config-file': (path, into) => void into.passed.push('--log-config-file', path),
  '-e': takeEnclave,
  '--enclave': takeEnclave,
};

const PLAIN_FLAG = /^--(enable|disable)-(stdout|rosout|external-lib)-logs$/;

/** Throws `ReinError('config')` that names the argument. `argv` without the program's own name. */
export function parseRosArgs(argv: readonly string[]): RosArguments {
  const into: Collected = { rest: [], parameters: [], remaps: [], logLevels: [], enclave: undefined, passed: [] };
  let isRos = false;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    if (argument === '--ros-args') isRos = true;
    else if (!isRos) into.rest.push(argument);
    else if (argument === '--') isRos = false;
    else if (PLAIN_FLAG.test(argument)) into.passed.push(argument);
    else {
      const take = Object.hasOwn(WITH_VALUE, argument) ? WITH_VALUE[argument] : undefined;
      if (take === undefined) throw new ReinError('config', `"${argument}" is no argument of ROS`, REMEDY);
      const value = argv[++i];
      if (value === undefined) throw new ReinError('config', `${argument} stands at the end without its value`);
      take(value, into);
    }
  }
  const { passed, ...rest } = into;
  return { ...rest, withoutParameters: passed.length === 0 ? [] : ['--ros-args', ...passed] };
}

const REMEDY = {
  remedy: 'arguments after --ros-args are -p NAME:=VALUE, --params-file FILE, -r FROM:=TO and the like',
};

/** `[node:]name:=value`, the value in YAML. */
const PARAMETER = /^(?:([A-Za-z_][A-Za-z0-9_]*):(?!=))?([A-Za-z0-9_/]+(?:\.[A-Za-z0-9_/]+)*):=([\s\S]*)$/;

function takeParameter(rule: string, into: Collected): void {
  const match = PARAMETER.exec(rule);
  if (match === null) {
    throw new ReinError('config', `-p ${rule}: this is not NAME:=VALUE`, {
      remedy: 'for example -p settings.task.maxSteps:=200',
    });
  }
  const [, node, name = '', text = ''] = match;
  const given = givenValue(parseRawYaml(text, `-p ${name}`), '-p ', name);
  into.parameters.push({ nodes: node ?? '/**', name, given });
}

function takeRemap(rule: string, into: Collected): void {
  into.remaps.push(parseRemap(rule));
  into.passed.push('-r', rule);
}

function takeEnclave(enclave: string, into: Collected): void {
  if (!/^\/([A-Za-z_][A-Za-z0-9_]*(\/[A-Za-z_][A-Za-z0-9_]*)*)?$/.test(enclave))
    throw new ReinError('config', `--enclave ${enclave}: an enclave is a path like /robots/arm1`);
  into.enclave = enclave;
  into.passed.push('--enclave', enclave);
}

function checkLogLevel(level: string): void {
  const name = level.includes(':=') ? level.slice(level.indexOf(':=') + 2) : level;
  if (!/^(unset|debug|info|warn|error|fatal)$/i.test(name) || level.startsWith(':='))
    throw new ReinError('config', `--log-level ${level}: levels are debug, info, warn, error and fatal`);
}

const KEY = 'ros__parameters';

/**
 * Values of a parameter file, in order: node names, possibly nested in namespaces, each with `ros__parameters`. Throws
 * `ReinError('config')` with file, line and column.
 */
function readParametersFile(path: string): readonly ParameterRule[] {
  return rulesOf(readRawYaml(path));
}

/** Rules of a parsed parameter file. */
function rulesOf(root: RawYaml): readonly ParameterRule[] {
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

/** One part of a name, or `*` for any single part and `**` for any number of them. */
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

/** Value for the nodes matched by `nodes`: `/**`, `rein`, `/arm1/*`. */
export interface ParameterRule {
  readonly nodes: string;
  readonly name: string;
  readonly given: GivenValue;
}

/**
 * Given values of the node `fullName` (`/arm1/rein`) by name, resolved as in rclpy. Node names and patterns count in
 * the order of their first occurrence; within one the last value wins; among those that match, the later one wins. (One
 * quirk of Humble's rclpy is not copied: a value that changes its type under the same name keeps the earlier one.)
 */
export function resolveParameters(rules: readonly ParameterRule[], fullName: string): ReadonlyMap<string, GivenValue> {
  const byNodes = new Map<string, Map<string, GivenValue>>();
  for (const { nodes, name, given } of rules) {
    const values = byNodes.get(nodes) ?? new Map<string, GivenValue>();
    values.set(name, given);
    byNodes.set(nodes, values);
  }
  const resolved = new Map<string, GivenValue>();
  for (const [nodes, values] of byNodes) {
    if (!patternOf(nodes).test(fullName)) continue;
    for (const [name, given] of values) resolved.set(name, given);
  }
  return resolved;
}

/** `/*` matches one part of a name, `/**` any number of them, including none. */
function patternOf(nodes: string): RegExp {
  const absolute = nodes.startsWith('/') ? nodes : `/${nodes}`;
  return new RegExp(`^${absolute.replaceAll('/*', '(/\\w+)')}$`);
}
