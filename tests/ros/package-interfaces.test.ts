/** What the ament package says of itself agrees with the program: fields of messages, versions, lists of files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fieldsOf, MESSAGE_TYPES, type MessageField } from '../../src/ros/messages/index.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const names = (folder: string): string[] => readdirSync(join(root, folder)).sort();

/** Fields of a part of an interface file, as `type name`; constants and comments are none. */
function writtenFields(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '' && !line.includes('='))
    .map((line) => line.replace(/\s+/, ' '));
}

/** The same of a field of the codec's table. */
function codecField({ name, kind, shape, length, type }: MessageField): string {
  const element = kind === 'message' ? (type?.name ?? '').replace('/msg/', '/') : kind;
  if (shape === 'single') return `${element} ${name}`;
  const bound = shape === 'array' ? length : length === Number.POSITIVE_INFINITY ? '' : `<=${length}`;
  return `${element}[${bound}] ${name}`;
}

describe('interfaces of the package', () => {
  const own = MESSAGE_TYPES.filter((type) => type.name.startsWith('rein/msg/'));

  it.each(own.map((type) => [type.name, type] as const))('%s has the fields that the codec sends', (name, type) => {
    const written = writtenFields(read(`${name.replace('rein/', '')}.msg`));
    expect(fieldsOf(type).map(codecField)).toEqual(written);
  });

  it('has a codec for every message', () => {
    expect(own.map((type) => `${type.name.slice('rein/msg/'.length)}.msg`)).toEqual(names('msg'));
  });

  it('generates every file of msg, srv and action', () => {
    const listed = [...read('CMakeLists.txt').matchAll(/"((?:msg|srv|action)\/\w+\.\w+)"/g)].map(([, file]) => file);
    const files = ['msg', 'srv', 'action'].flatMap((folder) => names(folder).map((file) => `${folder}/${file}`));
    expect(listed.sort()).toEqual(files.sort());
  });

  it('uses no word of C++ or Python as the name of a field: neither could be compiled', () => {
    const taken =
      'operator class new delete default this bool float double int long short signed unsigned union switch case ' +
      'template typename namespace private public protected virtual explicit export register return static struct volatile ' +
      'from import lambda pass raise global nonlocal yield with is not and or in if elif else try except finally while for ' +
      'def del as assert async await break continue None True False goto const enum extern friend inline mutable using';
    for (const folder of ['msg', 'srv', 'action']) {
      for (const file of names(folder)) {
        const fields = writtenFields(read(`${folder}/${file}`).replaceAll('---', ''));
        const bad = fields.map((field) => field.split(' ')[1]).filter((name) => taken.split(' ').includes(name ?? ''));
        expect(bad, `${folder}/${file}`).toEqual([]);
      }
    }
  });
});

describe('package.xml', () => {
  const manifest = read('package.xml');
  const program = JSON.parse(read('package.json')) as {
    name: string;
    version: string;
    license: string;
    engines: { node: string };
  };
  const tag = (name: string): string[] =>
    [...manifest.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text]) => text ?? '');

  it('has the name, version and licence of package.json', () => {
    expect([tag('name'), tag('version'), tag('license')]).toEqual([
      [program.name],
      [program.version],
      [program.license],
    ]);
  });

  it('asks for the Node that package.json asks for, and so does the wrapper', () => {
    const needed = program.engines.node.replace('>=', '');
    expect(manifest).toContain(`<exec_depend version_gte="${needed}">nodejs</exec_depend>`);
    expect(read('ros/start.sh')).toContain(`needed=${needed}\n`);
  });

  it('depends on every package whose messages are sent or received', () => {
    const packages = new Set(MESSAGE_TYPES.map((type) => type.name.split('/')[0] ?? ''));
    packages.delete('rein');
    const depends = [...tag('exec_depend'), ...tag('depend')];
    expect([...packages].filter((name) => !depends.includes(name))).toEqual([]);
  });
});
