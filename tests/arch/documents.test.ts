/** What the documents say can be done, can be done: files, links, commands and options that they name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandBodies } from '../../src/cli/bodies.ts';
import { createProgram } from '../../src/cli/program.ts';

const root = join(import.meta.dirname, '..', '..');
const documents = ['', 'docs', 'docs/ros2', 'docs/algorithms'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const program = createProgram({} as CommandBodies, { out: () => {}, error: () => {} }, () => {}, '0.0.0');

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!);

describe.each(documents)('%s', (path) => {
  const text = read(path);

  it('links to files that exist', () => {
    const targets = matches(text, /\]\((?!https?:|#)([^)#]+)/g);
    expect(targets.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
  });

  it('names files that exist', () => {
    const named = matches(text, /`((?:src|tests|config|docs|scripts|launch|bin|msg|srv|action|ros)\/[\w./-]*)`/g);
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    expect(matches(text, /npm run ([\w:-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('names commands of rein that exist, with options that they have', () => {
    for (const [, name, rest] of text.matchAll(/(?:npm run (?:rein -- |(?=demo))|^rein )(\w+)([^`\n#]*)/gm)) {
      const command = program.commands.find((each) => each.name() === (name === 'demo' ? 'sim' : name));
      expect(command, `rein ${name}`).toBeDefined();
      const inner = command!.commands.find((each) => rest!.trim().startsWith(each.name()));
      const known = (inner ?? command!).options.map((option) => option.long);
      const used = matches(rest!, /(--[a-z][a-z-]+)/g).filter((option) => option !== '--help');
      expect(used.filter((option) => !known.includes(option))).toEqual([]);
    }
  });
});

describe('package.json', () => {
  it('starts programs that exist', () => {
    const programs = Object.values(scripts).flatMap((script) => matches(script, /node ([\w/.-]+\.js)/g));
    const sources = programs.map((path) =>
      path
        .replace(/^dist\/bench\//, 'bench/')
        .replace(/^dist\//, 'src/')
        .replace(/^((?:bench|src)\/.*)\.js$/, '$1.ts'),
    );
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('README.md', () => {
  it('lists options of the demo that exist', () => {
    const sim = program.commands.find((command) => command.name() === 'sim')!;
    const table = matches(read('README.md'), /^\| `(--[a-z-]+)/gm);
    expect(table.length).toBeGreaterThan(5);
    const known = sim.options.map((option) => option.long);
    expect(table.filter((option) => !known.includes(option))).toEqual([]);
  });
});
