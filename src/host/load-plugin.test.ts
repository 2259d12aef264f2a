import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPlugin, installedPlugins, loadPlugin, pluginOptions } from './load-plugin.ts';
import { markPlugin } from './plugin.ts';

const mark = (kind: string, contract: unknown = kind === 'driver' ? 2 : 1): string =>
  `rein: { kind: '${kind}', contract: ${contract} }`;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-plugins-'));
  put('package.json', '{ "type": "module" }');
  pack('arm', { rein: { kind: 'driver', contract: 2 }, exports: './main.js' }, 'main.js');
  pack('@lab/gripper', { rein: { kind: 'driver', contract: 2 }, exports: { '.': { import: './esm.js' } } }, 'esm.js');
  pack('by-main', { rein: { kind: 'task', contract: 1 }, main: 'lib.js' }, 'lib.js');
  pack('old', { rein: { kind: 'driver', contract: 1 }, main: 'lib.js' }, 'lib.js');
  pack('broken', { rein: { kind: 'driver', contract: 2 }, main: 'gone.js' }, 'other.js');
  pack('plain', { main: 'lib.js' }, 'lib.js');
  put('node_modules/text/package.json', 'no json');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a plugin is found', () => {
  it.each([
    ['arm', 'driver', 'node_modules/arm/main.js'],
    ['@lab/gripper', 'driver', 'node_modules/@lab/gripper/esm.js'],
    ['by-main', 'task', 'node_modules/by-main/lib.js'],
  ] as const)('as the package %s', (name, kind, file) => {
    expect(findPlugin(kind, name, join(folder, 'deep', 'below'))).toEqual({ file: join(folder, file) });
  });

  it('by a path from the folder of the file that names it', () => {
    put('mine/arm.js', '');
    expect(findPlugin('driver', './arm.js', join(folder, 'mine'))).toEqual({ file: join(folder, 'mine/arm.js') });
    expect(findPlugin('driver', '../mine/arm.js', join(folder, 'mine'))).toEqual({ file: join(folder, 'mine/arm.js') });
  });

  it.each([
    ['./none.js', 'driver', /^there is no file .*none\.js$/],
    ['./mine', 'driver', /mine is no file: name the module in it$/],
    ['amr', 'driver', /^no package called "amr" is installed in .*, did you mean "arm"\?; a path begins with/],
    ['by-main', 'driver', /^the package by-main is a task, and a driver is asked for here$/],
    [
      'old',
      'driver',
      /^the package old is written against version 1 of the contract for drivers, and this Rein has version 2: see docs\/add-a-driver\.md#from-version-1-to-2$/,
    ],
    ['broken', 'driver', /^the package broken has no module that could be loaded/],
    ['plain', 'driver', /^the package plain declares no "rein" in its package\.json$/],
    ['text', 'driver', /^the package .*text declares no "rein"/],
  ] as const)('or refused in a sentence: %s', (name, kind, trouble) => {
    expect(findPlugin(kind, name, folder).trouble).toMatch(trouble);
  });

  it('in a list of all that are installed', () => {
    const rows = installedPlugins(join(folder, 'deep')).map(({ name, kind, found }) => [
      name,
      kind,
      found.trouble ?? 'ok',
    ]);
    expect(rows).toEqual([
      ['@lab/gripper', 'driver', 'ok'],
      ['arm', 'driver', 'ok'],
      ['broken', 'driver', expect.stringContaining('no module')],
      ['by-main', 'task', 'ok'],
      ['old', 'driver', expect.stringContaining('version 1 of')],
    ]);
  });
});

describe('a plugin is loaded', () => {
  const load = (file: string): unknown => loadPlugin('driver', join(folder, file));

  it('once, with what its module gives', () => {
    put(
      'good.js',
      `globalThis.loads = (globalThis.loads ?? 0) + 1;\nexport default { name: 'good', ${mark('driver')}, create() {} };`,
    );
    expect(load('good.js')).toMatchObject({ name: 'good' });
    expect(load('good.js')).toBe(load('good.js'));
    expect((globalThis as { loads?: number }).loads).toBe(1);
  });

  it('in CommonJS too', () => {
    put('good.cjs', `exports.default = { name: 'good', ${mark('driver')}, create() {} };`);
    expect(load('good.cjs')).toMatchObject({ name: 'good' });
  });

  it('says what to do about a folder whose package.json makes modules scripts', () => {
    mkdirSync(join(folder, 'scripts'));
    put('scripts/package.json', '{ "type": "commonjs" }');
    put('scripts/module.js', "import 'node:fs'; export default 1");
    expect(() => load('scripts/module.js')).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('"type": "module"') }),
    );
  });

  it.each([
    ['', "import 'rein';", /^In .*: npm install --ignore-scripts rein-<version>\.tgz, which npm run package /],
    ['', "import '@lab/none/deep.js';", /^In .*: npm install @lab\/none$/],
    ['', "import './none.js';", /^Try it alone: node /],
    ['', "throw new Error(`Cannot find package '#parts' imported from here`);", /^Try it alone: node /],
    ['', "throw new Error(`Cannot find module 'file:///parts.js'`);", /^Try it alone: node /],
    ['gone', undefined, /^Give the path of a file that is there\.$/],
  ])('says what to do where something is missing: %s%s', (name, text, remedy) => {
    const file = `missing-${name}${text?.length ?? 0}.js`;
    if (text !== undefined) put(file, text);
    expect(() => load(file)).toThrow(expect.objectContaining({ remedy: expect.stringMatching(remedy) }));
  });

  it('of whatever kind it is where none is asked for', () => {
    put('any.js', `export default { name: 'any', ${mark('policy')}, open() {} };`);
    expect(loadPlugin(undefined, join(folder, 'any.js'))).toMatchObject({ name: 'any', rein: { kind: 'policy' } });
    expect(() => loadPlugin('driver', join(folder, 'any.js'))).toThrow('a driver is asked for here');
  });

  it.each([
    ['none.js', undefined, /^The driver .*none\.js cannot be loaded: Error: Cannot find module/],
    ['syntax.js', 'export default {', /cannot be loaded: SyntaxError/],
    ['throws.js', "throw new Error('no port\\nat all')", /cannot be loaded: Error: no port\.$/],
    ['throws-word.js', "throw 'no port'", /cannot be loaded: it threw no port\.$/],
    ['throws-nothing.js', 'throw undefined', /cannot be loaded: it threw undefined\.$/],
    ['awaits.js', 'export default await 1', /awaits something while it loads\.$/],
    ['absent.js', "import 'no-such-package'; export default 1", /cannot be loaded: Error: Cannot find package/],
    ['empty.js', 'export const x = 1', /has no default export\.$/],
    ['number.js', 'export default 3', /^The default export of .*number\.js is no plugin\.$/],
    ['nobody.js', "export default { name: 'x', create() {} }", /^The default export of .*nobody\.js is no plugin\.$/],
    [
      'kind.js',
      `export default { name: 'x', ${mark('task')}, create() {} }`,
      /is a task, and a driver is asked for here\.$/,
    ],
    [
      'unknown.js',
      `export default { name: 'x', ${mark('robot')}, create() {} }`,
      /declares the unknown kind "robot"; there are driver, task/,
    ],
    [
      'newer.js',
      `export default { name: 'x', ${mark('driver', 3)}, create() {} }`,
      /version 3 of the contract for drivers/,
    ],
    [
      'undated.js',
      "export default { name: 'x', rein: { kind: 'driver' }, create() {} }",
      /^The plugin .*undated\.js gives no contract: write "contract": 2 beside its kind\.$/,
    ],
    ['nameless.js', `export default { ${mark('driver')}, create() {} }`, /has no name\.$/],
    ['bare.js', `export default { name: 'x', ${mark('driver')} }`, /has no function called create\.$/],
    [
      'options.js',
      `export default { name: 'x', ${mark('driver')}, create() {}, options: 3 }`,
      /has no function called parse\.$/,
    ],
  ])('or refused in one sentence: %s', (file, text, message) => {
    if (text !== undefined) put(file, text);
    expect(() => load(file)).toThrow(
      expect.objectContaining({ name: 'ReinError', kind: 'config', message: expect.stringMatching(message) }),
    );
  });
});

describe("a plugin's options", () => {
  const plugin = (parse: (value: unknown) => unknown) => markPlugin('driver', { name: 'arm', options: { parse } });

  it('are what its own check makes of them, of nothing too', () => {
    expect(
      pluginOptions(
        plugin((value) => ({ baud: 1, ...(value as object) })),
        undefined,
        'arm.js',
      ),
    ).toEqual({ baud: 1 });
    expect(pluginOptions(markPlugin('driver', { name: 'arm' }), 3, 'arm.js')).toBe(3);
  });

  it.each([
    [
      { issues: [{ path: ['port'], message: 'expected string' }, { message: 'too few' }] },
      'port: expected string; too few',
    ],
    [new Error('no port\nhere'), 'no port'],
    ['no port', 'no port'],
  ])('or refused with what it says', (thrown, said) => {
    const check = plugin(() => {
      throw thrown;
    });
    expect(() => pluginOptions(check, {}, '/mine/arm.js')).toThrow(
      expect.objectContaining({
        message: `The options of arm are wrong: ${said}.`,
        remedy: 'Correct `options` in the YAML file that names the module /mine/arm.js.',
      }),
    );
  });
});

function pack(name: string, json: object, module: string): void {
  put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...json }));
  put(`node_modules/${name}/${module}`, '');
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
