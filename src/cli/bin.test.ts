import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-bin-'));
  mkdirSync(join(folder, 'bin'));
  cpSync(join(root, 'bin/rein.js'), join(folder, 'bin/rein.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a copy of `bin/rein.js` that takes the version of Node to be `version`. */
function bin(version: string): { code: number | null; error: string } {
  const pretend = join(folder, 'pretend.cjs');
  writeFileSync(
    pretend,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const run = spawnSync(process.execPath, ['--require', pretend, join(folder, 'bin/rein.js')], { encoding: 'utf8' });
  return { code: run.status, error: run.stderr };
}

function dist(text: string): void {
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  writeFileSync(join(folder, 'dist/cli/main.js'), text);
}

describe('bin/rein.js', () => {
  const needed = /needed = \[(\d+), (\d+), (\d+)\]/
    .exec(readFileSync(join(root, 'bin/rein.js'), 'utf8'))!
    .slice(1)
    .join('.');

  it('asks for the Node that package.json names', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${needed}`);
  });

  it.each(['10.24.1', '18.20.8', '20.19.9', '20.20.1'])('refuses Node %s with one sentence', (version) => {
    const { code, error } = bin(version);
    expect(code).toBe(1);
    expect(error).toBe(`rein: this is Node ${version}; Rein needs Node ${needed} or newer (https://nodejs.org).\n`);
  });

  it('says what to do where nothing is built: in a checkout, and in a package', () => {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    expect(bin(needed)).toEqual({
      code: 1,
      error:
        "rein: this package was made without dist/.\n  Run in Rein's checkout: npm run package. Then install what it writes.\n",
    });
    mkdirSync(join(folder, 'scripts'));
    writeFileSync(join(folder, 'scripts/build.js'), '');
    expect(bin(needed)).toEqual({ code: 1, error: 'rein: it has not been built yet.\n  Run: npm run build\n' });
  });

  it.each([needed, '22.0.0', '24.1.0-nightly'])('runs with Node %s, and ends with the exit code of main', (version) => {
    dist('export const main = async () => 3;');
    expect(bin(version)).toEqual({ code: 3, error: '' });
  });

  it('does not take a missing package for a missing build', () => {
    dist("import 'no-such-package'; export const main = async () => 0;");
    const { code, error } = bin(needed);
    expect(code).toBe(1);
    expect(error).toContain("Cannot find package 'no-such-package'");
  });

  it('uses no syntax that an old Node stumbles over', () => {
    const text = readFileSync(join(root, 'bin/rein.js'), 'utf8').replaceAll(/\/\/.*$/gm, '');
    expect(text).not.toMatch(/\?\.|\?\?|\bawait\b|\basync\b|^\s*import\s+[^(]|#[a-z]|\bcatch\s*\{|\.\.\./m);
  });
});
