/** Where no ROS 2 is: everything else installs and runs, the ROS programs say what is missing, and nothing is spoilt. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const NODE = 'dist/ros/node-main.js';
const SIM = 'packages/emulate/dist/ros/sim-main.js';
const binding = join(root, 'node_modules', 'rclnodejs');

/** This environment without anything that a ROS set-up file puts there. */
function withoutRos(): NodeJS.ProcessEnv {
  const names = /^(AMENT_|ROS_|RMW_|COLCON_|CYCLONEDDS_|PYTHONPATH$|LD_LIBRARY_PATH$|CMAKE_PREFIX_PATH$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)));
}

/** Every file of a folder with its size and time of change. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = statSync(path);
      return `${path} ${size} ${mtimeMs}`;
    })
    .sort();
}

describe('without ROS 2', () => {
  it.each([NODE, SIM])('%s ends with one sentence and what to do', (program) => {
    const main = join(root, program);
    const { status, stdout, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8', env: withoutRos() });
    expect(stdout + stderr).toMatch(/no ROS 2 is sourced/);
    expect(stdout + stderr).toMatch(/source \/opt\/ros\/<distribution>\/setup\.bash/);
    expect(stdout + stderr).not.toMatch(/\n\s+at /);
    expect(status).toBe(1);
  });

  it.skipIf(!existsSync(binding))('starting a ROS program leaves the installed rclnodejs as it is', () => {
    const before = filesOf(binding);
    spawnSync(process.execPath, [join(root, SIM)], { env: withoutRos() });
    expect(filesOf(binding)).toEqual(before);
  });

  it('rclnodejs and all that only it needs are optional: npm ci goes on when they cannot be built', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { optional?: boolean; dependencies?: Record<string, string> }>;
    };
    const manifest = lock.packages[''] as Record<string, Record<string, string>>;
    expect(Object.keys(manifest['optionalDependencies'] ?? {})).toContain('rclnodejs');
    for (const kind of ['dependencies', 'devDependencies']) {
      expect(Object.keys(manifest[kind] ?? {})).not.toContain('rclnodejs');
    }
    expect(lock.packages['node_modules/rclnodejs']?.optional).toBe(true);
  });

  it('the command line runs', () => {
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'bin', 'rein.js'), 'doctor'], {
      encoding: 'utf8',
      env: withoutRos(),
    });
    expect(stdout).toMatch(/^ok +ros .*no ROS 2 is sourced/m);
    expect(status).toBe(0);
  });
});
