/** The pages about ROS 2: their YAML is accepted, and messages and events that they quote are the code's. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROS_FAULTS } from '../../scripts/ros/faults.ts';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { FAULTS } from '../../src/safety/faults.ts';
import { OTHER_FAULTS } from '../../src/safety/index.ts';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'rein-pages-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (page: string): string => readFileSync(join(root, 'docs', page), 'utf8');
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, found]) => found === language).map(([, , code]) => code!);

describe('ros2/own-robot.md', () => {
  const page = read('ros2/own-robot.md');
  const [, arm = '', base = '', task = ''] = page.split(/^## [123]\. /m);
  const judged = { arm: 'reach-judged', base: 'drive-judged' };
  const overlays = [
    ...blocks(arm, 'yaml').map((yaml) => [judged.arm, yaml]),
    ...blocks(base, 'yaml').map((yaml) => [judged.base, yaml]),
    ...blocks(task, 'yaml').flatMap((yaml) => Object.values(judged).map((name) => [name, yaml])),
  ] as const;

  it('has blocks to lay over robots and tasks', () => {
    expect(blocks(page, 'yaml').length).toBeGreaterThanOrEqual(8);
    expect(overlays).toHaveLength(blocks(page, 'yaml').length + blocks(task, 'yaml').length);
  });

  it.each(overlays)('over %s: %s', (name, yaml) => {
    const overlay = join(scratch, 'overlay.yaml');
    writeFileSync(overlay, yaml!);
    expect(createSetup(resolveConfig({ task: name!, seed: 0, overlay })).driver.name).toBe('ros');
  });

  it.each(Object.values(judged))('%s, copied with a copy of its robot, works as it says', (name) => {
    const file = (folder: string, base: string): string =>
      readFileSync(join(root, 'config', folder, `${base}.yaml`), 'utf8');
    const copied = file('tasks', name);
    const robot = /^robot: ([\w-]+)$/m.exec(copied)![1]!;
    writeFileSync(join(scratch, 'my-robot.yaml'), file('robots', robot));
    writeFileSync(join(scratch, 'my-task.yaml'), copied.replace(/^robot: .*$/m, 'robot: ./my-robot.yaml'));
    expect(page).toContain(`config/robots/${robot}.yaml`);
    expect(createSetup(resolveConfig({ task: join(scratch, 'my-task.yaml'), seed: 0 })).driver.name).toBe('ros');
  });
});

describe('ros2.md', () => {
  const text = read('ros2.md');

  it('quotes messages of the code', () => {
    const code = sources(['src', ...PACKAGE_SOURCES, 'ros', 'launch']).replace(/\$\{[^}]*\}/g, '…');
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
    expect(parts.length).toBeGreaterThan(6);
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
