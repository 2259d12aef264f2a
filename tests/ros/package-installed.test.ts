/** The package as ROS tools see it, where it is built and sourced. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { describeRos, endRosLeftovers, ros2 } from '../support/ros.ts';
import { launch, noPackageBecause } from '../support/ros-launch.ts';

const scratch = mkdtempSync(join(tmpdir(), 'rein-package-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const CLI = { timeoutMs: 30_000 };

/** A package `joy` whose joy_node only says what it was given: the real one needs a joystick. */
function joyStandIn(): string {
  const prefix = join(scratch, 'joy');
  mkdirSync(join(prefix, 'share', 'ament_index', 'resource_index', 'packages'), { recursive: true });
  writeFileSync(join(prefix, 'share', 'ament_index', 'resource_index', 'packages', 'joy'), '');
  mkdirSync(join(prefix, 'lib', 'joy'), { recursive: true });
  const program = join(prefix, 'lib', 'joy', 'joy_node');
  writeFileSync(
    program,
    `#!/usr/bin/env python3
import rclpy
rclpy.init()
node = rclpy.create_node('unnamed', automatically_declare_parameters_from_overrides=True)
for name in sorted(node._parameter_overrides):
    print('PARAMETER', name, repr(node.get_parameter(name).value), flush=True)
print('NODE', node.get_fully_qualified_name(), flush=True)
rclpy.spin(node)
`,
  );
  chmodSync(program, 0o755);
  return prefix;
}

describeRos("Rein's package", () => {
  describe.skipIf(noPackageBecause !== undefined)(noPackageBecause ?? 'as it is installed', () => {
    afterEach(endRosLeftovers);

    it('has three executables, of which each says how it is used', async () => {
      const { stdout } = await ros2(['pkg', 'executables', 'rein'], CLI);
      expect(stdout.trim().split('\n').sort()).toEqual(['rein node', 'rein rein', 'rein sim']);
      for (const executable of ['node', 'sim', 'rein']) {
        const help = await ros2(['run', 'rein', executable, '--help'], CLI);
        expect(help.stdout).toMatch(/Usage|usage|Examples|ros2 run rein/);
        expect(help.code).toBe(0);
      }
    }, 120_000);

    it.each(['robot', 'sim', 'learner', 'teleop'])('shows the arguments of %s.launch.py', async (name) => {
      const { stdout, code } = await ros2(['launch', 'rein', `${name}.launch.py`, '--show-args'], CLI);
      expect(code).toBe(0);
      const shown = [...stdout.matchAll(/^ {4}'(\w+)':\n {8}(\S.*)\n/gm)];
      expect(shown.length).toBeGreaterThan(4);
      expect(stdout).not.toContain('no description given');
    });

    it('shows its interfaces with their comments', async () => {
      const { stdout } = await ros2(['interface', 'show', 'rein/msg/SafetyState'], CLI);
      expect(stdout).toContain('uint32 fault_flags');
      expect(stdout).toContain("# The guard's decision about motion");
      expect((await ros2(['interface', 'show', 'rein/action/RunEpisode'], CLI)).stdout).toContain(
        'float64 episode_return',
      );
    }, 60_000);

    it.each([
      [{ sim: 'maybe' }, /"sim" provided value "maybe" is not valid/],
      [{ seed: 'x' }, /seed must be a whole number, not "x"/],
      [{ task: 'nowhere' }, /nowhere/],
      [{ learner: 'somewhere' }, /tcp:\/\//],
      [{ params_file: '/nowhere/params.yaml' }, /\/nowhere\/params\.yaml/],
    ])(
      'says what is wrong with %j, and ends',
      async (args, message) => {
        const robot = launch('robot.launch.py', { out: join(scratch, 'never'), ...args });
        const { stdout, stderr } = await robot.ended;
        expect(stdout + stderr).toMatch(message);
        expect(stdout + stderr).not.toMatch(/^\S*\s+at .*\.js:\d+/m);
      },
      60_000,
    );

    it('keeps text as text, whatever it looks like', async () => {
      const robot = launch('robot.launch.py', { task: '7', robot_id: '12' });
      expect((await robot.ended).stdout).toMatch(/there is no task called "7"/);
    }, 60_000);

    it('starts joy_node in the namespace of the robot, with what Rein needs of it', async () => {
      const args = { namespace: 'arm1', device: '2', device_name: 'Some Pad', deadzone: '0.1' };
      const teleop = launch('teleop.launch.py', args, joyStandIn());
      await teleop.printed(/NODE \/arm1\/joy_node/);
      const parameters = [...teleop.output.matchAll(/PARAMETER (\w+) (.*)/g)].map(
        ([, name, value]) => `${name} ${value}`,
      );
      expect(parameters).toEqual([
        'autorepeat_rate 50.0',
        'deadzone 0.1',
        'device_id 2',
        "device_name 'Some Pad'",
        'sticky_buttons False',
      ]);
      await teleop.kill();
    }, 60_000);

    it('starts the learner, which ends in order', async () => {
      const learner = launch('learner.launch.py', { bind: 'tcp://127.0.0.1:0', out: join(scratch, 'learner') });
      await learner.printed(/robots connect with/, 30_000);
      learner.signal('SIGINT');
      const { stdout, stderr } = await learner.ended;
      expect(stdout + stderr).not.toMatch(/SIGTERM|SIGKILL/);
    }, 60_000);
  });
});
