/** The check of the launch files finds each kind of mistake. Needs Python 3, and no ROS 2. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SIM_PARAMETERS } from '../../packages/emulate/src/ros/parameters.ts';
import { NODE_PARAMETERS } from '../../src/ros/node/settings.ts';
import type { ParameterDeclaration } from '../../src/ros/port/ros-port.ts';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'rein-launch-'));
const hasPython = spawnSync('python3', ['--version']).status === 0;
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Checks a copy of `file` with `from` replaced by `to`; returns what the check printed, and whether it was content. */
function checkWith(file: string, from: string | RegExp, to: string): { code: number | null; output: string } {
  // A copy of the whole folder beside config/, as files look for each other and for robots.
  cpSync(join(root, 'launch'), join(scratch, 'launch'), { recursive: true });
  cpSync(join(root, 'config'), join(scratch, 'config'), { recursive: true });
  const path = join(scratch, 'launch', file);
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${file} does not hold ${from}`);
  writeFileSync(path, changed);
  const { status, stdout, stderr } = spawnSync('python3', [join(root, 'scripts', 'check-launch.py'), path], {
    encoding: 'utf8',
  });
  return { code: status, output: stdout + stderr };
}

describe.skipIf(!hasPython)('scripts/check-launch.py', () => {
  it('is content with every launch file', () => {
    const { status, stdout } = spawnSync('python3', ['scripts/check-launch.py'], { cwd: root, encoding: 'utf8' });
    expect(stdout).toMatch(/^ok {2}learner.*\nok {2}robot.*\nok {2}sim.*\nok {2}teleop.*\n$/);
    expect(status).toBe(0);
  });

  const mistakes: [string, string, string | RegExp, string, RegExp][] = [
    [
      'a missing description',
      'robot.launch.py',
      /description='Name of this robot[^']*'/,
      "description=''",
      /robot_id: no description/,
    ],
    [
      'a description that is no sentence',
      'robot.launch.py',
      'Seed of every random number, a whole number. Empty: 0.',
      'seed of all random numbers',
      /seed: the description is no sentence/,
    ],
    [
      'missing choices of a truth value',
      'robot.launch.py',
      "'autostart', default_value='false', choices=BOOLEAN",
      "'autostart', default_value='false'",
      /autostart: true or false/,
    ],
    ['missing choices of words', 'sim.launch.py', ", choices=['', *CONTROLLERS]", '', /controller: only some words/],
    [
      'motion that nobody asked for',
      'robot.launch.py',
      "'respawn', default_value='false'",
      "'respawn', default_value='true'",
      /respawn: must be off/,
    ],
    [
      'an argument that nothing uses',
      'learner.launch.py',
      "'out', 'seed']",
      "'out']",
      /seed: declared, but never used/,
    ],
    [
      'an argument that is used and not declared',
      'learner.launch.py',
      "'out', 'seed']",
      "'out', 'seed', 'sede']",
      /sede.* not declared/,
    ],
    [
      'a default outside the choices',
      'robot.launch.py',
      "'log_level', default_value='info'",
      "'log_level', default_value='loud'",
      /"loud" is not among/,
    ],
    ['a slip of the pen in Python', 'robot.launch.py', 'def start(context):', 'def start(context:', /line \d+: /],
    [
      'a keyword that launch does not have',
      'teleop.launch.py',
      'sigterm_timeout=',
      'sigterm_time=',
      /no keyword sigterm_time/,
    ],
    [
      'a process without a limit to its end',
      'robot.launch.py',
      "sigterm_timeout='5',",
      '',
      /sigterm_timeout is not stated/,
    ],
    [
      'an included file that cannot be started when something else was',
      'robot.launch.py',
      '        # First: where it cannot',
      '        OpaqueFunction(function=start),\n        # First: where it cannot',
      /includes teleop.launch.py after a process/,
    ],
    [
      'a process that a launch which fails leaves behind',
      'sim.launch.py',
      "additional_env={'REIN_ENDS_WITH': str(os.getpid())},",
      '',
      /sim: nothing ends it where the launch fails/,
    ],
    [
      'an executable that is not installed',
      'sim.launch.py',
      "executable='sim'",
      "executable='simulator'",
      /simulator: no executable of this package/,
    ],
    [
      'an included file with an argument it does not have',
      'robot.launch.py',
      "launch_arguments={'namespace'",
      "launch_arguments={'name_space'",
      /teleop.launch.py the argument name_space/,
    ],
    [
      'a first comment without a command',
      'robot.launch.py',
      'ros2 launch rein robot.launch.py',
      'ros2 launch it',
      /does not show a command/,
    ],
  ];
  it.each(mistakes)('finds %s', (_mistake, file, from, to, expected) => {
    const { code, output } = checkWith(file, from, to);
    expect(output).toMatch(expected);
    expect(code).toBe(1);
  });
});

describe.skipIf(!hasPython)('what launch files pass on', () => {
  const { stdout } = spawnSync('python3', ['scripts/check-launch.py', '--json'], { cwd: root, encoding: 'utf8' });
  const files = JSON.parse(stdout || '{}') as Record<
    string,
    { arguments: Record<string, string[] | null>; parameters: Record<string, string[]> }
  >;
  const programs: [string, string, readonly ParameterDeclaration[]][] = [
    ['robot.launch.py', 'node', NODE_PARAMETERS],
    ['sim.launch.py', 'sim', SIM_PARAMETERS],
  ];

  it.each(programs)('%s: %s declares every parameter that it is given', (file, executable, declared) => {
    const given = files[file]?.parameters[executable] ?? [];
    expect(given.length).toBeGreaterThan(3);
    // Every node has it.
    const names = [...declared.map(({ name }) => name), 'use_sim_time'];
    expect(given.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(programs)('%s: %s takes the words that are offered, and no others', (file, _executable, declared) => {
    for (const { name, choices } of declared) {
      const offered = files[file]?.arguments[name];
      if (!offered || !choices) continue;
      // Empty stands for the program's own default.
      expect(
        offered.filter((word) => word !== ''),
        name,
      ).toEqual(choices.filter((word) => word !== ''));
    }
  });
});
