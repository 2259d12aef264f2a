/** A3: which values, names and namespaces hold is what rclpy would decide; also as a launch file passes them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { nodeIdentity, resolveName } from '../../src/ros/parameters/names.ts';
import { type ParameterRule, parseRosArgs, resolveParameters } from '../../src/ros/parameters/ros-args.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { PRECEDENCE } from '../support/parameter-precedence.ts';
import { describeRos, rclpy, ros2, runProgram } from '../support/ros.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-precedence-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Prints what rclpy makes of its arguments: the node's name, its parameters, and the names it resolves. */
const ASK_RCLPY = `
import json, sys, rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
rclpy.init(args=['x', *sys.argv[1:]])
node = Node('rein', allow_undeclared_parameters=True, automatically_declare_parameters_from_overrides=True,
            start_parameter_services=False)
values = {}
types = {}
# What every node declares by itself differs between distributions, so only what was given counts.
given = node._parameter_overrides
for name, parameter in node._parameters.items():
    if name not in given or parameter.type_ == Parameter.Type.NOT_SET: continue
    value = parameter.value
    types[name] = parameter.type_.name.lower()
    values[name] = list(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
print(json.dumps({
    'node': node.get_fully_qualified_name(),
    'values': values,
    'types': types,
    'topic': node.resolve_topic_name('joint_states'),
    'private': node.resolve_topic_name('~/state'),
    'service': node.resolve_service_name('~/stop'),
}))
`;

interface Seen {
  readonly node: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly types: Readonly<Record<string, string>>;
  readonly topic: string;
  readonly private: string;
  readonly service: string;
}

async function seenByRclpy(args: readonly string[]): Promise<Seen> {
  const { stdout, stderr, code } = await rclpy(ASK_RCLPY, ['--ros-args', ...args], { timeoutMs: 20_000 });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Seen;
}

function seenByUs(args: readonly string[]): Seen {
  const { parameters, remaps } = parseRosArgs(['--ros-args', ...args]);
  const node = nodeIdentity('rein', '/', remaps);
  return {
    node: node.fullName,
    values: valuesOf(parameters, node.fullName),
    types: typesOf(parameters, node.fullName),
    topic: resolveName('joint_states', 'topic', node, remaps),
    private: resolveName('~/state', 'topic', node, remaps),
    service: resolveName('~/stop', 'service', node, remaps),
  };
}

function valuesOf(rules: readonly ParameterRule[], fullName: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...resolveParameters(rules, fullName)].map(([name, { value }]) => [name, value]));
}

function typesOf(rules: readonly ParameterRule[], fullName: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...resolveParameters(rules, fullName)].map(([name, { type }]) => [name, type]));
}

function written(files: Readonly<Record<string, string>>, args: readonly string[], id: string): string[] {
  return args.map((argument) => {
    const text = files[argument];
    if (text === undefined) return argument;
    const path = join(folder, `${id}-${argument}.yaml`);
    writeFileSync(path, text);
    return path;
  });
}

describeRos('arguments of ROS', () => {
  it.each(PRECEDENCE.map((given, i) => ({ ...given, i })))(
    '$name: as rclpy decides',
    async ({ args, files, expected, i }) => {
      const all = ['-r', '__ns:=/arm1', ...written(files, args, `precedence-${i}`)];
      const rclpySays = await seenByRclpy(all);
      expect(rclpySays.values).toEqual(expected);
      expect(seenByUs(all)).toEqual(rclpySays);
    },
  );

  it.each([
    [['-r', '__node:=left', '-r', '__ns:=/arms/one']],
    [['-r', 'rein:__node:=left', '-r', 'left:__ns:=/a', '-r', '__ns:=/b']],
    [
      [
        '-r',
        'joint_states:=/js',
        '-r',
        'joint_states:=/other',
        '-r',
        '~/state:=status',
        '-r',
        'rosservice://~/stop:=/s',
      ],
    ],
    [['-r', '__ns:=/arm1', '-r', '/arm1/joint_states:=~/js', '-r', 'other:~/stop:=/s', '-r', 'rostopic://~/stop:=/t']],
  ])('names under %j: as rclpy resolves them', async (args) => {
    expect(seenByUs(args)).toEqual(await seenByRclpy(args));
  });

  it('every kind of value is of the type that rclpy gives it', async () => {
    const texts = [
      '1',
      '-0x10',
      '010',
      '08',
      '1.',
      '.5',
      '1e3',
      'yes',
      'OFF',
      '"yes"',
      'null',
      '~',
      '[1, 2]',
      '[a, b]',
    ];
    const more = [
      '[1.5, 2.0]',
      '[true, no]',
      '"[1]"',
      'tcp://10.0.0.1:5555',
      '2026-11-21',
      '1_000',
      '0b1',
      '+5',
      '1e400',
    ];
    const args = [...texts, ...more].flatMap((text, i) => ['-p', `p${i}:=${text}`]);
    const rclpySays = await seenByRclpy(args);
    expect(Object.keys(rclpySays.values)).toHaveLength(texts.length + more.length);
    expect(seenByUs(args)).toEqual(rclpySays);
  });

  it('what launch passes under the full name holds, also in the real node', async () => {
    const path = join(folder, 'launched.yaml');
    writeFileSync(path, '/**:\n  ros__parameters: {rate: 10.0, mode: slow}\n');
    const launched = join(folder, 'override.yaml');
    writeFileSync(launched, '/arm1/rein:\n  ros__parameters: {rate: 40.0}\n');
    const argv = ['--ros-args', '-r', '__ns:=/arm1', '--params-file', path, '--params-file', launched];
    const faults: unknown[] = [];
    const port = await openRosPort({ nodeName: 'rein', argv, onFault: (fault) => void faults.push(fault) });
    const set = port.declareParameters([
      { name: 'rate', type: 'double', default: 1, description: 'Rate, Hz.', range: { min: 0, max: 100 } },
      { name: 'mode', type: 'string', default: 'fast', description: 'How.' },
    ]);
    port.start();
    expect([set.get('rate'), set.get('mode')]).toEqual([40, 'slow']);
    const get = await ros2(['param', 'get', '/arm1/rein', 'rate'], { timeoutMs: 20_000 });
    expect(get.stdout).toContain('40.0');
    const refused = await ros2(['param', 'set', '/arm1/rein', 'rate', '101.0'], { timeoutMs: 20_000 });
    expect(refused.stdout + refused.stderr).toContain('rate is 101, it must be a number from 0 to 100');
    const accepted = await ros2(['param', 'set', '/arm1/rein', 'rate', '50.0'], { timeoutMs: 20_000 });
    expect(accepted.stdout).toContain('successful');
    await until(() => set.get('rate') === 50, 'the value is taken over');
    const described = await ros2(['param', 'describe', '/arm1/rein', 'rate'], { timeoutMs: 20_000 });
    expect(described.stdout).toMatch(/Rate, Hz\.[\s\S]*Min value: 0\.0\s*\n\s*Max value: 100\.0/);
    expect(faults).toEqual([]);
    await port.close();
  });

  it('is what a launch file with overrides passes to any program', async () => {
    const launch = join(folder, 'show.launch.py');
    const config = join(folder, 'config.yaml');
    writeFileSync(config, '/**:\n  ros__parameters: {rate: 10.0, mode: slow}\n');
    writeFileSync(launch, SHOW_LAUNCH);
    const { stdout } = await runProgram('ros2', ['launch', launch, `config:=${config}`], { timeoutMs: 30_000 });
    const shown = /ARGV (\[.*\])/.exec(stdout)?.[1];
    const argv = JSON.parse(shown ?? '[]') as string[];
    const { parameters, remaps } = parseRosArgs(argv);
    const node = nodeIdentity('rein', '/', remaps);
    expect(node.fullName).toBe('/arm1/left');
    expect(valuesOf(parameters, node.fullName)).toEqual({ rate: 40, mode: 'slow' });
    expect(resolveName('joint_states', 'topic', node, remaps)).toBe('/js');
  });
});

/** Starts a program that prints its arguments, as `Node` with everything that launch can pass. */
const SHOW_LAUNCH = `
import os
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
def generate_launch_description():
    show = os.path.join(os.path.dirname(__file__), 'show.sh')
    with open(show, 'w') as f:
        f.write('#!/bin/sh\\nexec python3 -c "import json,sys; print(\\'ARGV \\' + json.dumps(sys.argv[1:]))" "$@"\\n')
    os.chmod(show, 0o755)
    return LaunchDescription([
        DeclareLaunchArgument('config'),
        Node(executable=show, name='left', namespace='arm1', remappings=[('joint_states', '/js')],
             parameters=[LaunchConfiguration('config'), {'rate': 40.0}], output='screen'),
    ])
`;
