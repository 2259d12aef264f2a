/** The node as people start it, seen by independent clients: `ros2` and rclpy. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { type LearnerServer, startLearnerServer } from '../../src/link/index.ts';
import { rosEnvironment } from '../../src/ros/index.ts';
import { stateName } from '../../src/rows/telemetry.ts';
import { StreamWatcher } from '../support/browser.ts';
import { type Motion, motionIn } from '../support/live-run.ts';
import { describeRos, noRosBecause, ROOT, RosProcess, rclpy, ros2 } from '../support/ros.ts';

const CLI_MS = 20_000;
const TOKEN = 'an-operators-token-123456';
const MAIN = join(ROOT, 'dist', 'ros', 'node-main.js');

let folder: string;
const running = new Set<RosProcess>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rein-node-'));
  await savePolicy(join(folder, 'policy'));
});

afterAll(async () => {
  await Promise.all([...running].map((program) => program.kill('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a node whose run folder is `name`. */
function start(name: string, ...more: readonly string[]): RosProcess {
  const args = ['--ros-args', '-p', `policy:=${join(folder, 'policy')}`, '-p', `out:=${join(folder, name)}`, ...more];
  const program = new RosProcess(process.execPath, [MAIN, ...args]);
  running.add(program);
  return program;
}

async function started(name: string, ...more: readonly string[]): Promise<RosProcess> {
  const program = start(name, ...more);
  await program.printed(/is ready for insert/, 30_000);
  return program;
}

/** What the `ros2` command printed. */
async function cli(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await ros2(args, { timeoutMs: CLI_MS });
  return stdout + stderr;
}

/** Prints `ticks messages` of the first ticks that the diagnostics count, `argv[1]` or more, by the stamps of both topics. */
const PER_TICK = `
import sys
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

rclpy.init()
node = rclpy.create_node('per_tick')
joints, ticks = [], []
def stamp(header): return header.stamp.sec * 10**9 + header.stamp.nanosec
def count(message):
    for status in message.status:
        if status.name == 'rein: guard': ticks.append((stamp(message.header), int({v.key: v.value for v in status.values}['ticks'])))
node.create_subscription(JointState, '/joint_states', lambda message: joints.append(stamp(message.header)), QoSProfile(depth=2000))
node.create_subscription(DiagnosticArray, '/diagnostics', count, QoSProfile(depth=100))
def between():
    # The listener has heard the joints from before the first diagnostic to after the last.
    inside = [one for one in ticks if joints and joints[0] < one[0] < joints[-1]]
    return (inside[0], inside[-1]) if len(inside) > 1 else ((0, 0), (0, 0))
while between()[1][1] - between()[0][1] < int(sys.argv[1]):
    rclpy.spin_once(node)
(begin, first), (end, last) = between()
print(last - first, sum(begin < one <= end for one in joints))
`;

import { savePolicy } from '../../bench/policy/steady-policy.ts';

/** Joint states that a listener heard for each tick that the guard counted meanwhile: the time that ticks took does not count. */
async function jointStatesPerTick(ticks: number): Promise<number> {
  const { stdout, stderr } = await rclpy(PER_TICK, [String(ticks)], { timeoutMs: 60_000 });
  const [counted, heard] = stdout.trim().split(' ').map(Number);
  if (counted === undefined || heard === undefined) throw new Error(`nothing was counted: ${stderr}`);
  return heard / counted;
}

const trigger = (name: string): Promise<string> => cli('service', 'call', `/rein/${name}`, 'std_srvs/srv/Trigger');

/** The process below `parent` whose command line holds `part`. */
function childOf(parent: RosProcess, part: string): number {
  const { pid } = parent.child;
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const found = pids.find((candidate) => readFileSync(`/proc/${candidate}/cmdline`, 'utf8').includes(part));
  if (found === undefined) throw new Error(`no child of ${pid} is ${part}`);
  return found;
}

/** States of the guard as its log in the run folder `name` has them. */
function motion(name: string): Motion[] {
  return motionIn(join(folder, name, 'guard.log'));
}

/** Entries of the guard's log up to the last scene that went well. */
let judged = 0;

/**
 * Plays a scene of the first node, and again where the guard's log has it that the machine held the guard up since the last one:
 * that stops the robot, rightly (row 24), and a person would reset it and go on. Any other failure stands.
 */
async function unlessHeldUp(play: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await play();
      judged = motion('robot').length;
      return;
    } catch (error) {
      const isHeldUp = motion('robot')
        .slice(judged)
        .some(({ why }) => why?.includes('control periods passed without a tick'));
      if (!isHeldUp || tries === 3) throw error;
      await trigger('reset');
    }
  }
}

const resumes = (): Promise<void> =>
  unlessHeldUp(async () => expect(await trigger('resume')).toContain('success=True'));

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (condition()) return;
    await delay(20);
  }
  throw new Error(`${what} did not happen within 20 s`);
}

/** Why nodes cannot be started, beyond what every ROS test needs. */
const noNodeBecause = noRosBecause ?? rosEnvironment(['rein']).problem?.message;

describeRos('the node, from start to end', () => {
  describe.skipIf(noNodeBecause !== undefined)(noNodeBecause ?? 'with its own interfaces', { timeout: 120_000 }, () => {
    let node: RosProcess;
    /** What the end of a node at rest took, ms. */
    let atRestMs = Number.NaN;

    beforeAll(async () => {
      const token = join(folder, 'token');
      writeFileSync(token, TOKEN);
      node = await started('robot', '-p', `monitor_token:=${token}`);
    }, 60_000);

    it('is configured and activated by the lifecycle, and nothing moves', async () => {
      expect(await cli('lifecycle', 'get', '/rein')).toContain('unconfigured');
      expect(await trigger('start_episode')).toContain('inactive and may not move');
      expect(await cli('lifecycle', 'set', '/rein', 'configure')).toContain('Transitioning successful');
      expect(await cli('lifecycle', 'set', '/rein', 'activate')).toContain('Transitioning successful');
      const state = await cli('topic', 'echo', '--once', '/rein/state');
      expect(state).toContain('mode: idle');
      expect(state).toContain('authority: hold');
      expect(motion('robot').map((entry) => entry.state)).not.toContain('active.policy');
    });

    it('publishes joints at every tick of the guard', async () => {
      const perTick = await jointStatesPerTick(300);
      expect(perTick).toBeGreaterThan(0.98);
      expect(perTick).toBeLessThan(1.02);
      const joints = await cli('topic', 'echo', '--once', '/joint_states');
      for (const name of ['shoulder_pan', 'wrist_3']) expect(joints).toContain(name);
    });

    it('tells late listeners the safety state, and everybody how its parts are', async () => {
      const latched = ['--qos-durability', 'transient_local', '--qos-reliability', 'reliable'];
      const safety = await cli('topic', 'echo', '--once', ...latched, '/rein/safety_state');
      expect(safety).toMatch(/state: (standby|ready)/);
      expect(safety).toContain('fault_flags: 0');
      const diagnostics = await cli('topic', 'echo', '--once', '/diagnostics');
      for (const part of ['guard', 'robot driver', 'policy', 'learner link', 'teleop', 'ROS']) {
        expect(diagnostics).toContain(`rein: ${part}`);
      }
      expect(diagnostics).toContain('hardware_id: robot1');
    });

    it('runs an episode as an action, with feedback for each step', async () => {
      const goal = '{purpose: evaluation, max_steps: 5}';
      const said = await cli('action', 'send_goal', '--feedback', '/rein/run_episode', 'rein/action/RunEpisode', goal);
      expect(said).toContain('Goal finished with status: SUCCEEDED');
      expect(said).toContain('ended_by: time limit');
      expect(said.match(/authority: policy/g)?.length).toBeGreaterThan(2);
      const strange = '{purpose: dancing, max_steps: 5}';
      expect(await cli('action', 'send_goal', '/rein/run_episode', 'rein/action/RunEpisode', strange)).toContain(
        'rejected',
      );
      await node.printed(/purpose is "dancing", it must be training or evaluation/);
      await delay(200);
      expect(node.output.match(/purpose is "dancing"/g)).toHaveLength(1);
    });

    it('serves a page for browsers, whose person lets it move and stops it', async () => {
      await unlessHeldUp(async () => {
        const page = new StreamWatcher(/monitor: (http\S+)/.exec(node.output)![1]!, { token: TOKEN });
        const state = (): string => (page.frame === undefined ? '' : stateName(page.frame));
        await until(() => page.all('operators').length > 0 && state() !== '', 'the stream');
        for (const kind of ['sit', 'start']) page.ask({ kind });
        await until(() => state() === 'active.policy', 'motion');
        page.ask({ kind: 'stop' });
        await until(() => state() === 'stopped', 'the stop');
        expect(await trigger('resume')).toContain('success=False');
        // The seat of a page that says nothing is free after a second.
        for (const kind of ['sit', 'reset']) page.ask({ kind });
        await until(() => state() === 'ready', 'the reset');
        page.close();
      });
    });

    it('starts, stops, stays, and is reset by services', async () => {
      await unlessHeldUp(async () => {
        expect(await trigger('resume')).toContain('success=True');
        expect(await cli('topic', 'echo', '--once', '/rein/state')).toContain('mode: running');
        expect(await trigger('start_episode')).toContain('The robot is running already');
        expect(await trigger('stop')).toContain('success=True');
        await until(() => motion('robot').at(-1)?.state === 'stopped', 'the stop');
        expect(await trigger('resume')).toContain('The robot was stopped. Reset, then go on.');
        expect(await trigger('reset')).toContain('may move again');
        expect(await cli('topic', 'echo', '--once', '/rein/state')).toContain('mode: idle');
      });
    });

    it('answers marks, and saves its policy', async () => {
      const mark = await cli('service', 'call', '/rein/mark', 'rein/srv/Mark', '{mark: 0, note: good}');
      expect(mark).toContain('task insert judges success itself');
      const place = join(folder, 'saved');
      const saved = await cli('service', 'call', '/rein/save_policy', 'rein/srv/SavePolicy', `{path: ${place}}`);
      expect(saved).toContain('version=7');
      expect(existsSync(join(place, 'policy.onnx'))).toBe(true);
      expect(await trigger('rollback_policy')).toContain('There are no earlier weights');
    });

    it('shows the configuration as parameters, with words and ranges, and keeps limits fixed', async () => {
      expect(await cli('param', 'get', '/rein', 'settings.task.maxSteps')).toContain('Integer value is: 80');
      const described = await cli('param', 'describe', '/rein', 'settings.robot.limitMarginRad');
      expect(described).toContain('Distance kept from every position limit');
      expect(await cli('param', 'set', '/rein', 'settings.robot.limitMarginRad', '0.5')).toMatch(
        /failed|fixed|read-only/i,
      );
      expect(await cli('param', 'set', '/rein', 'joint_states_rate', '5000.0')).toMatch(/failed|range|must be/i);
      expect(await cli('param', 'set', '/rein', 'joint_states_rate', '20.0')).toContain('successful');
      const perTick = await jointStatesPerTick(300);
      expect(perTick).toBeGreaterThan(0.98 * (20 / 100));
      expect(perTick).toBeLessThan(1.02 * (20 / 100));
    });

    it('keeps a second node of its name from being configured, which is row 29', async () => {
      const second = await started('second');
      await delay(1000);
      const states = await cli('lifecycle', 'set', '/rein', 'configure');
      expect(states).not.toContain('Traceback');
      await second.printed(/Another node is called \/rein/, 5000).catch(async () => {
        // The first one may have answered: it is active, and refuses the transition.
        for (let i = 0; i < 5 && !second.output.includes('Another node'); i++) {
          await cli('lifecycle', 'set', '/rein', 'configure');
        }
      });
      expect(second.output).toContain('Another node is called /rein: this one does not begin.');
      const beganMs = performance.now();
      await second.kill('SIGINT');
      atRestMs = performance.now() - beganMs;
    });

    it('brakes when its ROS process is killed, and comes back configured and inactive', async () => {
      await resumes();
      process.kill(childOf(node, 'node-process.js'), 'SIGKILL');
      await node.printed(/the guard brakes the robot and holds it/);
      await until(() => motion('robot').at(-1)?.state === 'stopped', 'the stop');
      await node.printed(/comes up inactive[\s\S]*is ready for insert/, 30_000);
      await until(() => existsSync(`/proc/${childOf(node, 'node-process.js')}`), 'the next node');
      await delay(1000);
      expect(await cli('lifecycle', 'get', '/rein')).toContain('inactive');
      expect(await trigger('resume')).toContain('inactive and may not move');
      expect(await cli('lifecycle', 'set', '/rein', 'activate')).toContain('Transitioning successful');
      expect(await trigger('resume')).toContain('The robot was stopped. Reset, then go on.');
      expect(await trigger('reset')).toContain('may move again');
    });

    it('ends in order and soon at Ctrl+C, braked, and leaves nothing behind', async () => {
      await resumes();
      const children = [childOf(node, 'node-process.js'), childOf(node, 'guard-process.js')];
      const beganMs = performance.now();
      node.signal('SIGINT');
      const { code } = await node.ended;
      expect(code).toBe(0);
      // Braking is a fifth of a second, the end of a node at rest about half of one.
      expect(performance.now() - beganMs).toBeLessThan(3 * atRestMs);
      for (const pid of children) expect(existsSync(`/proc/${pid}`)).toBe(false);
      expect(motion('robot').at(-1)).toMatchObject({ state: 'stopped', decider: 'hold' });
    });
  });
});

describeRos('a node whose learner comes late', () => {
  describe.skipIf(noNodeBecause !== undefined)(noNodeBecause ?? 'with its own interfaces', { timeout: 120_000 }, () => {
    it('waits for it, joins its run, and stays there without it', async () => {
      const { schemaHash, observationSize, actionSize } = createSetup(resolveConfig({ task: 'insert', seed: 0 }));
      const open = (bind: string): Promise<LearnerServer> =>
        startLearnerServer({
          bind,
          runId: 'run-7',
          schemaHash,
          observationSize,
          actionSize,
          onTransition: () => undefined,
        });
      const first = await open('tcp://127.0.0.1:0');
      const { address } = first;
      await first.close();
      const args = ['--ros-args', '-p', `learner:=${address}`, '-p', `out:=${join(folder, 'late')}`];
      const node = new RosProcess(process.execPath, [MAIN, ...args]);
      running.add(node);
      await node.printed(/Waiting for the learner at/, 30_000);
      expect(await cli('lifecycle', 'set', '/rein', 'configure')).toContain('Transitioning successful');
      expect(await trigger('reset')).toContain(`Waiting for the learner at ${address}`);
      const learner = await open(address);
      await node.printed(/is ready for insert/, 10_000);
      expect(await cli('topic', 'echo', '--once', '/rein/policy')).toContain('run_id: run-7');
      await learner.close();
      process.kill(childOf(node, 'node-process.js'), 'SIGKILL');
      await node.printed(/is ready for insert[\s\S]*is ready for insert/, 30_000);
      expect((await node.kill('SIGINT')).code).toBe(0);
    });
  });
});

describeRos('a node whose processes are killed', () => {
  describe.skipIf(noNodeBecause !== undefined)(noNodeBecause ?? 'with its own interfaces', { timeout: 120_000 }, () => {
    const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);

    it('leaves nothing that could move the robot when its supervisor is killed', async () => {
      const node = await started('orphan', '-r', '__node:=orphan');
      const pids = ['guard-process.js', 'node-process.js'].map((part) => childOf(node, part));
      process.kill(node.child.pid ?? 0, 'SIGKILL');
      await until(() => !pids.some(isThere), 'the end of both');
    });

    it('ends with code 1 and a sentence when its guard is killed', async () => {
      const node = await started('headless', '-r', '__node:=headless');
      const child = childOf(node, 'node-process.js');
      process.kill(childOf(node, 'guard-process.js'), 'SIGKILL');
      expect((await node.ended).code).toBe(1);
      expect(node.stderr).toContain(
        'rein node: The guard ended (signal SIGKILL): nothing can move the robot any more.',
      );
      expect(isThere(child)).toBe(false);
    });
  });
});

describeRos('a node that is started wrong', () => {
  it.each([
    ['an unknown parameter', ['-p', 'taks:=insert'], /there is no parameter "taks"/],
    ['a wrong type', ['-p', 'seed:=many'], /seed is "many", it must be a whole number/],
    [
      'a number out of range',
      ['-p', 'settings.task.maxSteps:=0'],
      /-p settings\.task\.maxSteps: maxSteps is 0, it must be/,
    ],
    ['a task that is not there', ['-p', 'task:=nowhere'], /there is no task called "nowhere"/],
    ['an argument that is not one', ['insert'], /"insert" is not understood/],
  ])('ends with code 1 and one sentence for %s', async (_, args, message) => {
    const given = args[0] === '-p' ? ['--ros-args', ...args] : args;
    const { code, stderr } = await new RosProcess(process.execPath, [MAIN, ...given]).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  });
});
