/** A process's `--ros-args`, parsed by ROS 2's own rules. Reads parameter files, and nothing else. */

import { parseRawYaml } from '../../config/index.ts';
import { ReinError } from '../../core/index.ts';
import { readParametersFile } from './params-file.ts';
import { parseRemap, type RemapRule } from './remap-rule.ts';
import type { ParameterRule } from './resolve.ts';
import { givenValue } from './scalars.ts';

export interface RosArguments {
  /** What is not meant for ROS, in order. */
  readonly rest: readonly string[];
  /** In the order in which they were given. */
  readonly parameters: readonly ParameterRule[];
  readonly remaps: readonly RemapRule[];
  /** As given, e.g. `debug` or `rcl:=warn`. */
  readonly logLevels: readonly string[];
  readonly enclave: string | undefined;
  /** The arguments without parameters: what a ROS library may be given that must not resolve them itself. */
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
