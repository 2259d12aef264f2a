/**
 * Which value holds when several are given: cases with the result that rclpy gives for the node `/arm1/rein`. The unit
 * test reads it without ROS; `tests/ros` runs the same through a real rclpy.
 */

export interface PrecedenceCase {
  readonly name: string;
  /** After `--ros-args`; a key of `files` stands for the file. */
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

const forNode = (node: string, text: string): string => `${node}:\n  ros__parameters: {${text}}\n`;

export const PRECEDENCE: readonly PrecedenceCase[] = [
  {
    name: 'a file under the full name, as launch writes its overrides, after one for all nodes',
    args: ['--params-file', 'all', '--params-file', 'full'],
    files: { all: forNode('/**', 'rate: 10, other: 1'), full: forNode('/arm1/rein', 'rate: 40') },
    expected: { rate: 40, other: 1 },
  },
  {
    name: 'a file for all nodes after one under the full name',
    args: ['--params-file', 'full', '--params-file', 'all'],
    files: { all: forNode('/**', 'rate: 10'), full: forNode('/arm1/rein', 'rate: 40') },
    expected: { rate: 10 },
  },
  {
    name: 'an argument is a value for all nodes, and takes its turn with them',
    args: ['-p', 'rate:=1', '--params-file', 'full', '-p', 'rate:=2'],
    files: { full: forNode('/arm1/rein', 'rate: 40') },
    expected: { rate: 40 },
  },
  {
    name: 'the bare name does not match a node in a namespace',
    args: ['--params-file', 'bare', '-p', 'rein:rate:=3', '-p', 'other:=1'],
    files: { bare: forNode('rein', 'rate: 40') },
    expected: { other: 1 },
  },
  {
    name: 'a pattern over one part of the name',
    args: ['--params-file', 'pattern', '--params-file', 'foreign'],
    files: { pattern: forNode('/arm1/*', 'rate: 5'), foreign: forNode('/*', 'rate: 6') },
    expected: { rate: 5 },
  },
  {
    name: 'namespaces that are nested, and names that are',
    args: ['--params-file', 'nested'],
    files: { nested: 'arm1:\n  rein:\n    ros__parameters:\n      task: {maxSteps: 7, "a.b": yes}\n' },
    expected: { 'task.maxSteps': 7, 'task.a.b': true },
  },
  {
    name: 'the last of equal names wins',
    args: ['-p', 'rate:=1', '-p', 'rate:=2'],
    files: {},
    expected: { rate: 2 },
  },
];
