/** The reference says something about everything that is registered, and about nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rosReference } from '../../scripts/ros/page.ts';
import { parseInterface, parseLaunchArguments } from '../../scripts/ros/sources.ts';
import {
  bridgeSurface,
  nodeSurface,
  type Registration,
  simSurface,
  stopperSurface,
} from '../../scripts/ros/surfaces.ts';
import { BRIDGE_WORDS, NODE_WORDS, SIM_WORDS, type WordTable } from '../../scripts/ros/words.ts';

const root = join(import.meta.dirname, '..', '..');

const programs: [string, () => Promise<readonly Registration[]>, WordTable][] = [
  ['the node', nodeSurface, NODE_WORDS],
  ["the guard's bridge", bridgeSurface, BRIDGE_WORDS],
  ['the simulated robot', simSurface, SIM_WORDS],
];

describe.each(programs)('%s', (_name, surface, words) => {
  it('has words for all that it registers, and registers all that it has words for', async () => {
    const registered = new Set((await surface()).map(({ name }) => name));
    expect([...registered].sort()).toEqual(Object.keys(words).sort());
  });

  it('says how often it publishes', async () => {
    const published = (await surface()).filter(({ kind }) => kind === 'publishes').map(({ name }) => name);
    expect(published.filter((name) => !words[name]?.rate)).toEqual([]);
  });
});

describe('the stopper', () => {
  it('publishes the command and nothing else, and its words are those of the bridge', async () => {
    const registered = await stopperSurface();
    const published = new Set(registered.filter(({ kind }) => kind === 'publishes').map(({ name }) => name));
    expect([...published]).toEqual(['command_topic']);
    expect(registered.filter(({ name }) => BRIDGE_WORDS[name] === undefined)).toEqual([]);
  });
});

describe('a launch file', () => {
  it.each(['robot', 'sim', 'learner', 'teleop'])('%s: each argument has a description and is found', (name) => {
    const python = readFileSync(join(root, 'launch', `${name}.launch.py`), 'utf8');
    const found = parseLaunchArguments(python);
    expect(found.length).toBe(python.split('DeclareLaunchArgument(').length - 1);
    expect(found.filter(({ what }) => !what.endsWith('.'))).toEqual([]);
    expect(found.filter(({ choices }) => !/^[\w, ]*$/.test(choices))).toEqual([]);
  });

  it('shows lists by their names as words', () => {
    const python =
      "WORDS = ['a', 'b']\nDeclareLaunchArgument('x', default_value='', choices=['', *WORDS],\n description='It\\'s '\n 'so.')";
    expect(parseLaunchArguments(python)).toEqual([{ name: 'x', default: '', choices: 'a, b', what: "It's so." }]);
  });
});

describe('an interface', () => {
  it('has its own comment, parts, and fields with the comment above them', () => {
    expect(parseInterface('# All.\n\n# One\n# of two.\nuint8 A=0\nuint8 b\n---\nbool c\n')).toEqual({
      what: 'All.',
      parts: [
        [
          { type: 'uint8', name: 'A=0', comment: 'One of two.' },
          { type: 'uint8', name: 'b', comment: 'One of two.' },
        ],
        [{ type: 'bool', name: 'c', comment: '' }],
      ],
    });
  });
});

describe('the page', () => {
  it('names every topic, parameter, argument and field', async () => {
    const page = await rosReference(root);
    for (const name of [
      '~/safety_state',
      'joint_states_rate',
      'settings.task.maxSteps',
      'settings.task.action.dimensions.x.scale',
      'settings.robot.joints.elbow.velocityMaxRadPerS',
      'settings.learner.utd',
      'autostart',
      'rein/msg/Event',
      'base_slip',
    ]) {
      expect(page).toContain(name);
    }
    expect(page).not.toMatch(/undefined|\[object/);
  });
});
