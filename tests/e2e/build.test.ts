/** `scripts/build.js` on a small house of its own: what it writes, leaves alone, removes and refuses. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let house: string;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), 'rein-build-'));
  for (const path of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(join(root, path), join(house, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  put('src/core/a.ts', "import { b } from './b.ts';\nexport const a: number = b;\n");
  put('src/core/b.ts', 'export const b: number = 1;\n');
  put('src/core/a.test.ts', 'not compiled');
  put('src/scene/arm.xml', '<mujoco/>');
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

it('compiles, points imports at the outputs, copies the rest and leaves tests out', () => {
  expect(build()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^built in \d+\.\d s\n$/) });
  expect(readFileSync(at('dist/core/a.js'), 'utf8')).toContain('"./b.js"');
  expect(readFileSync(at('dist/scene/arm.xml'), 'utf8')).toBe('<mujoco/>');
  expect(existsSync(at('dist/core/a.test.js'))).toBe(false);
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
  for (const gone of ['dist/core/old.js', 'dist/core/old.d.ts', 'dist/core/old.js.map', 'dist/scene/arm.xml']) {
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

it('fails with the place of a wrong type, again and again until it is right', () => {
  put('src/core/b.ts', "export const b: number = 'one';\n");
  for (let i = 0; i < 2; i++) {
    const { status, stderr } = build();
    expect(status).toBe(1);
    expect(stderr).toContain('src/core/b.ts(1,14)');
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
