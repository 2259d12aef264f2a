import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PRECEDENCE } from '../../../tests/support/parameter-precedence.ts';
import { applyGiven, unfit } from './declared.ts';
import { nodeIdentity, resolveName } from './names.ts';
import { parseRosArgs, resolveParameters } from './ros-args.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-parameters-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(path, text);
  return path;
}

/** Values in effect for `/arm1/rein`, given after `--ros-args`. */
function resolved(...args: string[]): Record<string, unknown> {
  const { parameters } = parseRosArgs(['--ros-args', ...args]);
  return Object.fromEntries([...resolveParameters(parameters, '/arm1/rein')].map(([name, { value }]) => [name, value]));
}

describe('the arguments of ROS', () => {
  it('are told from the others', () => {
    const args = parseRosArgs(['--robot', 'arm6', '--ros-args', '-p', 'a:=1', '--', '--task', 'x', '--ros-args']);
    expect(args.rest).toEqual(['--robot', 'arm6', '--task', 'x']);
    expect(args.parameters).toMatchObject([{ nodes: '/**', name: 'a', given: { type: 'integer', value: 1 } }]);
  });

  it('keep remaps, log levels and enclave, but no parameters, for a library that must not resolve them', () => {
    const args = parseRosArgs([
      '--ros-args',
      '-r',
      'a:=b',
      '--param',
      'x:=1',
      '--log-level',
      'rcl:=warn',
      '-e',
      '/robots',
      '--disable-rosout-logs',
    ]);
    expect(args.withoutParameters).toEqual([
      '--ros-args',
      '-r',
      'a:=b',
      '--log-level',
      'rcl:=warn',
      '--enclave',
      '/robots',
      '--disable-rosout-logs',
    ]);
    expect(args).toMatchObject({ logLevels: ['rcl:=warn'], enclave: '/robots' });
  });

  it.each([
    [['-p'], '-p stands at the end without its value'],
    [['-p', 'a'], '-p a: this is not NAME:=VALUE'],
    [['-p', 'a:='], '-p a: there is no value'],
    [['-p', 'a:=[1, x]'], '-p a: a list holds values of one kind, this one holds integer and string'],
    [['-p', 'a:={b: 1}'], '-p a: a parameter is a value or a list, not a group'],
    [['-p', 'a:=99999999999999999999'], '-p a: 99999999999999999999 is too large for a whole number'],
    [['-r', 'a'], '-r a: this is not FROM:=TO'],
    [['-r', '__ns:=arm1'], '-r __ns:=arm1: "arm1" is no namespace: it begins with a slash, like /arm1'],
    [['-r', '__node:=a/b'], '-r __node:=a/b: "a/b" is no node name: letters, digits and _ without a slash'],
    [['-r', 'a b:=c'], '-r a b:=c: "a b" is no name of a topic or service'],
    [['--log-level', 'loud'], '--log-level loud: levels are debug, info, warn, error and fatal'],
    [['--params-file', '/nowhere.yaml'], '/nowhere.yaml: there is no such file'],
    [['--robot'], '"--robot" is no argument of ROS'],
    [['constructor'], '"constructor" is no argument of ROS'],
  ])('%j is refused in one sentence', (args, message) => {
    expect(() => parseRosArgs(['--ros-args', ...args])).toThrow(message);
  });

  it.each([
    ['1', 'integer', 1],
    ['-0x10', 'integer', -16],
    ['010', 'integer', 8],
    ['08', 'double', 8],
    ['1.', 'double', 1],
    ['1e3', 'double', 1000],
    ['-.inf', 'double', -Infinity],
    ['nan', 'double', Number.NaN],
    ['yes', 'bool', true],
    ['OFF', 'bool', false],
    ['"yes"', 'string', 'yes'],
    ["''", 'string', ''],
    ['null', 'string', 'null'],
    ['tcp://10.0.0.1:5555', 'string', 'tcp://10.0.0.1:5555'],
    ['[1, 2]', 'integer_array', [1, 2]],
    ['[]', 'empty_array', []],
  ])('the value %s is of type %s', (text, type, value) => {
    const [rule] = parseRosArgs(['--ros-args', '-p', `a:=${text}`]).parameters;
    expect(rule?.given).toMatchObject({ type, value });
  });
});

describe('the values that hold', () => {
  it.each(PRECEDENCE)('$name: as rclpy decides', ({ args, files, expected }) => {
    const paths = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, file(text)]));
    expect(resolved(...args.map((argument) => paths[argument] ?? argument))).toEqual(expected);
  });

  it('name file and line of what is wrong', () => {
    expect(() => resolved('--params-file', file('rein:\n  ros__parameters:\n    a: [1, [2]]\n'))).toThrow(
      /\.yaml:3: a: a list of a parameter holds plain values only/,
    );
    expect(() => resolved('--params-file', file('ros__parameters: {a: 1}\n'))).toThrow(/no node name before/);
    expect(() => resolved('--params-file', file('rein: 3\n'))).toThrow(
      /:1:7: there is no value before ros__parameters/,
    );
    expect(() => resolved('--params-file', file('re in:\n  ros__parameters: {a: 1}\n'))).toThrow(/is no node name/);
    expect(() => resolved('--params-file', file('rein:\n  ros__parameters: {a: *b}\n'))).toThrow(/alias/i);
  });
});

describe('names', () => {
  const remaps = (...rules: string[]) => parseRosArgs(['--ros-args', ...rules.flatMap((rule) => ['-r', rule])]).remaps;

  it('of a node follow __node and __ns, also those for one node only', () => {
    expect(nodeIdentity('rein', '/', [])).toEqual({ nodeName: 'rein', namespace: '/', fullName: '/rein' });
    expect(nodeIdentity('rein', '/', remaps('__node:=left', '__ns:=/arms/one')).fullName).toBe('/arms/one/left');
    expect(nodeIdentity('rein', '/', remaps('other:__node:=left', 'rein:__name:=right')).fullName).toBe('/right');
    expect(nodeIdentity('rein', '/', remaps('__node:=left', 'left:__ns:=/a', '__ns:=/b')).namespace).toBe('/a');
  });

  it('of topics and services are expanded, and remapped by the first rule that fits', () => {
    const node = nodeIdentity('rein', '/', remaps('__ns:=/arm1'));
    const of = (name: string, ...rules: string[]) => resolveName(name, 'topic', node, remaps(...rules));
    expect(of('joint_states')).toBe('/arm1/joint_states');
    expect(of('~/state')).toBe('/arm1/rein/state');
    expect(of('/diagnostics')).toBe('/diagnostics');
    expect(of('joint_states', 'joint_states:=/js', 'joint_states:=/other')).toBe('/js');
    expect(of('joint_states', '/arm1/joint_states:=~/js')).toBe('/arm1/rein/js');
    expect(of('joint_states', 'left:joint_states:=/js', 'rein:joint_states:=here')).toBe('/arm1/here');
    expect(of('joint_states', 'rosservice://joint_states:=/js')).toBe('/arm1/joint_states');
    expect(resolveName('~/stop', 'service', node, remaps('rosservice://~/stop:=/stop'))).toBe('/stop');
    expect(() => of('a//b')).toThrow('"a//b" is no name');
  });
});

describe('declared parameters', () => {
  const rate = { name: 'rate', type: 'double', default: 10, description: 'Hz', range: { min: 1, max: 100 } } as const;
  const mode = { name: 'mode', type: 'string', default: 'a', description: '', choices: ['a', 'b'] } as const;
  const joints = { name: 'joints', type: 'double_array', default: [0.5], description: '' } as const;
  const all = [rate, mode, joints];
  const given = (...args: string[]) => resolveParameters(parseRosArgs(['--ros-args', ...args]).parameters, '/rein');

  it('take what fits and keep their defaults otherwise', () => {
    expect([...applyGiven(all, given('-p', 'rate:=40', '-p', 'joints:=[]', '-p', 'use_sim_time:=true'))]).toEqual([
      ['rate', 40],
      ['mode', 'a'],
      ['joints', []],
    ]);
  });

  it('refuse everything else, all at once', () => {
    const path = file('/**:\n  ros__parameters:\n    mode: c\n    joints: [.nan]\n');
    expect(() => applyGiven(all, given('-p', 'rate:=101', '--params-file', path, '-p', 'Rate:=2'))).toThrow(
      [
        '-p rate is 101, it must be a number from 1 to 100',
        `${path}:3: mode is "c", it must be "a" or "b"`,
        `${path}:4: joints is not a number, it must be a list of numbers`,
        '-p Rate: there is no parameter "Rate", did you mean "rate"?',
      ].join('\n'),
    );
    expect(unfit(rate, 'fast')).toBe('rate is "fast", it must be a number from 1 to 100');
    expect(unfit({ ...rate, type: 'integer' }, 1.5)).toBe('rate is 1.5, it must be a whole number from 1 to 100');
    expect(unfit(mode, true)).toBe('mode is true, it must be "a" or "b"');
  });
});
