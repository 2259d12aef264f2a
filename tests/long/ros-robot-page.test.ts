/** The page on a robot behind ROS 2, followed as far as it goes without ROS: each command in its order, on an arm of a UR5e's size. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Simulator } from '../../packages/emulate/src/ros/simulator.ts';
import { createSetup } from '../../src/config/setup.ts';
import {
  COMMAND,
  COMMAND_KIND,
  commandNumbers,
  ROS_MESSAGE,
  type RosAnswer,
  type RosDriverOptions,
} from '../../src/drivers/index.ts';
import { SystemClock } from '../../src/model/index.ts';
import { Bridge } from '../../src/ros/bridge/bridge.ts';
import { JointState } from '../../src/ros/messages/definitions.ts';
import { configOf, nodeRequest } from '../../src/ros/node/settings.ts';
import { SENSOR_QOS } from '../../src/ros/port/qos.ts';
import { reinHere } from '../support/rein-here.ts';
import { MemoryGraph } from '../support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../support/ros-memory/memory-port.ts';
import { until } from '../support/until.ts';
import { UR5E_JOINT_LIMITS, ur5eUrdf } from '../support/ur5e-urdf.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/your-ros-robot.md'), 'utf8');
const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({ language, text: text! }));
const commands = blocks.flatMap(({ language, text }) => (language === 'sh' ? text.trim().split('\n') : []));
const dir = mkdtempSync(join(tmpdir(), 'rein-page-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Arguments of `ros2 launch rein FILE`. */
function launchesOf(file: string): Record<string, string>[] {
  const start = `ros2 launch rein ${file} `;
  return commands
    .filter((command) => command.startsWith(start))
    .map((command) =>
      Object.fromEntries(
        command
          .slice(start.length)
          .split(' ')
          .map((each) => each.split(/:=(.*)/s).slice(0, 2)),
      ),
    );
}

describe('the page on a robot behind ROS 2', () => {
  it('imports and checks the robot with the commands that it gives', async () => {
    writeFileSync(join(dir, 'ur5e.urdf'), ur5eUrdf());
    writeFileSync(join(dir, 'joint_limits.yaml'), UR5E_JOINT_LIMITS);
    const own = commands.filter((command) => command.startsWith('ros2 run rein rein '));
    expect(own).toHaveLength(2);
    for (const command of own) {
      const args = command.slice('ros2 run rein rein '.length).split(' ');
      const quick = args[1] === 'check' ? ['--ticks', '300'] : [];
      expect(await reinHere([...args, ...quick], dir)).toMatchObject({ code: 0 });
    }
    writeFileSync(join(dir, 'my-task.yaml'), blocks.find(({ language }) => language === 'yaml')!.text);
  }, 60_000);

  it('has a file that says what --ros was told, and no exit ramp', () => {
    const text = readFileSync(join(dir, 'ur5e.yaml'), 'utf8');
    expect(text).toContain('interface: position, topic: forward_position_controller/commands');
    expect(text).toContain('deactivate: [scaled_joint_trajectory_controller]');
    expect(text).not.toMatch(/^(holdsWithoutTorque|exitRampS):/m);
  });

  it.each([
    ['of what is no controller', ['--ros', 'a b'], '"a b" is no name of a controller'],
    ['without the controller', ['--ros-rate', '500'], 'need --ros, which is missing'],
  ])('refuses an import %s', async (_what, args, words) => {
    const { code, stderr } = await reinHere(['robot', 'import', 'ur5e.urdf', '--out', 'other.yaml', ...args], dir);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  });

  it('gives arguments that launch files have, and robots and tasks that go together', () => {
    const { stdout } = spawnSync('python3', ['scripts/check-launch.py', '--json'], { cwd: root, encoding: 'utf8' });
    const known = JSON.parse(stdout) as Record<string, { arguments: object; parameters: Record<string, string[]> }>;
    const launches = launchesOf('robot.launch.py');
    expect(launches).toHaveLength(3);
    const { arguments: declared, parameters } = known['robot.launch.py']!;
    for (const given of launches) {
      expect(Object.keys(declared)).toEqual(expect.arrayContaining(Object.keys(given)));
      const config = configIn(
        dir,
        Object.entries(given).filter(([name]) => parameters['node']!.includes(name)),
      );
      expect(config.robot.name).toBe('ur5e');
      expect(config.task.name).toBe(given['task'] === undefined ? 'reach-judged' : 'my-task');
    }
    expect(Object.keys(known['learner.launch.py']!.arguments)).toEqual(
      expect.arrayContaining(Object.keys(launchesOf('learner.launch.py')[0]!)),
    );
  });

  it('rehearses it: the simulated arm is made ready and moves where the bridge sends it', async () => {
    const graph = new MemoryGraph();
    const clock = new SystemClock();
    const ports = memoryPorts(graph);
    const argv = ['--ros-args', '-p', `robot:=${join(dir, 'ur5e.yaml')}`];
    const simPort = await ports({ nodeName: 'rein_sim', argv, onFault: () => undefined });
    const port = await ports({ nodeName: 'rein_bridge', onFault: () => undefined });
    let elbowRad = Number.NaN;
    port.subscribe(JointState, 'joint_states', SENSOR_QOS, ({ name, position }) => {
      elbowRad = position[name.indexOf('elbow_joint')]!;
    });
    const simulator = await Simulator.open({ port: simPort, clock, say: () => undefined });
    expect(simulator.title).toContain('ur5e behind forward_position_controller');
    const config = configIn(dir, [['robot', 'ur5e.yaml']]);
    const options = createSetup(config).driver.options as unknown as RosDriverOptions;
    const answers: RosAnswer[] = [];
    const toGuard = {
      ready: () => undefined,
      state: () => true,
      answer: (_id: number, answer: RosAnswer) => void answers.push(answer),
      notice: () => undefined,
      failed: () => undefined,
      acted: () => undefined,
    };
    const bridge = new Bridge({
      port,
      config: { model: config.robot, options, rosArguments: [], inbox: '' },
      generation: 1,
      toGuard,
      clock,
    });
    simPort.start();
    port.start();
    bridge.start();
    const pace = setInterval(() => simulator.tick(clock.nowS()), simulator.periodS * 1e3);
    try {
      bridge.receive(
        ROS_MESSAGE.request,
        Buffer.from(JSON.stringify({ id: 1, generation: 1, request: { kind: 'prepare' } })),
      );
      expect(await until(() => answers[0], 'an answer')).toEqual({ ok: true });
      const command = new Float64Array(commandNumbers(options));
      command.fill(0.1, COMMAND.scalars);
      let seq = 0;
      const drive = setInterval(() => {
        [command[COMMAND.generation], command[COMMAND.seq], command[COMMAND.kind]] = [1, ++seq, COMMAND_KIND.drive];
        command[COMMAND.issuedAtS] = clock.nowS();
        bridge.receive(ROS_MESSAGE.command, new Uint8Array(command.buffer));
      }, 10);
      await until(() => Math.abs(elbowRad - 0.1) < 0.02, 'the elbow to arrive');
      clearInterval(drive);
    } finally {
      clearInterval(pace);
      bridge.close();
      await simulator.close();
      await port.close();
      await simPort.close();
    }
  }, 60_000);
});

/** What the node is configured as, started in `folder`. */
function configIn(folder: string, given: readonly (readonly [string, string])[]) {
  const home = process.cwd();
  process.chdir(folder);
  try {
    return configOf(nodeRequest(['--ros-args', ...given.flatMap(([name, value]) => ['-p', `${name}:=${value}`])]));
  } finally {
    process.chdir(home);
  }
}
