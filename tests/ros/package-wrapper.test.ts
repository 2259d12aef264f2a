/** The wrapper that `ros2 run` and launch files start, in a made-up install: no ROS 2 is needed. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'rein-wrapper-'));
const prefix = join(scratch, 'an install with spaces');
const wrapper = (name: string): string => join(prefix, 'lib', 'rein', name);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Says its arguments and its process, then waits for SIGINT. */
const STAND_IN = `
if (process.argv.includes('wait')) {
  process.on('SIGINT', () => { console.log('braked'); process.exit(7); });
  setInterval(() => {}, 1000);
}
console.log(JSON.stringify({ args: process.argv.slice(2), pid: process.pid }));
`;

beforeAll(() => {
  mkdirSync(join(prefix, 'lib', 'rein'), { recursive: true });
  mkdirSync(join(prefix, 'share', 'rein', 'dist', 'ros'), { recursive: true });
  for (const name of ['node', 'sim', 'rein', 'other']) copyFileSync(join(root, 'ros', 'start.sh'), wrapper(name));
  writeFileSync(join(prefix, 'share', 'rein', 'dist', 'ros', 'node-main.js'), STAND_IN);
});

/** Runs a wrapper with `node` in the place of Node. */
function run(name: string, args: readonly string[] = [], node: string = process.execPath) {
  return spawnSync(wrapper(name), args, { encoding: 'utf8', env: { PATH: process.env['PATH'], REIN_NODE: node } });
}

/** A program that says it is Node of `version`. */
function fakeNode(version: string): string {
  const path = join(scratch, `node-${version}`);
  writeFileSync(path, `#!/bin/sh\necho ${version}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the wrapper', () => {
  it('passes every argument on as it is', () => {
    const args = [
      '--ros-args',
      '-r',
      '__node:=rein',
      '-p',
      'task:=my task',
      '--params-file',
      '/a b',
      '-p',
      'out:="*"',
      '',
    ];
    const { stdout, stderr, status } = run('node', args);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).args).toEqual(args);
    expect(status).toBe(0);
  });

  it('becomes the program, so that signals and the exit code are its own', async () => {
    const child = spawn(wrapper('node'), ['wait'], { env: { PATH: process.env['PATH'], REIN_NODE: process.execPath } });
    let output = '';
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      output += text;
      // Only once it listens: before, the signal would just end it.
      if (output.includes('"pid"') && !output.includes('braked')) child.kill('SIGINT');
    });
    expect(await ended).toBe(7);
    expect(output).toMatch(/braked/);
    expect(JSON.parse(output.split('\n')[0] ?? '').pid).toBe(child.pid);
  });

  it('finds the program beside itself when the program is a link out of the install, as under --symlink-install', () => {
    const elsewhere = join(scratch, 'source');
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, 'sim-main.js'), "console.log('sim of the source tree');");
    const installed = join(prefix, 'share', 'rein', 'packages', 'emulate', 'dist', 'ros');
    mkdirSync(installed, { recursive: true });
    symlinkSync(join(elsewhere, 'sim-main.js'), join(installed, 'sim-main.js'));
    expect(run('sim').stdout).toBe('sim of the source tree\n');
    // The wrapper itself as a link, too: resolving it would lead to ros/start.sh of the source tree.
    rmSync(wrapper('sim'));
    symlinkSync(join(root, 'ros', 'start.sh'), wrapper('sim'));
    expect(run('sim').stdout).toBe('sim of the source tree\n');
  });

  it('says what is missing', () => {
    expect(run('rein')).toMatchObject({ status: 1, stdout: '' });
    expect(run('rein').stderr).toMatch(
      /^rein rein: .*bin\/rein\.js is missing\. Run npm ci, npm run build and colcon build .*\n$/,
    );
    expect(run('other').stderr).toBe('rein other: there is no part of this name: node, sim and rein are there.\n');
  });

  it('says that Node is missing, or too old, or no Node', () => {
    expect(run('node', [], '/nowhere/node').stderr).toMatch(
      /^rein node: Node\.js was not found as '\/nowhere\/node'\. Install .*\n$/,
    );
    expect(run('node', [], fakeNode('v20.20.1')).stderr).toMatch(
      /^rein node: this is Node 20\.20\.1; Rein needs Node 20\.20\.2 or newer .*\n$/,
    );
    expect(run('node', [], fakeNode('hello')).stderr).toMatch(/^rein node: .* says 'hello', which is no version .*\n$/);
    expect(run('node', [], '/nowhere/node').status).toBe(1);
  });

  const versions: [string, boolean][] = [
    ['v12.22.9', false],
    ['v18.19.1', false],
    ['v20.9.0', false],
    ['v20.19.99', false],
    ['v20.20.2', true],
    ['v20.21.0', true],
    ['v22.0.0', true],
    ['v100.1.0', true],
    ['v24.0.0-nightly20250101', true],
  ];
  it.each(versions)('takes Node %s: %s', (version, isTaken) => {
    const { stdout, status } = run('node', [], fakeNode(version));
    // The made-up Node answers its version to whatever it is asked to run.
    expect([stdout.trim(), status]).toEqual(isTaken ? [version, 0] : ['', 1]);
  });
});
