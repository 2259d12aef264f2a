/** The pages about ROS 2: their YAML is accepted, and messages and events that they quote are the code's. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROS_FAULTS } from '../../scripts/ros/faults.ts';
import { createSetup, resolveConfig } from '../../src/config/index.ts';
import { FAULTS } from '../../src/safety/faults.ts';
import { OTHER_FAULTS } from '../../src/safety/index.ts';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'rein-pages-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (page: string): string => readFileSync(join(root, 'docs', page), 'utf8');
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, found]) => found === language).map(([, , code]) => code!);

/** A whole file names itself in its first line; what has no name of its own is laid over the robot before it. */
const fileName = (yaml: string): string | undefined => /^# ([\w-]+\.yaml)\n/.exec(yaml)?.[1];

const TASK = { kind: 'operatorJudged', action: { kind: 'joint' }, observation: {} };

describe('ros2/own-robot.md', () => {
  const snippets = blocks(read('ros2/own-robot.md'), 'yaml');
  const place = join(scratch, 'own-robot');
  mkdirSync(place);
  for (const yaml of snippets) {
    const file = fileName(yaml);
    if (file !== undefined) writeFileSync(join(place, file), yaml);
  }

  it('has robots, tasks and blocks to lay over them', () => {
    const files = snippets.map(fileName);
    expect(files.filter((file) => file !== undefined).length).toBeGreaterThanOrEqual(5);
    expect(files.filter((file) => file === undefined).length).toBeGreaterThanOrEqual(7);
  });

  const isRobot = (yaml: string): boolean => fileName(yaml) !== undefined && /^driver:/m.test(yaml);
  let robot = fileName(snippets.find(isRobot)!)!;
  it.each(snippets.map((yaml, i) => [fileName(yaml) ?? `block ${i + 1}`, yaml]))('%s is accepted', (name, yaml) => {
    const content = parse(yaml) as Record<string, unknown>;
    const isTask = content['kind'] !== undefined;
    if (isRobot(yaml)) robot = name;
    const task = isTask ? join(place, name) : taskFor(place, robot);
    const overlay = fileName(yaml) === undefined ? join(place, 'overlay.yaml') : undefined;
    if (overlay !== undefined) writeFileSync(overlay, yaml);
    const setup = createSetup(resolveConfig({ task, seed: 0, ...(overlay === undefined ? {} : { overlay }) }));
    expect(setup.driver.name).toBe('ros');
  });
});

/** A task that moves the first axis of `robot`, so that its file is read. */
function taskFor(place: string, robot: string): string {
  const content = parse(readFileSync(join(place, robot), 'utf8')) as { joints?: { name: string }[] };
  const dimension = content.joints?.[0]?.name ?? 'x';
  const unit = content.joints === undefined ? 'm' : 'rad';
  const action = { ...TASK.action, dimensions: [{ name: dimension, scale: 0.001, unit }] };
  const path = join(place, `task-for-${robot}`);
  writeFileSync(path, JSON.stringify({ ...TASK, name: 'probe', robot: `./${robot}`, learner: 'rlpd', action }));
  return path;
}

describe('ros2.md', () => {
  const text = read('ros2.md');

  it('quotes messages of the code', () => {
    const code = sources(['src', 'ros', 'launch']).replace(/\$\{[^}]*\}/g, '…');
    const cells = text.split('| you see |')[1]!.split('\n\n')[0]!.split('\n').slice(2);
    const quotes = cells.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, quote]) => quote!),
    );
    const parts = quotes
      .filter((quote) => !/^ros2|Node not found|Goal was rejected/.test(quote))
      // Names and numbers are the code's variables.
      .flatMap((quote) =>
        quote.split(
          /…|\/rein\b|\/joint_states|\bhumble|\bjazzy|\brein\b|joint state|\(fault|The guard|'node'|[\d"]+|task\.\w+/,
        ),
      )
      .map((part) => part.trim())
      .filter((part) => part.split(' ').length > 3);
    expect(parts.length).toBeGreaterThan(15);
    expect(parts.filter((part) => !code.includes(part))).toEqual([]);
  });
});

describe('the faults over ROS', () => {
  const known = [...FAULTS.map(({ row, flag }) => ({ row, name: flag })), ...OTHER_FAULTS];
  // Events without a row of their own.
  const borders = ['guardNotice', 'callback', 'refused', 'learnerAwaited', 'learnerAway', 'learnerRefused'];

  it('are numbered as the table is, and name events that there are', () => {
    expect(ROS_FAULTS.length).toBeGreaterThan(20);
    const wrong = ROS_FAULTS.flatMap(({ rows, event }) => {
      const given = [...rows.matchAll(/\d+/g)].map(([number]) => Number(number));
      const names = [...event.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
      return [
        ...given.filter((number) => !known.some(({ row }) => row === number)),
        ...names.filter(
          (name) => !borders.includes(name) && !known.some((one) => one.name === name && given.includes(one.row)),
        ),
      ];
    });
    expect(wrong).toEqual([]);
  });
});

/** Text of all programs below `folders`, with strings that stand on two lines put together. */
function sources(folders: readonly string[]): string {
  return folders
    .flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /(?<!\.test)\.(ts|py|sh)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
    .replace(/['`]\s*\+\s*['`]/g, '');
}
