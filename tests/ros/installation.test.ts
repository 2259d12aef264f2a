/**
 * A8: where ROS does not fit, the port says so in one sentence and leaves the installation as it is, byte by byte.
 * Importing rclnodejs there would delete its addon and its messages. Needs `dist/`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { findPackage } from '../../src/ros/rclnodejs/probe.ts';
import { describeRos, ROOT, runProgram } from '../support/ros.ts';

const OPEN_A_PORT = `
import { openRosPort } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/ros/rclnodejs/rclnodejs-port.js')).href)};
try {
  await openRosPort({ nodeName: 'x', onFault: console.error });
  console.log('opened');
} catch (error) {
  console.log(error.kind, '|', error.message, '|', error.remedy);
}
process.exit(0);
`;

const IN_A_WORKER = `
import { Worker } from 'node:worker_threads';
new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(OPEN_A_PORT)})));
`;

/** Every file of the package with its name and its bytes. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const path of entries) hash.update(path).update('\0').update(readFileSync(path));
  return hash.digest('hex');
}

/** `undefined` takes a variable away. */
async function open(env: Readonly<Record<string, string | undefined>>, program = OPEN_A_PORT): Promise<string> {
  const given = Object.entries(env).map(([name, value]) => (value === undefined ? ['-u', name] : [`${name}=${value}`]));
  const unset = given.filter((words) => words.length === 2).flat();
  const set = given.filter((words) => words.length === 1).flat();
  const args = [...unset, ...set, process.execPath, '--input-type=module', '-e', program];
  const { stdout, stderr } = await runProgram('env', args, { timeoutMs: 30_000 });
  expect(stderr).toBe('');
  return stdout.trim();
}

/** A distribution that is not sourced here. */
const OTHER = process.env['ROS_DISTRO'] === 'jazzy' ? 'humble' : 'jazzy';

const NOTHING = { AMENT_PREFIX_PATH: undefined, ROS_DISTRO: undefined, LD_LIBRARY_PATH: undefined };

describeRos('an installation where ROS does not fit', () => {
  it('is told in one sentence, and stays as it is', async () => {
    const folder = findPackage() ?? '';
    const before = fingerprint(folder);
    expect(await open(NOTHING)).toBe(
      'environment | no ROS 2 is sourced in this shell | source /opt/ros/<distribution>/setup.bash',
    );
    const sourced = process.env['ROS_DISTRO'];
    expect(await open({ ROS_DISTRO: OTHER })).toBe(
      `environment | the native addon of rclnodejs is built for ROS 2 ${sourced}, sourced is ${OTHER} | run npm run ros:install`,
    );
    expect(await open({ LD_LIBRARY_PATH: undefined })).toMatch(
      /^environment \| \S+ is not in LD_LIBRARY_PATH \| source /,
    );
    expect(await open({ AMENT_PREFIX_PATH: '/nowhere' })).toContain('holds lib/librcl');
    expect(await open({ RCLNODEJS_FORCE_BUILD: '1' })).toContain('unset RCLNODEJS_FORCE_BUILD');
    expect(await open({}, IN_A_WORKER)).toContain('works on the main thread only');
    expect(fingerprint(folder)).toBe(before);
    expect(await open({})).toBe('opened');
    expect(fingerprint(folder)).toBe(before);
  });
});
