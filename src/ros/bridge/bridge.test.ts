import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { MemoryGraph } from '../../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../../tests/support/ros-memory/memory-port.ts';
import { until } from '../../../tests/support/until.ts';
import {
  COMMAND,
  COMMAND_KIND,
  commandNumbers,
  DISTANCE_SIGNAL,
  PULSE,
  PULSE_KIND,
  ROS_MESSAGE,
  type RosAnswer,
  type RosDriverOptions,
  STATE,
  stateLayout,
} from '../../drivers/index.ts';
import { SystemClock } from '../../model/index.ts';
import type { GuardNotice } from '../../rows/index.ts';
import { Float64, Float64MultiArray, JointState, WrenchStamped } from '../messages/definitions.ts';
import { COMMAND_QOS, STATE_QOS } from '../port/qos.ts';
import type { RosPort, RosPublisher } from '../port/ros-port.ts';
import { Bridge } from './bridge.ts';
import { Stopper } from './stopper.ts';

const LIFE = 3;
const names = ur5eLike.joints.map(({ name }) => name);
const layout = stateLayout(names.length, 2);
const freshnessMs = 200;
const options: RosDriverOptions = rosOptions(ur5eLike, 'position', {
  rosJointNames: names.map((name) => `ur_${name}`),
  signalNames: ['depthM'],
  signals: [
    { name: 'depthM', topic: 'insertion_depth', type: 'std_msgs/msg/Float64', field: 'data', freshnessMs },
    { name: DISTANCE_SIGNAL, topic: 'range', type: 'std_msgs/msg/Float64', field: 'data', freshnessMs: 0 },
  ],
  wrench: { topic: 'wrench', frame: 'base', tareAtEnable: false },
  freshnessMs,
});
const clock = new SystemClock();

let graph: MemoryGraph;
let robot: RosPort;
let port: RosPort;
let states: RosPublisher<JointState>;
let heard: number[][];
let rows: Float64Array[];
let answers: [number, RosAnswer][];
let notices: GuardNotice[];
let publishWrench: (fx: number) => void;
let publishDepth: (value: number) => void;
let publishRange: (distanceM: number) => void;
let isStarted: boolean;

const toGuard = {
  ready: () => {
    isStarted = true;
  },
  state: (row: Float64Array) => rows.push(row.slice()) > 0,
  answer: (id: number, answer: RosAnswer) => void answers.push([id, answer]),
  notice: (notice: GuardNotice) => void notices.push(notice),
  failed: () => undefined,
  acted: () => undefined,
};

beforeEach(async () => {
  [heard, rows, answers, notices, isStarted] = [[], [], [], [], false];
  graph = new MemoryGraph();
  robot = await memoryPorts(graph)({ nodeName: 'robot', onFault: () => undefined });
  states = robot.advertise(JointState, 'joint_states', STATE_QOS);
  const wrench = robot.advertise(WrenchStamped, 'wrench', STATE_QOS);
  const depth = robot.advertise(Float64, 'insertion_depth', STATE_QOS);
  publishWrench = (fx) => {
    const message = WrenchStamped.create();
    message.wrench.force.x = fx;
    wrench.publish(message);
  };
  publishDepth = (data) => depth.publish({ data });
  const range = robot.advertise(Float64, 'range', STATE_QOS);
  publishRange = (data) => range.publish({ data });
  robot.subscribe(Float64MultiArray, 'commands', COMMAND_QOS, ({ data }) => heard.push([...data]));
  robot.start();
  port = await memoryPorts(graph)({ nodeName: 'rein_bridge', onFault: () => undefined });
});

afterEach(async () => {
  await port.close();
  await robot.close();
});

describe('the bridge', () => {
  let bridge: Bridge;
  let seq = 0;

  beforeEach(() => {
    bridge = new Bridge({ port, config: config(), generation: LIFE, toGuard, clock });
    port.start();
    bridge.start();
  });
  afterEach(() => bridge.close());

  it('reads joints by name, whatever their order and whatever else there is', async () => {
    publishJoints({ names: ['gripper', ...[...names].reverse().map((name) => `ur_${name}`)] });
    publishWrench(4);
    publishDepth(0.5);
    await until(() => newest(STATE.measurements) === 1 && newest(layout.signals) === 0.5, 'a measurement');
    for (const [i] of names.entries()) expect(newest(layout.positionRad + i)).toBe(i + 1);
    expect(newest(layout.wrench)).toBe(4);
    expect(newest(STATE.generation)).toBe(LIFE);
    expect(Math.abs(newest(STATE.measuredAtS) - clock.nowS())).toBeLessThan(5);
  });

  it('says when the distance of people came, which no measurement of the joints makes new', async () => {
    publishJoints();
    await until(() => newest(STATE.measurements) === 1, 'a measurement');
    expect(newest(STATE.distanceAtS)).toBe(0);
    publishRange(1.5);
    await until(() => newest(layout.signals + 1) === 1.5, 'the distance');
    const atS = newest(STATE.distanceAtS);
    expect(Math.abs(atS - clock.nowS())).toBeLessThan(5);
    publishJoints();
    await until(() => newest(STATE.measurements) === 2, 'a second measurement');
    expect(newest(STATE.distanceAtS)).toBe(atS);
  });

  it('drops what is no request, in silence', () => {
    const none = [null, 3, 'x', [], {}, { id: 1, generation: LIFE, request: null }, { id: 1, generation: LIFE }];
    for (const payload of none) bridge.receive(ROS_MESSAGE.request, Buffer.from(JSON.stringify(payload)));
    bridge.receive(ROS_MESSAGE.request, Buffer.from('{'));
    expect([answers, notices]).toEqual([[], []]);
  });

  it('takes no stamp for a measurement twice, and a joint state without a joint for none', async () => {
    publishJoints({ stamp: 7 });
    await until(() => newest(STATE.measurements) === 1, 'a measurement');
    publishJoints({ stamp: 7 });
    await aMoment();
    publishJoints({ names: names.slice(1).map((name) => `ur_${name}`) });
    await aMoment();
    expect(newest(STATE.measurements)).toBe(1);
  });

  it('works out velocities that the robot does not give, and takes efforts that are no number for none', async () => {
    publishJoints({ velocity: Number.NaN });
    await until(() => newest(STATE.measurements) === 1, 'a measurement');
    await new Promise((resolve) => setTimeout(resolve, 20));
    publishJoints({ velocity: Number.NaN, shift: 0.1 });
    await until(() => newest(STATE.measurements) === 2, 'a second one');
    expect(newest(layout.velocityRadPerS)).toBeGreaterThan(0);
    expect(newest(layout.torqueNm)).toBe(0);
  });

  it('works velocities out by the stamps, not by how far apart messages arrive', async () => {
    publishJoints({ velocity: Number.NaN, stamp: 7 });
    await until(() => newest(STATE.measurements) === 1, 'a measurement');
    await aMoment();
    publishJoints({ velocity: Number.NaN, stamp: 7, nanosec: 1e7, shift: 0.01 });
    await until(() => newest(STATE.measurements) === 2, 'two measurements');
    expect(newest(layout.velocityRadPerS)).toBeCloseTo(1, 6);
  });

  it('gives signs of life while the robot is silent', async () => {
    const before = rows.length;
    await until(() => rows.length >= before + 5, 'signs of life');
    expect(newest(STATE.measuredAtS)).toBe(0);
  });

  it('publishes nothing before it is prepared, and nothing that is old, doubled, of another life or no number', async () => {
    drive();
    expect(await prepareMeasured()).toEqual({ ok: true });
    // A pause after each: a reader with depth 1 would not receive them all.
    for (const wrong of [{ ageS: 0.2 }, { life: LIFE - 1 }, { value: Number.NaN }, { value: 5 }]) {
      drive(wrong);
      await aMoment();
    }
    seq--;
    drive({ value: 6 });
    await aMoment();
    expect(heard.map(([first]) => first)).toEqual([5]);
  });

  it('stops where the joints are, again and again, says so, and follows nothing afterwards', async () => {
    await prepareMeasured();
    const stopSeq = drive({ kind: COMMAND_KIND.stop });
    expect(newest(STATE.stoppedSeq)).toBe(stopSeq);
    drive({ value: 9 });
    // At least twice: further receptions depend on this machine's speed.
    await until(() => heard.length >= 2, 'holds');
    for (const numbers of heard) expect(numbers).toEqual(names.map((_, i) => i + 1));
  });

  it.each([
    ['jumped', 2],
    ['is no number', Number.NaN],
  ])('stops at the last command when a reading %s', async (_what, shift) => {
    await prepareMeasured();
    drive({ value: 1.25 });
    publishJoints({ shift });
    await aMoment();
    drive({ kind: COMMAND_KIND.stop });
    await until(() => heard.length >= 4, 'holds');
    for (const numbers of heard) expect(numbers).toEqual(names.map(() => 1.25));
  });

  it('is prepared although somebody else publishes other joints on the same topic', async () => {
    let nanosec = 0;
    const both = setInterval(() => {
      nanosec += 1e6;
      publishJoints({ stamp: 1, nanosec });
      setTimeout(() => publishJoints({ names: ['gripper'], stamp: 2, nanosec }), 5);
    }, 20);
    expect(await prepare()).toEqual({ ok: true });
    clearInterval(both);
    await aMoment();
    const before = newest(STATE.measurements);
    // The robot's old stamp, repeated, is not new because of the gripper's message between.
    publishJoints({ stamp: 1, nanosec });
    await aMoment();
    expect(newest(STATE.measurements)).toBe(before);
  });

  it('leaves the last command to the robot when nobody knows where the joints are', async () => {
    drive({ kind: COMMAND_KIND.stop });
    await until(() => notices.find(({ row }) => row === 10), 'a notice');
    expect(heard).toEqual([]);
  });

  it('is not prepared without measurements, and says which joint is missing', async () => {
    expect(await prepare()).toEqual({
      ok: false,
      reason: 'No joint state has come on /joint_states, although it is published.',
    });
    publishJoints({ names: names.slice(1).map((name) => `ur_${name}`) });
    expect(await prepare()).toMatchObject({
      ok: false,
      reason: expect.stringContaining(`no joint named ur_${names[0]}`),
    });
  });

  it('is not prepared before every sensor of the file has spoken, and says until when the signals are new', async () => {
    const keep = setInterval(() => publishJoints(), 20);
    const never = (topic: string) => ({
      ok: false,
      reason: `No message on ${topic}, which the robot's file names.`,
    });
    expect(await askToPrepare()).toEqual(never('wrench'));
    publishWrench(0);
    expect(await askToPrepare()).toEqual(never('insertion_depth'));
    expect(newest(STATE.signalsValidUntilS)).toBe(0);
    publishDepth(0.5);
    expect(await askToPrepare()).toEqual({ ok: true });
    publishDepth(0.25);
    await until(() => newest(layout.signals) === 0.25, 'the newest depth');
    expect(Math.abs(newest(STATE.signalsValidUntilS) - clock.nowS() - 0.2)).toBeLessThan(0.15);
    clearInterval(keep);
  });

  it('is not prepared before measurements come steadily, and waits for a fresh one after everything else', async () => {
    publishJoints();
    await aMoment();
    // A single measurement, just fresh enough, with none after it: the next tick would find it too old.
    expect(await prepare()).toEqual({
      ok: false,
      reason: "/joint_states is not published every 200 ms, as freshnessMs of the robot's file requires.",
    });
    const before = newest(STATE.measurements);
    expect(await prepareMeasured()).toEqual({ ok: true });
    expect(newest(STATE.measurements)).toBeGreaterThan(before + 1);
  });

  it('row 29: names who else commands the robot', async () => {
    const join = async (nodeName: string): Promise<RosPort> => {
      const made = await memoryPorts(graph)({ nodeName, onFault: () => undefined });
      made.advertise(Float64MultiArray, 'commands', COMMAND_QOS);
      made.start();
      return made;
    };
    const stopper = await join('rein_stopper');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(notices.filter(({ row }) => row === 29)).toEqual([]);
    const other = await join('hand');
    const notice = await until(() => notices.find(({ row }) => row === 29), 'a notice');
    expect(notice.message).toContain('/commands has 3 publishers');
    expect(notice.message).toContain('/hand, /rein_bridge, /rein_stopper.');
    await stopper.close();
    await other.close();
  });

  it('row 29: names two that publish the same joints elsewhere, says when it is over, and not those of other joints', async () => {
    const other = await memoryPorts(graph)({ nodeName: 'joint_state_publisher', onFault: () => undefined });
    const others = other.advertise(JointState, 'joint_states', STATE_QOS);
    other.start();
    const message = JointState.create();
    message.name = ['gripper'];
    message.position = new Float64Array(names.length);
    let second: 'of a gripper' | 'elsewhere' | 'gone' = 'of a gripper';
    const both = setInterval(() => {
      publishJoints({ shift: second === 'elsewhere' ? 0.05 : 0 });
      if (second === 'elsewhere') setTimeout(() => publishJoints(), 5);
      if (second === 'of a gripper') others.publish(message);
    }, 20);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(notices.filter(({ row }) => row === 29)).toEqual([]);
    second = 'elsewhere';
    const said = await until(() => notices.find(({ row }) => row === 29), 'a notice');
    expect(said).toMatchObject({ level: 'error', condition: 'bridge/sources' });
    expect(said.message).toBe(
      '/joint_states has 2 publishers (/joint_state_publisher, /robot), and the joints jump to and fro between two places.',
    );
    // Neither position may be held, and the robot's is unknown: the guard stops it, and it is not enabled.
    expect(newest(STATE.unfit)).toBe(1);
    const refused = { ok: false, reason: expect.stringContaining('Stop the one that is not the robot.') };
    expect(await prepare()).toMatchObject(refused);
    const before = heard.length;
    drive({ kind: COMMAND_KIND.stop });
    await aMoment();
    expect(heard).toHaveLength(before);
    second = 'gone';
    await until(() => notices.find(({ isOver }) => isOver === true), 'its end');
    expect(newest(STATE.unfit)).toBe(0);
    expect(await prepare()).toEqual({ ok: true });
    clearInterval(both);
    await other.close();
  });

  /** Prepares while measurements arrive all the time. */
  async function prepareMeasured(): Promise<RosAnswer> {
    publishJoints();
    const measuring = setInterval(() => publishJoints(), 10);
    const answer = await prepare();
    clearInterval(measuring);
    await aMoment();
    return answer;
  }

  /** Prepares with every sensor publishing. */
  async function prepare(): Promise<RosAnswer> {
    publishWrench(0);
    publishDepth(0);
    return askToPrepare();
  }

  async function askToPrepare(): Promise<RosAnswer> {
    const id = answers.length + 1;
    bridge.receive(ROS_MESSAGE.request, json({ id, generation: LIFE, request: { kind: 'prepare' } }));
    const found = await until(() => answers.find(([answered]) => answered === id), 'an answer');
    return found[1];
  }

  function drive({ kind = COMMAND_KIND.drive as number, value = 1, life = LIFE, ageS = 0 } = {}): number {
    const command = new Float64Array(commandNumbers(options)).fill(value);
    command[COMMAND.generation] = life;
    command[COMMAND.seq] = ++seq;
    command[COMMAND.issuedAtS] = clock.nowS() - ageS;
    command[COMMAND.kind] = kind;
    bridge.receive(ROS_MESSAGE.command, new Uint8Array(command.buffer));
    return seq;
  }
});

it('keeps efforts that are no number as such where torques are compared with a model', async () => {
  const { joints } = ur5eLike;
  const model = {
    ...ur5eLike,
    torqueObserver: {
      filterS: 0.03,
      weight: 'measured' as const,
      wrench: 'ignored' as const,
      velocityFeedForward: false,
      delayTicks: 0,
      torqueAgeS: 0,
      servoMaxNm: joints.map(() => 1),
      externalMaxNm: joints.map(() => 1),
      links: joints.map(() => new Array<number>(14).fill(0)),
    },
  };
  const bridge = new Bridge({ port, config: { ...config(), model }, generation: LIFE, toGuard, clock });
  port.start();
  bridge.start();
  publishJoints({ velocity: Number.NaN });
  await until(() => newest(STATE.measurements) >= 1, 'a measurement');
  expect(newest(layout.torqueNm)).toBeNaN();
  await bridge.close();
});

describe('a bridge whose stop holds the arm by effort for a second', () => {
  const effort = rosOptions(ur5eLike, 'effort', { freshnessMs: 200 });
  let bridge: Bridge;

  beforeEach(() => {
    const held = { ...effort, command: { ...effort.command, effortStop: 'hold' as const } };
    bridge = new Bridge({ port, config: { ...config(), options: held }, generation: LIFE, toGuard, clock });
    port.start();
    bridge.start();
  });
  afterEach(() => bridge.close());

  it('is not prepared meanwhile, ends it although the guard is gone, and its last word is no torque', async () => {
    publishJoints({ names });
    await until(() => newest(STATE.measurements) === 1, 'a measurement');
    const feeding = setInterval(() => publishJoints({ names, shift: 0.01 }), 10);
    const stop = new Float64Array(commandNumbers(effort));
    [stop[COMMAND.generation], stop[COMMAND.seq], stop[COMMAND.kind]] = [LIFE, 1, COMMAND_KIND.stop];
    bridge.receive(ROS_MESSAGE.command, new Uint8Array(stop.buffer));
    await aMoment();
    bridge.receive(ROS_MESSAGE.request, json({ id: 1, generation: LIFE, request: { kind: 'prepare' } }));
    const [, answer] = await until(() => answers[0], 'an answer');
    expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining('try again') });
    expect(heard.at(-1)).not.toEqual(names.map(() => 0));
    await bridge.guardGone();
    await aMoment();
    clearInterval(feeding);
    expect(heard.at(-1)).toEqual(names.map(() => 0));
  });
});

describe('what can only stop', () => {
  let stopper: Stopper;

  beforeEach(async () => {
    // A large freshness, so that a busy machine's late reading may still be held at.
    const patient = { ...config(), options: { ...options, freshnessMs: 5_000 } };
    stopper = new Stopper({ port, config: patient, toGuard, clock });
    port.start();
    stopper.start();
    publishJoints();
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  afterEach(() => stopper.close());

  it('is ready, and does nothing by itself', async () => {
    pulse(PULSE_KIND.idle, 0);
    stopper.nudge();
    await stopper.guardGone(Promise.resolve());
    expect(isStarted).toBe(true);
    expect(heard).toEqual([]);
  });

  it.each([
    ['told to', () => pulse(PULSE_KIND.act)],
    ['the bridge died', () => stopper.nudge()],
    ['the guard is gone', () => void stopper.guardGone(Promise.resolve())],
    ['the guard is silent', () => undefined],
  ])('stops once when armed: %s', async (_why, happen) => {
    pulse(PULSE_KIND.armed);
    happen();
    // At least twice: further receptions depend on this machine's speed.
    await until(() => heard.length >= 2, 'holds');
    for (const numbers of heard) expect(numbers).toEqual(names.map((_, i) => i + 1));
    expect(notices.map(({ row }) => row)).toEqual([25]);
    // Every 5 ms, for longer than the bridge accepts a command (50 ms), and then no more.
    await until(() => heard.length >= 11, 'more holds');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(heard.length).toBeLessThanOrEqual(24);
  });

  faultRow(25, 'fake', 'stops for a guard that was killed before what it wrote last was read', async () => {
    pulse(PULSE_KIND.idle, 0);
    const drained = aMoment().then(() => pulse(PULSE_KIND.armed));
    await stopper.guardGone(drained);
    expect(heard.length).toBeGreaterThan(3);
  });

  it.each([
    ['jumped', 2],
    ['is no number', Number.NaN],
  ])('sends the arm nowhere when its reading %s: it is left to hold the last command', async (_what, shift) => {
    publishJoints({ shift });
    await aMoment();
    pulse(PULSE_KIND.act);
    await until(() => notices.find(({ message }) => message.includes('positions are unknown')), 'a notice');
    await aMoment();
    expect(heard).toEqual([]);
  });

  it('stops where the joints are also just after a simulator has put them elsewhere', async () => {
    publishJoints({ shift: 2 });
    await aMoment();
    pulse(PULSE_KIND.armed, 0.05, clock.nowS());
    pulse(PULSE_KIND.act);
    await until(() => heard.length >= 2, 'holds');
    for (const numbers of heard) expect(numbers).toEqual(names.map((_, i) => i + 3));
    expect(notices.some(({ message }) => message.includes('positions are unknown'))).toBe(false);
  });

  it('takes a jump long after a scene was put back for a wrong reading all the same', async () => {
    pulse(PULSE_KIND.armed, 1, clock.nowS() - 1);
    publishJoints({ shift: 2 });
    await aMoment();
    pulse(PULSE_KIND.act);
    await until(() => notices.find(({ message }) => message.includes('positions are unknown')), 'a notice');
    expect(heard).toEqual([]);
  });

  function pulse(kind: number, validForS = 0.05, sceneResetAtS = 0): void {
    const numbers = new Float64Array(PULSE.numbers);
    numbers[PULSE.sceneResetAtS] = sceneResetAtS;
    numbers[PULSE.sentAtS] = clock.nowS();
    numbers[PULSE.kind] = kind;
    numbers[PULSE.validForS] = validForS;
    stopper.receive(ROS_MESSAGE.pulse, new Uint8Array(numbers.buffer));
  }
});

function config() {
  return { model: ur5eLike, options, rosArguments: [], inbox: '' };
}

/** Joint i, in the robot's own order, is at i + 1 rad. */
function publishJoints({
  names: given = names.map((name) => `ur_${name}`),
  stamp = 0,
  nanosec = 0,
  velocity = 0,
  shift = 0,
} = {}): void {
  const message = JointState.create();
  message.header.stamp.sec = stamp;
  message.header.stamp.nanosec = nanosec;
  message.name = given;
  message.position = Float64Array.from(given, (name) => names.indexOf(name.replace('ur_', '')) + 1 + shift);
  message.velocity = new Float64Array(given.length).fill(velocity);
  message.effort = new Float64Array(given.length).fill(velocity);
  states.publish(message);
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}

function newest(at: number): number {
  return rows.at(-1)?.[at] ?? Number.NaN;
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
