/** `scripts/build.js` on a small house of its own: what it writes, leaves alone, removes and refuses. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let house: string;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), 'rein-build-'));
  for (const path of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json']) {
    cpSync(join(root, path), join(house, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  put('src/core/a.ts', "import { b } from './b.ts';\nexport const a: number = b;\n");
  put('src/core/b.ts', 'export const b: number = 1;\n');
  put('src/core/a.test.ts', 'not compiled');
  put('src/scene/arm.xml', '<mujoco/>');
  put('src/monitor/app/tsconfig.json', '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "preact" } }');
  put('src/monitor/app/index.html', '<main></main>');
  put('src/monitor/app/main.css', 'main {\n  color: red;\n}\n');
  for (const name of ['main', 'charts']) {
    put(`src/monitor/app/${name}.tsx`, "import './main.css';\nimport { a } from '../../core/a.ts';\nconsole.log(a);\n");
  }
  put('src/monitor/app/recordings.tsx', 'console.log(1);\n');
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

it('says at once that it compiles, points imports at the outputs, copies the rest and leaves tests out', () => {
  expect(build()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^compiling 9 files once, .* built in \d+\.\d s\n$/),
  });
  expect(readFileSync(at('dist/core/a.js'), 'utf8')).toContain('"./b.js"');
  expect(readFileSync(at('dist/scene/arm.xml'), 'utf8')).toBe('<mujoco/>');
  expect(existsSync(at('dist/core/a.test.js'))).toBe(false);
});

it('bundles the pages: each a script that imports nothing and a style sheet; the live one has a frame, those of files lie apart', () => {
  build();
  expect(readdirSync(at('dist/monitor/app')).sort()).toEqual(['index.html', 'main.css', 'main.js']);
  expect(readdirSync(at('dist/monitor/page')).sort()).toEqual(['charts.css', 'charts.js', 'recordings.js']);
  expect(readFileSync(at('dist/monitor/app/main.js'), 'utf8')).not.toContain('import');
  expect(readFileSync(at('dist/monitor/app/main.css'), 'utf8')).toContain('main{color:red}');
});

it('points every form of a relative import at the output, and nothing else', () => {
  put(
    'src/core/a.ts',
    [
      "import { b } from './b.ts';",
      "import { type Only } from './b.ts';",
      "import './b.ts';",
      'import {',
      ...['one', 'two', 'three', 'four', 'five'].map((word) => `  b as averageLongNameOf${word},`),
      "} from '../core/b.ts';",
      "export * from './b.ts';",
      "export * as all from './b.ts';",
      "export { b as c } from './b.ts';",
      "import type { Only as Gone } from './gone.ts';",
      "export const later = async (): Promise<unknown> => import('./b.ts');",
      'export const text: string = "./b.ts";',
      'export const lines: string = `\nimport { b } from "b.ts";\n`;',
      'export const a: Gone = b + averageLongNameOfone + averageLongNameOftwo + averageLongNameOfthree;',
      'console.log(averageLongNameOffour, averageLongNameOffive);',
    ].join('\n'),
  );
  put('src/core/b.ts', 'export const b: number = 1;\nexport type Only = number;\n');
  expect(build().status).toBe(0);
  const code = readFileSync(at('dist/core/a.js'), 'utf8');
  expect(code.match(/b\.js"/g)).toHaveLength(8);
  expect(code).not.toContain('gone');
  expect(code).toContain('text = "./b.ts"');
  expect(code).toContain('import { b } from "b.ts";');
  const { status, stdout } = spawnSync(process.execPath, [at('dist/core/a.js')], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '1 1\n' });
});

it('compiles packages into folders of their own, which reach what they import of others wherever it lies', () => {
  put('packages/tools/src/deep/tool.ts', "export { a } from '../../../../src/core/a.ts';\nexport const tool = 2;\n");
  put('packages/tools/src/deep/tool.test.ts', 'not compiled');
  put('bench/all.ts', "import { a, tool } from '../packages/tools/src/deep/tool.ts';\nconsole.log(a, tool);\n");
  expect(build().status).toBe(0);
  expect(readdirSync(at('packages/tools/dist/deep')).sort()).toEqual(['tool.js', 'tool.js.map']);
  expect(spawnSync(process.execPath, [at('dist/bench/all.js')], { encoding: 'utf8' }).stdout).toBe('1 2\n');
  expect(build()).toMatchObject({ stdout: '' });
  rmSync(at('packages/tools/src/deep/tool.ts'));
  put('bench/all.ts', '');
  build();
  expect(existsSync(at('packages/tools/dist/deep/tool.js'))).toBe(false);
});

it('writes maps that lead an error to the line of its source', () => {
  put(
    'src/core/fails.ts',
    "interface Unused {\n  readonly a: number;\n}\n\nthrow new Error('here') as Unused & Error;\n",
  );
  expect(build().status).toBe(0);
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', at('dist/core/fails.js')], {
    encoding: 'utf8',
  });
  expect(stderr).toContain(`${at('src/core/fails.ts')}:5`);
});

it('does nothing and says nothing when nothing changed, and repairs what was deleted', () => {
  build();
  const before = readFileSync(at('dist/.stamp.json'), 'utf8');
  expect(build()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(readFileSync(at('dist/.stamp.json'), 'utf8')).toBe(before);
  rmSync(at('dist/core/b.js'));
  expect(build().status).toBe(0);
  expect(existsSync(at('dist/core/b.js'))).toBe(true);
});

it('removes what has no source any more', () => {
  put('src/core/old.ts', 'export const old: number = 1;\n');
  build();
  rmSync(at('src/core/old.ts'));
  rmSync(at('src/scene/arm.xml'));
  build();
  for (const gone of ['dist/core/old.js', 'dist/core/old.js.map', 'dist/scene/arm.xml']) {
    expect(existsSync(at(gone)), gone).toBe(false);
  }
});

it('removes what it did not write, though no source changed', () => {
  build();
  put('dist/core/stray.js', '');
  build();
  expect(existsSync(at('dist/core/stray.js'))).toBe(false);
  expect(build().stdout).toBe('');
});

it('fails with the place of what it cannot read, again and again until it is right', () => {
  put('src/core/b.ts', 'export const b: number = ;\n');
  for (let i = 0; i < 2; i++) {
    const { status, stderr } = build();
    expect(status).toBe(1);
    expect(stderr).toContain('src/core/b.ts:1:25');
  }
  put('src/core/b.ts', 'export const b: number = 1;\n');
  expect(build().status).toBe(0);
});

it('refuses a Node that is too old in one sentence', () => {
  put('package.json', JSON.stringify({ type: 'module', engines: { node: '>=99.1.0' } }));
  const { status, stderr } = build();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Rein needs Node 99\.1\.0 or newer; this is Node [\d.]+\. .*\n$/);
});

function build(): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['scripts/build.js', '--quiet'], { cwd: house, encoding: 'utf8' });
}

function at(path: string): string {
  return join(house, path);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
