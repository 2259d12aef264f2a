/** What the documents say can be done, can be done: files, links, commands, options and rooms that they name exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLaunchArguments } from '../../scripts/ros/sources.ts';
import { createProgram } from '../../src/cli/program.ts';
import { PACKAGE_SOURCES } from '../support/package-sources.ts';

const root = join(import.meta.dirname, '..', '..');
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'bench', 'src', 'packages', 'examples', 'launch'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const program = createProgram(async () => {}, { out: () => {}, error: () => {} }, '0.0.0');

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!);

/** Anchors of a page, as GitHub makes them of its headings. */
function anchors(path: string): string[] {
  const text = read(path).replaceAll(/^```.*?^```/gms, '');
  return matches(text, /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Options that the command of `words` (`safety check arm6 --ticks 10`) does not have; its name where there is no such command. */
function unknownOptions(words: string): string[] {
  const [name = '', ...rest] = words.trim().split(/\s+/);
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined) return [name];
  const inner = command.commands.find((each) => each.name() === rest[0]);
  const known = (inner ?? command).options.map((option) => option.long);
  const used = matches(words, /(--[a-z][a-z-]+)/g).filter((option) => option !== '--help');
  return used.filter((option) => !known.includes(option));
}

describe.each(documents)('%s', (path) => {
  const text = read(path);
  const links = matches(text, /\]\((?!https?:)([^)\s]+)\)/g);
  const targetOf = (link: string): string => normalize(join(dirname(path), link.split('#')[0]!));

  it('links to files that exist', () => {
    const files = links.filter((link) => !link.startsWith('#'));
    expect(files.filter((link) => !existsSync(join(root, targetOf(link))))).toEqual([]);
  });

  it('links to headings that exist', () => {
    const missing = links.filter((link) => {
      const [file, anchor] = link.split('#');
      if (anchor === undefined) return false;
      return !anchors(file === '' ? path : targetOf(link)).includes(anchor);
    });
    expect(missing).toEqual([]);
  });

  it('names files that exist', () => {
    const folders = 'src|packages|tests|bench|config|docs|scripts|examples|launch|bin|msg|srv|action|ros';
    const named = matches(text, new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'));
    // A room's README names its own files, and those of its folders.
    const own = /^(src|packages)\//.test(path) ? matches(text, /`([\w-]+(?:\/[\w-]+)*(?:\.ts|\/))`/g) : [];
    const home = path.startsWith('packages/') ? join(dirname(path), 'src') : dirname(path);
    const isOwn = (name: string): boolean => existsSync(join(root, home, name)) || named.includes(name);
    const produced = ['weights/', 'journal/'];
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
    expect(own.filter((name) => !isOwn(name) && !produced.includes(name))).toEqual([]);
  });

  it('names npm scripts and benches that exist', () => {
    expect(matches(text, /npm run ([\w:-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([]);
    const benches = matches(read('bench/main.ts'), /\.command\('(\w+)/g);
    expect(matches(text, /npm run bench -- (\w+)/g).filter((name) => !benches.includes(name))).toEqual([]);
  });

  it('names commands of rein that exist, with options that they have', () => {
    const typed = matches(text, /(?:npm run rein -- |npx --no rein |`rein |^rein )(\w[^`\n#|]*)/gm);
    const demos = matches(text, /npm run demo -- ([^`\n#|]*)/g).map((rest) => `sim ${rest}`);
    // A table whose head names the program has what is typed behind it in its first column.
    const [, table = ''] = text.split(/^\| `npm run rein --` .*\n.*\n/m);
    const rows = /^(\|.*\n)+/.exec(table)?.[0] ?? '';
    const cells = rows.split('\n').flatMap((row) => matches(row.split('|')[1] ?? '', /`([^`]+)`/g));
    expect([...typed, ...demos, ...cells].flatMap(unknownOptions)).toEqual([]);
  });

  it('gives launch files arguments that they have', () => {
    for (const [, file, given] of text.matchAll(/ros2 launch rein (\w+\.launch\.py)([^`\n#]*)/g)) {
      const known = parseLaunchArguments(read(`launch/${file}`)).map(({ name }) => name);
      expect(matches(given!, /(\w+):=/g).filter((name) => !known.includes(name))).toEqual([]);
    }
  });

  it("uses the field's words", () => {
    const ours = /\b(wish(es)?|ghosts?|deaf|reunite[ds]?|way-back|came apart|in other hands)\b/gi;
    expect(text.match(ours) ?? []).toEqual([]);
  });
});

describe('the program', () => {
  it('names pages that exist, in texts for people and in comments', () => {
    const folders = [
      'src',
      ...PACKAGE_SOURCES,
      'bench',
      'scripts',
      'tests',
      'launch',
      'msg',
      'srv',
      'action',
      'config',
      'examples',
      'ros',
    ];
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/__pycache__/.test(entry.parentPath))
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    const missing = files.flatMap((file) =>
      matches(readFileSync(file, 'utf8'), /(?<![\w./])(docs\/[\w/-]+\.(?:md|json|svg))\b/g)
        .filter((page) => !existsSync(join(root, page)))
        .map((page) => `${file.slice(root.length + 1)}: ${page}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');

  it('fits on two pages', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(130);
  });

  it('lists every room, in their order, with what it may import', () => {
    const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
      forbidden: { name: string; to: { pathNot: string[] } }[];
    };
    const rules = forbidden.filter(({ name }) => name.startsWith('room-'));
    const rooms = [...rules.map(({ name }) => name.slice('room-'.length)), 'cli'];
    const rows = [...page.matchAll(/^src\/([\w-]+)\/ +\S.*? {2,}(.*)$/gm)].map(([, room, may]) => [room!, may!]);
    expect(rows.map(([room]) => room)).toEqual(rooms);
    expect(readdirSync(join(root, 'src'), { withFileTypes: true }).filter((each) => each.isDirectory())).toHaveLength(
      rooms.length,
    );
    for (const [i, { to }] of rules.entries()) {
      const allowed = to.pathNot.map((path) => path.slice('^src/'.length, -1)).filter((room) => room !== rooms[i]);
      expect(meant(rows[i]![1]!, rooms.slice(0, i)), rooms[i]).toEqual(allowed);
    }
  });

  /** "nothing", "core, schema", "all above", "all above but learner". */
  function meant(words: string, above: readonly string[]): string[] {
    if (words === 'nothing') return [];
    if (!words.startsWith('all above')) return words.split(', ');
    const without = /^all above but (.*)$/.exec(words)?.[1]?.split(', ') ?? [];
    return above.filter((room) => !without.includes(room));
  }
});

describe('packages/', () => {
  const manifestOf = (folder: string) =>
    JSON.parse(read(join(folder, 'package.json'))) as Record<'name' | 'version', string>;

  it.each(readdirSync(join(root, 'packages')))('%s has the version of rein, and the map names it', (name) => {
    const { version } = manifestOf('.');
    expect(manifestOf(`packages/${name}`)).toMatchObject({ name: `rein-${name}`, version, private: true });
    expect(read('docs/architecture.md')).toMatch(new RegExp(`^packages/${name}/ `, 'm'));
  });
});

describe('package.json', () => {
  it('overrides nothing, which would not reach those who install the package', () => {
    expect(JSON.parse(read('package.json'))).not.toHaveProperty('overrides');
  });

  it('starts programs that exist', () => {
    const programsOf = (script: string): string[] =>
      matches(script, /node (?:"\$npm_config_local_prefix\/)?([\w/.-]+\.js)/g);
    expect(programsOf(scripts['rein']!)).toEqual(['scripts/build.js', 'bin/rein.js']);
    const programs = Object.values(scripts).flatMap(programsOf);
    const sources = programs.map((path) =>
      path
        .replace(/^dist\/bench\//, 'bench/')
        .replace(/^dist\//, 'src/')
        .replace(/^((?:bench|src)\/.*)\.js$/, '$1.ts'),
    );
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the word rein', () => {
  it.each(['README.md', 'docs/first-hour.md'])('is explained by %s before anything is asked with it', (path) => {
    const [before] = read(path).split(/`rein (?!doctor)/);
    for (const way of [
      '`rein doctor`',
      '`npm run rein -- doctor`',
      '`npx rein doctor`',
      'alias rein="node $PWD/bin/rein.js"',
    ])
      expect(before).toContain(way);
  });

  it('is explained by the help of the program', () => {
    const help: string[] = [];
    createProgram(async () => {}, { out: (text) => help.push(text), error: () => {} }, '0.0.0').outputHelp();
    expect(help.join('')).toMatch(/npm run rein -- or npx\s+rein/);
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
