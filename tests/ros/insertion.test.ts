/**
 * The main job behind ROS topics: nothing connects the node and the simulated arm but what plain ROS controllers have. The
 * whole of it, from zero to 200 evaluated episodes, is `npm run ros:insertion`, which takes a quarter of an hour; here the
 * scripted hand has to get the peg in, and the programs have to find each other.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { rosEnvironment } from '../../src/ros/index.ts';
import { describeRos, noRosBecause, ROOT, RosProcess, ros2 } from '../support/ros.ts';
import { until } from '../support/until.ts';

const CLI_MS = 30_000;
const noInterfaces =
  noRosBecause === undefined ? rosEnvironment(['rein', 'controller_manager_msgs']).problem : undefined;
const scratch = mkdtempSync(join(tmpdir(), 'rein-insertion-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const programs: RosProcess[] = [];

function start(script: string, ...args: readonly string[]): RosProcess {
  const program = new RosProcess(process.execPath, [join(ROOT, script), ...args]);
  programs.push(program);
  return program;
}

async function startSim(...parameters: readonly string[]): Promise<RosProcess> {
  const given = parameters.flatMap((parameter) => ['-p', parameter]);
  const sim = start('packages/emulate/dist/ros/sim-main.js', ...(given.length === 0 ? [] : ['--ros-args', ...given]));
  await sim.printed(/Ctrl\+C ends it/);
  return sim;
}

async function cli(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await ros2(args, { timeoutMs: CLI_MS });
  return stdout + stderr;
}

/** The YAML list `key` of what `ros2 topic echo` printed. */
function listOf(text: string, key: string): string[] {
  const block = new RegExp(`^${key}:\\n((?:- .*\\n)+)`, 'm').exec(text)?.[1] ?? '';
  return block
    .trim()
    .split('\n')
    .map((line) => line.slice(2));
}

describeRos('a simulated arm behind ROS topics', () => {
  describe.skipIf(noInterfaces !== undefined)(noInterfaces?.message ?? 'with the interfaces of rein', () => {
    afterEach(async () => {
      for (const program of programs.splice(0).reverse()) await program.kill('SIGINT');
    });

    it('is an arm like others to the ros2 command, and ends in order', { timeout: 120_000 }, async () => {
      const sim = await startSim();
      const state = await cli('topic', 'echo', '--once', '/joint_states');
      expect(listOf(state, 'name')).toEqual([
        'elbow',
        'shoulder_lift',
        'shoulder_pan',
        'wrist_1',
        'wrist_2',
        'wrist_3',
      ]);
      expect(Number(listOf(state, 'position')[0])).toBeCloseTo(Math.PI / 2, 2);
      const controllers = await cli(
        'service',
        'call',
        '/controller_manager/list_controllers',
        'controller_manager_msgs/srv/ListControllers',
      );
      expect(controllers).toContain("name='forward_position_controller', state='active'");
      expect(controllers).toContain("name='joint_trajectory_controller', state='inactive'");
      const reset = await cli(
        'service',
        'call',
        '/reset_scene',
        'rein/srv/ResetScene',
        '{joints_rad: [3.0, -1.5, 1.5, -1.5, -1.5, 0.1], objects: [hole], poses: [0.49, 0.13, 0.15, 0.0]}',
      );
      expect(reset).toContain('success=True');
      const moved = await cli('topic', 'echo', '--once', '/joint_states');
      expect(Number(listOf(moved, 'position')[5])).toBeCloseTo(0.1, 2);
      expect(await cli('param', 'describe', '/rein_sim', 'shuffle_names')).toContain('alphabetical order');
      const startedMs = performance.now();
      const { code } = await sim.kill('SIGINT');
      expect(code).toBe(0);
      expect(performance.now() - startedMs).toBeLessThan(3000);
    });

    it('lets the peg be inserted by the scripted hand, through node, guard and topics', {
      timeout: 240_000,
    }, async () => {
      await startSim('robot:=arm6-ros');
      const learner = start(
        'bin/rein.js',
        'learn',
        '--task',
        'insert',
        '--bind',
        'tcp://127.0.0.1:0',
        '--out',
        join(scratch, 'l'),
      );
      const address = (await learner.printed(/--learner (tcp:\S+)/))[1]!;
      const folder = join(scratch, 'robot');
      const parameters = ['robot:=arm6-ros', `learner:=${address}`, 'operator:=scripted', `out:=${folder}`];
      const node = start('dist/ros/node-main.js', '--ros-args', ...parameters.flatMap((given) => ['-p', given]));
      await node.printed(/is ready for insert/, 30_000);
      expect(await cli('lifecycle', 'set', '/rein', 'configure')).toContain('successful');
      expect(await cli('lifecycle', 'set', '/rein', 'activate')).toContain('successful');
      const demonstrations = (): number => {
        const file = join(folder, 'metrics.jsonl');
        if (!existsSync(file)) return 0;
        return readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.includes('"purpose":"demonstration"')).length;
      };
      // On a busy machine the guard may stop the arm for readings that come late: a person would reset, and go on.
      let resumes = 0;
      const goOn = async (): Promise<void> => {
        if (resumes++ > 0) await cli('service', 'call', '/rein/reset', 'std_srvs/srv/Trigger');
        await cli('service', 'call', '/rein/resume', 'std_srvs/srv/Trigger');
      };
      await goOn();
      const endMs = performance.now() + 150_000;
      while (demonstrations() < 3 && performance.now() < endMs) {
        await until(() => demonstrations() >= 3 || undefined, 'three demonstrations', 30_000).catch(goOn);
      }
      expect(demonstrations()).toBeGreaterThanOrEqual(3);
      const safety = await cli('topic', 'echo', '--once', '--qos-durability', 'transient_local', '/rein/safety_state');
      expect(safety).toMatch(/^violations: 0$/m);
      expect((await node.kill('SIGINT')).code).toBe(0);
    });
  });
});
