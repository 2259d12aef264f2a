/** `colcon build` of the whole package, both ways, in a workspace of its own: what is installed starts. Takes minutes. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRos, type Ended, ROOT, runProgram } from '../support/ros.ts';

const hasColcon = spawnSync('colcon', ['--help']).status === 0;
const BUILD_MS = 10 * 60_000;

describeRos('colcon build', () => {
  describe.skipIf(!hasColcon)(hasColcon ? 'of the whole package' : 'colcon is not installed', () => {
    let workspace: string;
    let source: string;

    beforeAll(() => {
      workspace = mkdtempSync(join(tmpdir(), 'rein-colcon-'));
      source = join(workspace, 'src', 'rein');
      mkdirSync(source, { recursive: true });
      const parts = ['action', 'bin', 'config', 'dist', 'docs', 'launch', 'msg', 'packages', 'ros', 'src', 'srv'];
      for (const name of [...parts, 'CMakeLists.txt', 'LICENSE', 'package.json', 'package.xml']) {
        cpSync(join(ROOT, name), join(source, name), { recursive: true, preserveTimestamps: true });
      }
      symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
      touchStamp(Date.now());
    });
    afterAll(() => rmSync(workspace, { recursive: true, force: true }));

    /** Makes dist as old as `timeMs`. */
    function touchStamp(timeMs: number): void {
      const stamp = join(source, 'dist', '.stamp.json');
      writeFileSync(stamp, '{}');
      utimesSync(stamp, timeMs / 1000, timeMs / 1000);
    }

    async function build(...more: readonly string[]): Promise<Ended> {
      const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
        encoding: 'utf8',
      }).stdout.trim();
      const base = ['--build-base', join(workspace, 'build'), '--base-paths', join(workspace, 'src')];
      return runProgram(
        'colcon',
        [
          '--log-base',
          join(workspace, 'log'),
          'build',
          ...base,
          ...more,
          // Machines with several Pythons: the one of this ROS.
          '--cmake-args',
          `-DPython3_EXECUTABLE=${python}`,
          `-DPYTHON_EXECUTABLE=${python}`,
        ],
        { timeoutMs: BUILD_MS },
      );
    }

    /** Runs a command where only `install` is sourced on top of ROS. */
    function within(install: string, command: string): Promise<Ended> {
      return runProgram('bash', ['-c', `. '${install}/local_setup.bash' && ${command}`], { timeoutMs: 60_000 });
    }

    it(
      'refuses a dist that is older than its sources, and says what to run',
      async () => {
        touchStamp(0);
        const { code, stderr, stdout } = await build('--install-base', join(workspace, 'never'));
        expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toMatch(
          /rein: dist is older than (src|packages)\/.* && npm run build/,
        );
        expect(code).not.toBe(0);
        rmSync(join(source, 'dist', '.stamp.json'));
        const unbuilt = await build('--install-base', join(workspace, 'never'));
        expect((unbuilt.stdout + unbuilt.stderr).replaceAll(/\s+/g, ' ')).toMatch(/it is not compiled.*npm run build/);
        touchStamp(Date.now());
      },
      BUILD_MS,
    );

    it(
      'installs copies that start',
      async () => {
        const install = join(workspace, 'install');
        const { code, stdout, stderr } = await build('--install-base', install);
        expect(code, stdout + stderr).toBe(0);
        const share = join(install, 'rein', 'share', 'rein');
        expect(lstatSync(join(share, 'dist')).isSymbolicLink()).toBe(false);
        expect(lstatSync(join(share, 'dist', 'cli', 'main.js')).isFile()).toBe(true);
        const prefix = await within(install, 'ros2 pkg prefix rein && ros2 run rein rein --version');
        const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
        expect(prefix.stdout).toBe(`${join(install, 'rein')}\n${version}\n`);
        const { stdout: offered } = await within(install, 'ros2 interface list');
        for (const folder of ['msg', 'srv', 'action']) {
          for (const file of readdirSync(join(ROOT, folder))) {
            expect(offered).toContain(`rein/${folder}/${file.replace(/\.\w+$/, '')}\n`);
          }
        }
      },
      BUILD_MS,
    );

    it(
      'installs links that start, with --symlink-install',
      async () => {
        const install = join(workspace, 'links');
        // Whoever changes from one way to the other clears build/: ament cannot. What is compiled stays good, though.
        rmSync(join(workspace, 'build', 'rein', 'ament_cmake_python'), { recursive: true });
        const { code, stdout, stderr } = await build('--install-base', install, '--symlink-install');
        expect(code, stdout + stderr).toBe(0);
        const share = join(install, 'rein', 'share', 'rein');
        for (const name of ['dist', 'config', 'node_modules']) {
          expect(lstatSync(join(share, name)).isSymbolicLink(), name).toBe(true);
        }
        const run = await within(install, 'ros2 run rein rein doctor && ros2 launch rein robot.launch.py --show-args');
        expect(run.stdout).toMatch(/ok +configuration/);
        expect(run.stdout).toContain("'autostart':");
      },
      BUILD_MS,
    );
  });
});
