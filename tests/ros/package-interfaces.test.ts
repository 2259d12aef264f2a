/** What the ament package says of itself agrees with the program: fields of messages, versions, lists of files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rosDefinitions } from '../../scripts/ros/definitions.ts';
import { MESSAGE_TYPES } from '../../src/ros/messages/registry.ts';

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

describe('interfaces of the package', () => {
  it('are what the program sends: its types are written from them', () => {
    expect(read('src/ros/messages/definitions.ts')).toBe(rosDefinitions(root));
  });

  it('generates every file of msg, srv and action', () => {
    expect(read('CMakeLists.txt')).toMatch(/CONFIGURE_DEPENDS msg\/\*\.msg srv\/\*\.srv action\/\*\.action\)/);
    for (const folder of ['msg', 'srv', 'action']) {
      for (const file of names(folder)) expect(file).toMatch(new RegExp(`^[A-Z]\\w+\\.${folder}$`));
    }
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
