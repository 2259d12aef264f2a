/** The pages about ROS 2: their YAML is accepted, sentences that they quote are the code's, and launch arguments exist. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseLaunchArguments } from '../../scripts/ros/sources.ts';
import { createSetup, resolveConfig } from '../../src/config/index.ts';
import { FAULTS } from '../../src/safety/faults.ts';
import { OTHER_FAULTS } from '../../src/safety/index.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'ros2');
const scratch = mkdtempSync(join(tmpdir(), 'rein-pages-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, found]) => found === language).map(([, , code]) => code!);

/** A whole file names itself in its first line; what has no name of its own is laid over the robot before it. */
const fileName = (yaml: string): string | undefined => /^# ([\w-]+\.yaml)\n/.exec(yaml)?.[1];

const TASK = { kind: 'operatorJudged', action: { kind: 'joint' }, observation: {} };

describe.each(['own-arm.md', 'own-base.md'])('%s', (page) => {
  const snippets = blocks(pages.find(({ name }) => name === page)!.text, 'yaml');
  const place = join(scratch, page);
  mkdirSync(place);
  for (const yaml of snippets) {
    const file = fileName(yaml);
    if (file !== undefined) writeFileSync(join(place, file), yaml);
  }

  it('has robots, tasks and blocks to lay over them', () => {
    const files = snippets.map(fileName);
    expect(files.filter((file) => file !== undefined).length).toBeGreaterThanOrEqual(2);
    expect(files.filter((file) => file === undefined).length).toBeGreaterThanOrEqual(1);
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

describe('first-hour.md', () => {
  const { text } = pages.find(({ name }) => name === 'first-hour.md')!;

  it('quotes sentences that the code says', () => {
    const code = sources(['src', 'ros', 'launch']).replace(/\$\{[^}]*\}/g, '…');
    const cells = text.split('| you see |')[1]!.split('\n').slice(2);
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

describe('faults.md', () => {
  const { text } = pages.find(({ name }) => name === 'faults.md')!;
  const rows = text.split('\n').filter((line) => /^\| .* \|$/.test(line) && !line.includes('what happens'));
  const known = [...FAULTS.map(({ row, flag }) => ({ row, name: flag })), ...OTHER_FAULTS];
  // Events without a row of their own.
  const borders = ['guardNotice', 'callback', 'refused', 'learnerAwaited', 'learnerAway', 'learnerRefused'];

  it('numbers faults as the table does, and names events that there are', () => {
    expect(rows.length).toBeGreaterThan(20);
    const wrong = rows.flatMap((line) => {
      const [, , numbers = '', , events = ''] = line.split('|');
      const given = [...numbers.matchAll(/\d+/g)].map(([number]) => Number(number));
      const names = [...events.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
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

describe.each(pages)('$name', ({ text }) => {
  it('gives launch files arguments that they have', () => {
    for (const [, file, given] of text.matchAll(/ros2 launch rein (\w+\.launch\.py)([^`\n#]*)/g)) {
      const python = readFileSync(join(root, 'launch', file!), 'utf8');
      const known = parseLaunchArguments(python).map(({ name }) => name);
      const used = [...given!.matchAll(/(\w+):=/g)].map(([, name]) => name!);
      expect(used.filter((name) => !known.includes(name))).toEqual([]);
    }
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
