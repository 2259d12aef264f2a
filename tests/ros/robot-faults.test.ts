/**
 * Faults of a robot behind ROS as its people see them, on the node's own topics: rows 14, 22 and 33, with clients of rclpy.
 * Joint states cannot fail to fit: whoever reads them takes best effort and volatile. Commands can.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { describeRos, ROOT, RosProcess, runProgram } from '../support/ros.ts';

const START_MS = 60_000;
const PLAY_MS = 150_000;
const ROBOT = [{ option: 'robot', path: ['task', 'robot'] as const, value: 'arm6-ros' }];
/** Slow enough for a machine that does other things. */
const OVERLAY = 'robot:\n  driver: { freshnessMs: 200 }\n';

describeRos('faults of a robot behind ROS', () => {
  let folder: string;
  const programs: RosProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rein-faults-'));
    writeFileSync(join(folder, 'overlay.yaml'), OVERLAY);
    const setup = createSetup(resolveConfig({ task: 'insert', seed: 0, overrides: ROBOT }));
    await savePolicy(join(folder, 'policy'), { setup, robot: 'arm6-ros', valueAt: () => 0.05 });
  });

  afterAll(async () => {
    await Promise.all(programs.map((program) => program.kill('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'are told: a clock that goes back (22), a controller that refuses in motion (14), QoS that its controller does not fit (33)',
    async () => {
      const sim = start('packages/emulate/dist/ros/sim-main.js', 'controller:=position', 'publish_clock:=true');
      await sim.printed(/as \/rein_sim/, START_MS);
      const node = start(
        'dist/ros/node-main.js',
        'task:=insert',
        'robot:=arm6-ros',
        'use_sim_time:=true',
        `config:=${join(folder, 'overlay.yaml')}`,
        `policy:=${join(folder, 'policy')}`,
        `out:=${join(folder, 'a')}`,
      );
      await node.printed(/is ready for insert/, START_MS);
      const lines = await broken(node);
      const said = (row: number): string =>
        lines
          .filter((line) => line.row === row)
          .map(({ message }) => message)
          .join('\n');
      expect(said(22)).toMatch(/back.*truncated/);
      expect(said(14)).toContain('commanded to move');
      expect(said(33)).toContain('/forward_position_controller/commands');
      expect(lines.find(({ what }) => what === 'refused')?.state).toBe('fault');
      const parts = lines.filter(({ what }) => what !== undefined).map((line) => [line.what, line.parts]);
      expect(parts).toEqual([
        ['jumped', ['rein: ROS']],
        ['refused', ['rein: robot driver']],
        ['latched', ['rein: ROS']],
      ]);
    },
    2 * START_MS + PLAY_MS,
  );

  function start(program: string, ...parameters: readonly string[]): RosProcess {
    const args = parameters.flatMap((each) => ['-p', each]);
    const made = new RosProcess(process.execPath, [join(ROOT, program), '--ros-args', ...args]);
    programs.push(made);
    return made;
  }

  async function broken(node: RosProcess): Promise<readonly Line[]> {
    const script = join(ROOT, 'tests', 'support', 'ros_faults.py');
    const python = process.env['REIN_PYTHON'] || 'python3';
    const { code, stdout, stderr } = await runProgram(python, [script], { timeoutMs: PLAY_MS });
    expect({ code, stderr }, `${stdout}\n${node.output}`).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  }
});

interface Line {
  readonly what?: string;
  readonly row?: number;
  readonly message?: string;
  readonly state?: string;
  readonly parts?: readonly string[];
}
