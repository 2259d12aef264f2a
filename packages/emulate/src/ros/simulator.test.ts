import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ListControllers, SwitchController } from '../../../../src/ros/messages/controller-manager.ts';
import {
  Clock,
  Float64,
  Float64MultiArray,
  JointState,
  JointTrajectory,
  JointTrajectoryPoint,
  Odometry,
  ResetScene,
  StringMessage,
  Twist,
  WrenchStamped,
} from '../../../../src/ros/messages/definitions.ts';
import type { MessageType } from '../../../../src/ros/messages/message-type.ts';
import { COMMAND_QOS, EVENT_QOS, SENSOR_QOS } from '../../../../src/ros/port/qos.ts';
import type { RosPort, RosPublisher } from '../../../../src/ros/port/ros-port.ts';
import { arm6Setup, jointsAt } from '../../../../tests/support/arm6.ts';
import { FakeClock } from '../../../../tests/support/fake-clock.ts';
import { MemoryGraph } from '../../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../../tests/support/ros-memory/memory-port.ts';
import { Simulator } from './simulator.ts';

const { robot: model } = arm6Setup().config;
const NAMES = model.joints.map((joint) => joint.name);
// Middle of the hole's mouth in this task.
const [X, Y, Z] = [0.49, 0.13, 0.15] as const;

/** A simulator and a client on one graph in memory; time passes by `run`. */
class Bench {
  readonly clock = new FakeClock(1_000_000_000n);
  readonly said: string[] = [];
  readonly port: RosPort;
  readonly simPort: RosPort;
  simulator!: Simulator;
  readonly newest = new Map<string, unknown>();
  readonly counts = new Map<string, number>();

  private constructor(port: RosPort, simPort: RosPort) {
    this.port = port;
    this.simPort = simPort;
  }

  static async open(parameters: Record<string, string | number | boolean> = {}): Promise<Bench> {
    const ports = memoryPorts(new MemoryGraph());
    const argv = ['--ros-args', ...Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}:=${value}`])];
    const onFault = (fault: { message: string }): void => void bench.said.push(`FAULT ${fault.message}`);
    const bench: Bench = new Bench(
      await ports({ nodeName: 'client', onFault }),
      await ports({ nodeName: 'rein_sim', argv, onFault }),
    );
    const { clock, simPort: port } = bench;
    bench.simulator = await Simulator.open({ port, clock, say: (message) => void bench.said.push(message) });
    return bench;
  }

  watch<T>(type: MessageType<T>, topic: string): this {
    this.port.subscribe(type, topic, SENSOR_QOS, (message) => {
      this.newest.set(topic, structuredClone(message));
      this.counts.set(topic, (this.counts.get(topic) ?? 0) + 1);
    });
    return this;
  }

  start(): this {
    this.simPort.start();
    this.port.start();
    return this;
  }

  /** Simulates `ticks` periods; `before` is called ahead of each. */
  async run(ticks: number, before: () => void = () => undefined): Promise<void> {
    for (let i = 0; i < ticks; i++) {
      before();
      await turn();
      this.clock.advanceMs(this.simulator.periodS * 1e3);
      this.simulator.tick(this.clock.nowS());
    }
    await turn();
  }

  get joints(): Record<string, number> {
    const state = this.newest.get('joint_states') as JointState;
    return Object.fromEntries(state.name.map((name, i) => [name, state.position[i]!]));
  }

  count(topic: string): number {
    return this.counts.get(topic) ?? 0;
  }

  async close(): Promise<void> {
    await this.simulator.close();
    await this.simPort.close();
    await this.port.close();
  }
}

let bench: Bench;
afterEach(() => bench?.close());

const HOME = Object.fromEntries(NAMES.map((name, i) => [name, model.homeRad[i]!]));

function command(publisher: RosPublisher<Float64MultiArray>, values: readonly number[]): void {
  const message = Float64MultiArray.create();
  message.data = Float64Array.from(values);
  publisher.publish(message);
}

describe('a simulated arm behind ROS topics', () => {
  it('says where its joints are, with names in an order of its own', async () => {
    bench = (await Bench.open()).watch(JointState, 'joint_states').watch(WrenchStamped, 'wrench').start();
    await bench.run(5);
    const { name } = bench.newest.get('joint_states') as JointState;
    expect(name).toEqual([...NAMES].sort());
    expect(name).not.toEqual(NAMES);
    for (const joint of NAMES) expect(bench.joints[joint]).toBeCloseTo(HOME[joint]!, 3);
    expect(bench.count('joint_states')).toBe(5);
    expect(Math.abs((bench.newest.get('wrench') as WrenchStamped).wrench.force.z)).toBeLessThan(0.05);
    expect(bench.simulator.title).toBe('arm6 behind forward_position_controller, 100 Hz');
  });

  it('may say them in the order of the arm', async () => {
    bench = (await Bench.open({ shuffle_names: false })).watch(JointState, 'joint_states').start();
    await bench.run(2);
    expect((bench.newest.get('joint_states') as JointState).name).toEqual(NAMES);
  });

  it.each(['position', 'velocity', 'effort'] as const)('follows commands of %s', async (kind) => {
    bench = (await Bench.open({ controller: kind })).watch(JointState, 'joint_states');
    const to = bench.port.advertise(Float64MultiArray, `forward_${kind}_controller/commands`, COMMAND_QOS);
    bench.start();
    const last = { position: model.homeRad[5]! + 0.1, velocity: 0.2, effort: 1 }[kind];
    const rest = kind === 'position' ? model.homeRad.slice(0, 5) : [0, 0, 0, 0, 0];
    await bench.run(50, () => command(to, [...rest, last]));
    const moved = bench.joints['wrist_3']! - HOME['wrist_3']!;
    if (kind === 'effort') expect(moved).toBeGreaterThan(0.05);
    else expect(moved).toBeCloseTo(0.1, 2);
    expect(bench.joints['elbow']).toBeCloseTo(HOME['elbow']!, 2);
  });

  it('follows a trajectory by the names of its joints, in its time', async () => {
    bench = (await Bench.open({ controller: 'joint_trajectory' })).watch(JointState, 'joint_states');
    const to = bench.port.advertise(JointTrajectory, 'joint_trajectory_controller/joint_trajectory', COMMAND_QOS);
    bench.start();
    await bench.run(2);
    const message = JointTrajectory.create();
    message.joint_names = [...NAMES].reverse();
    const point = JointTrajectoryPoint.create();
    point.positions = Float64Array.from([...model.homeRad].reverse());
    point.positions[0]! += 0.2;
    point.time_from_start.sec = 1;
    message.points = [point];
    to.publish(message);
    await bench.run(51);
    expect(bench.joints['wrist_3']! - HOME['wrist_3']!).toBeCloseTo(0.1, 2);
    await bench.run(100);
    expect(bench.joints['wrist_3']! - HOME['wrist_3']!).toBeCloseTo(0.2, 3);
  });

  it('puts the scene back, says how deep the peg is, and forgets what was commanded before', async () => {
    bench = (await Bench.open()).watch(JointState, 'joint_states').watch(Float64, 'insertion_depth');
    const to = bench.port.advertise(Float64MultiArray, 'forward_position_controller/commands', COMMAND_QOS);
    const client = bench.port.client(ResetScene, 'reset_scene');
    bench.start();
    await bench.run(10, () => command(to, model.homeRad));
    const joints = jointsAt(model, [X, Y, Z + 0.03]);
    const request = { joints_rad: joints, objects: ['hole'], poses: [X, Y, Z, 0] };
    expect(await client.call(request, 1000)).toEqual({ success: true, message: '' });
    // A command that was still in transit.
    command(to, model.homeRad);
    await bench.run(20);
    for (const [i, name] of NAMES.entries()) expect(bench.joints[name]).toBeCloseTo(joints[i]!, 3);
    expect((bench.newest.get('insertion_depth') as Float64).data).toBeCloseTo(-0.03, 3);
    await bench.run(60, () => command(to, jointsAt(model, [X, Y, Z - 0.02])));
    expect((bench.newest.get('insertion_depth') as Float64).data).toBeGreaterThan(0.015);
  });

  it('refuses a scene that does not fit with a sentence', async () => {
    bench = await Bench.open();
    const client = bench.port.client(ResetScene, 'reset_scene');
    bench.start();
    for (const request of [
      { joints_rad: [1], objects: [], poses: [] },
      { joints_rad: [], objects: ['hole'], poses: [] },
      { joints_rad: [...model.homeRad.slice(1), Number.NaN], objects: [], poses: [] },
    ]) {
      const answer = await client.call(request, 1000);
      expect(answer.success).toBe(false);
      expect(answer.message).not.toBe('');
    }
  });

  it('refuses commands that do not fit, aloud, and holds', async () => {
    bench = (await Bench.open()).watch(JointState, 'joint_states');
    const to = bench.port.advertise(Float64MultiArray, 'forward_position_controller/commands', COMMAND_QOS);
    bench.start();
    await bench.run(20, () => command(to, [1, 2, 3]));
    expect(bench.said).toEqual(['forward_position_controller refuses a command of 3 numbers for 6 joints']);
    for (const joint of NAMES) expect(bench.joints[joint]).toBeCloseTo(HOME[joint]!, 3);
  });

  it('holds still and ignores commands when its controller is deactivated', async () => {
    bench = (await Bench.open({ controller: 'velocity' })).watch(JointState, 'joint_states');
    const to = bench.port.advertise(Float64MultiArray, 'forward_velocity_controller/commands', COMMAND_QOS);
    const client = bench.port.client(SwitchController, 'controller_manager/switch_controller');
    const list = bench.port.client(ListControllers, 'controller_manager/list_controllers');
    bench.start();
    const push = (): void => command(to, [0, 0, 0, 0, 0, 0.5]);
    await bench.run(20, push);
    const request = {
      activate_controllers: [],
      deactivate_controllers: ['forward_velocity_controller'],
      strictness: 2,
    };
    expect((await client.call(request, 1000)).ok).toBe(true);
    await bench.run(30, push);
    const stood = bench.joints['wrist_3']!;
    await bench.run(30, push);
    expect(bench.joints['wrist_3']).toBeCloseTo(stood, 4);
    expect(bench.said).toContain('forward_velocity_controller is not active: its command is ignored');
    const { controller } = await list.call({}, 1000);
    const active = controller.filter(({ state }) => state === 'active').map(({ name }) => name);
    expect(active).toEqual(['joint_state_broadcaster', 'force_torque_sensor_broadcaster']);
  });
});

describe('trouble of the simulated arm', () => {
  /** Bench with a topic to inject faults. */
  async function troubled(parameters: Record<string, string | number | boolean> = {}): Promise<(text: string) => void> {
    bench = (await Bench.open(parameters)).watch(JointState, 'joint_states');
    const to = bench.port.advertise(StringMessage, '/rein_sim/inject', EVENT_QOS);
    bench.start();
    await bench.run(3);
    return (data) => to.publish({ data });
  }

  it('is silence and its end', async () => {
    const inject = await troubled();
    inject('silence');
    await bench.run(5);
    expect(bench.count('joint_states')).toBe(3);
    inject('clear');
    await bench.run(5);
    expect(bench.count('joint_states')).toBe(8);
    expect(bench.said).toEqual(['FAULT INJECTED: silence', 'FAULT INJECTED: clear']);
  });

  it('is silence after a time', async () => {
    await troubled({ silence_after: 0.1 });
    await bench.run(20);
    expect(bench.count('joint_states')).toBeGreaterThanOrEqual(9);
    expect(bench.count('joint_states')).toBeLessThanOrEqual(10);
  });

  it('is an encoder that jumps, a joint that is lost, a number that is none', async () => {
    const inject = await troubled();
    inject('jump elbow 0.5');
    await bench.run(2);
    expect(bench.joints['elbow']).toBeCloseTo(HOME['elbow']! + 0.5, 3);
    inject('lose elbow');
    inject('nan wrist_1');
    await bench.run(2);
    expect(Object.keys(bench.joints)).toHaveLength(5);
    expect(bench.joints['wrist_1']).toBeNaN();
  });

  it('is readings that stand still while the arm moves', async () => {
    bench = (await Bench.open({ controller: 'velocity' })).watch(JointState, 'joint_states');
    const to = bench.port.advertise(Float64MultiArray, 'forward_velocity_controller/commands', COMMAND_QOS);
    const inject = bench.port.advertise(StringMessage, '/rein_sim/inject', EVENT_QOS);
    bench.start();
    const push = (): void => command(to, [0, 0, 0, 0, 0, 0.5]);
    await bench.run(10, push);
    inject.publish({ data: 'freeze' });
    await bench.run(1, push);
    const before = bench.newest.get('joint_states') as JointState;
    await bench.run(20, push);
    const after = bench.newest.get('joint_states') as JointState;
    expect(after.position).toEqual(before.position);
    expect(after.header.stamp).not.toEqual(before.header.stamp);
    inject.publish({ data: 'clear' });
    await bench.run(1, push);
    expect(bench.joints['wrist_3']! - HOME['wrist_3']!).toBeGreaterThan(0.1);
  });

  it('is a controller that refuses', async () => {
    bench = (await Bench.open()).watch(JointState, 'joint_states');
    const to = bench.port.advertise(Float64MultiArray, 'forward_position_controller/commands', COMMAND_QOS);
    const inject = bench.port.advertise(StringMessage, '/rein_sim/inject', EVENT_QOS);
    const client = bench.port.client(SwitchController, 'controller_manager/switch_controller');
    bench.start();
    inject.publish({ data: 'refuse' });
    await bench.run(30, () =>
      command(
        to,
        model.homeRad.map((q) => q + 0.05),
      ),
    );
    for (const joint of NAMES) expect(bench.joints[joint]).toBeCloseTo(HOME[joint]!, 3);
    const request = {
      activate_controllers: [],
      deactivate_controllers: ['forward_position_controller'],
      strictness: 2,
    };
    expect(await client.call(request, 1000)).toEqual({ ok: false, message: expect.stringContaining('injected') });
  });

  it('is a word that nobody knows: said, and nothing else', async () => {
    const inject = await troubled();
    inject('explode');
    await bench.run(3);
    expect(bench.said[0]).toContain('"explode" is not understood');
    expect(bench.count('joint_states')).toBe(6);
  });
});

describe('a simulated base behind ROS topics', () => {
  it('drives as cmd_vel says, and stops when nothing comes any more', async () => {
    bench = (await Bench.open({ controller: 'differential' })).watch(Odometry, 'odom');
    const to = bench.port.advertise(Twist, 'cmd_vel', COMMAND_QOS);
    bench.start();
    const message = Twist.create();
    message.linear.x = 0.5;
    await bench.run(100, () => to.publish(message));
    const odom = (): Odometry => bench.newest.get('odom') as Odometry;
    expect(odom().twist.twist.linear.x).toBeCloseTo(0.5, 9);
    expect(odom().pose.pose.position.x).toBeGreaterThan(0.8);
    await bench.run(60);
    expect(odom().twist.twist.linear.x).toBe(0);
    expect([odom().header.frame_id, odom().child_frame_id]).toEqual(['odom', 'base_link']);
  });
});

describe('what the files say', () => {
  it.each([
    [{ robot: 'arm6-ros' }, 'arm6 behind forward_position_controller, 100 Hz'],
    [{ robot: 'arm6-ros', controller: 'effort', rate: 250 }, 'arm6 behind forward_effort_controller, 250 Hz'],
    [{ robot: 'arm6-ros', task: 'reach-judged' }, 'arm6 behind forward_position_controller, 100 Hz'],
    [{ robot: 'base-diff-ros', task: 'drive-judged' }, 'a base, differential, 50 Hz'],
    [{ robot: 'base-ackermann-ros', task: 'drive-car-judged' }, 'a base, ackermann, 50 Hz'],
    [{ controller: 'omni' }, 'a base, omni, 50 Hz'],
  ])('is simulated: %j', async (parameters, title) => {
    bench = await Bench.open(parameters as Record<string, string>);
    expect(bench.simulator.title).toBe(title);
  });
});

describe('the clock of the simulator', () => {
  it('is published on request, as fast as it is told to, and jumps back on request', async () => {
    bench = (await Bench.open({ publish_clock: true, clock_factor: 2, controller: 'omni' })).watch(Clock, '/clock');
    const inject = bench.port.advertise(StringMessage, '/rein_sim/inject', EVENT_QOS);
    bench.start();
    await bench.run(50);
    const seconds = (): number => {
      const { clock } = bench.newest.get('/clock') as Clock;
      return clock.sec + clock.nanosec * 1e-9;
    };
    expect(seconds()).toBeCloseTo(2, 6);
    inject.publish({ data: 'clock_back 1.5' });
    await bench.run(1);
    expect(seconds()).toBeCloseTo(0.54, 6);
  });
});

describe('what cannot be simulated', () => {
  it.each([
    [{ controller: 'magic' }, /controller/],
    [{ robot: 'nobody' }, /nobody/],
    [{ rate: 300 }, /whole number of physics steps/],
    [{ rate: -5 }, /rate/],
    [{ colour: 'red' }, /colour/],
  ])('is refused with a sentence: %j', async (parameters, words) => {
    await expect(Bench.open(parameters as Record<string, string>)).rejects.toThrow(words);
  });
});
