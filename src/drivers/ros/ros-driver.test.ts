import { describe, expect, it } from 'vitest';
import { FakeRosLink, rosOptions } from '../../../tests/support/fake-ros-link.ts';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { vec } from '../../../tests/support/vec.ts';
import { ArmKinematics, modelOfBase, type RobotModel } from '../../model/index.ts';
import { createRobotState } from '../../rows/index.ts';
import { createStopLaw } from './command-law.ts';
import { type CommandInterface, DISTANCE_SIGNAL, type RosDriverOptions, rosSchema } from './options.ts';
import { COMMAND, COMMAND_KIND, PULSE_KIND } from './protocol.ts';
import { RosDriver } from './ros-driver.ts';
import { rosKind } from './ros-kind.ts';

const PERIOD_S = 1 / ur5eLike.controlHz;

describe('the ROS driver', () => {
  it('commands nothing before it is enabled, and tells the other process that there is nothing to stop', async () => {
    const { driver, link, state } = await rig();
    for (let i = 0; i < 5; i++) driver.read(state);
    expect(driver.write(vec<'rad'>(ur5eLike.homeRad))).toBe('lost');
    expect(link.commands).toEqual([]);
    expect(new Set(link.pulses)).toEqual(new Set([PULSE_KIND.idle]));
  });

  it('is late when the newest measurement is older than it may be, and ok again when one comes', async () => {
    const { driver, link, state } = await enabledRig();
    link.isSilent = true;
    // 10 and 20 ms are fresh; the third read is 30 ms after the last measurement.
    expect([driver.read(state), driver.read(state), driver.read(state)]).toEqual(['ok', 'ok', 'late']);
    link.isSilent = false;
    expect(driver.read(state)).toBe('ok');
  });

  it('is lost and has the robot stopped past itself when the bridge says nothing for 50 ms', async () => {
    const { driver, link, state } = await enabledRig();
    link.isBridgeSilent = true;
    const silentAtS = link.clock.nowS();
    while (driver.read(state) !== 'lost') expect(link.clock.nowS() - silentAtS).toBeLessThan(0.06);
    expect(link.clock.nowS() - silentAtS).toBeLessThanOrEqual(0.06 + 1e-9);
    expect(link.pulses.at(-1)).toBe(PULSE_KIND.act);
    expect(driver.write(vec<'rad'>(ur5eLike.homeRad))).toBe('lost');
  });

  it('is lost at once when the bridge is dead, and takes nothing that an earlier life measured', async () => {
    const { driver, link, state } = await enabledRig();
    link.life = -1;
    expect(driver.read(state)).toBe('lost');
    expect(link.pulses.at(-1)).toBe(PULSE_KIND.act);
    const commands = link.commands.length;
    link.isBridgeSilent = true;
    link.life = 2;
    expect(driver.read(state)).toBe('lost');
    link.isBridgeSilent = false;
    expect(driver.read(state)).toBe('ok');
    // The bridge is back, and commands are still ignored: only an operator enables the robot again.
    expect(driver.write(vec<'rad'>(ur5eLike.homeRad))).toBe('lost');
    expect(link.commands).toHaveLength(commands);
  });

  it('stops through the bridge when torque goes off, and past it when that does not read', async () => {
    const { driver, link, state } = await enabledRig();
    driver.torque(0);
    expect(link.commands.at(-1)![COMMAND.kind]).toBe(COMMAND_KIND.stop);
    driver.read(state);
    expect(link.pulses.at(-1)).toBe(PULSE_KIND.idle);
    const other = await enabledRig();
    other.link.reads = false;
    other.driver.torque(0);
    expect(other.link.pulses.at(-1)).toBe(PULSE_KIND.act);
  });

  it('commands nothing more, and is lost for the guard, when it was stopped past it while it was held up', async () => {
    const { driver, link, state } = await enabledRig();
    link.stops++;
    driver.read(state);
    const commands = link.commands.length;
    expect(driver.write(vec<'rad'>(ur5eLike.homeRad))).toBe('lost');
    expect(link.commands).toHaveLength(commands);
    expect(link.pulses.at(-1)).toBe(PULSE_KIND.idle);
    // After torque comes on again, the earlier stop does not matter.
    driver.torque(0);
    driver.torque(1);
    driver.read(state);
    expect(driver.write(vec<'rad'>(ur5eLike.homeRad))).toBe('ok');
  });

  it('has the robot stopped past a bridge that hears of the stop and then hangs', async () => {
    const { driver, link, state } = await enabledRig();
    link.obeysStops = false;
    driver.torque(0);
    driver.read(state);
    expect(link.pulses.at(-1)).toBe(PULSE_KIND.armed);
    link.isBridgeSilent = true;
    for (let i = 0; i < 6; i++) driver.read(state);
    expect(link.pulses).toContain(PULSE_KIND.act);
  });

  it.each([
    [100, 0.1],
    [10, 0.4],
  ])(
    'at %i Hz lets the other process wait %s s, longer than the guard itself before it takes a silence for a fault',
    async (controlHz, validForS) => {
      const model = { ...ur5eLike, controlHz };
      const options = rosOptions(model);
      const link = new FakeRosLink(model, options);
      const driver = new RosDriver(model, options, link, link.clock);
      await driver.open();
      driver.torque(1);
      expect(link.pulses.at(-1)).toBe(PULSE_KIND.armed);
      expect(link.pulseValidS).toBe(validForS);
    },
  );

  it('waits at its end until the stop has begun, and has it done past a bridge that does not begin it', async () => {
    const { driver, link } = await enabledRig();
    await driver.close();
    expect(link.pulses.at(-1)).toBe(PULSE_KIND.idle);
    const other = await enabledRig();
    other.link.obeysStops = false;
    await other.driver.close();
    expect(other.link.pulses.at(-1)).toBe(PULSE_KIND.act);
  });

  it('says in a sentence why torque cannot come on', async () => {
    const { driver, link } = await rig();
    expect(driver.service('prepare')).toBe('done');
    link.answer = { ok: false, reason: 'Nobody listens to /commands.' };
    expect(driver.service('prepare')).toEqual({ refusal: 'Nobody listens to /commands.' });
    link.hasStopper = false;
    expect(driver.service('prepare')).toMatchObject({ refusal: expect.stringContaining('stopper is not ready') });
    link.life = -1;
    expect(driver.service('prepare')).toMatchObject({ refusal: expect.stringContaining('being restarted') });
  });

  it('is lost while what is measured, or who has the controllers, does not allow commands, and measured without torque', async () => {
    const { driver, link, state } = await rig();
    link.isUnfit = true;
    expect(driver.read(state)).toBe('ok');
    link.isUnfit = false;
    driver.read(state);
    driver.torque(1);
    expect(driver.read(state)).toBe('ok');
    link.isUnfit = true;
    expect(driver.read(state)).toBe('lost');
    driver.torque(0);
    expect(driver.read(state)).toBe('ok');
  });

  it('waits for as long as the bridge may take to prepare: a stop that ends, three services, discovery', async () => {
    const { driver, link } = await rig();
    driver.service('prepare');
    expect(link.askedForMs).toBeGreaterThan(300 + 3 * 800 + 1000);
  });

  it('gives the distance of people beside the signals of the task, and nothing new of it before its topic speaks again', async () => {
    const [config] = [{ topic: 'range', type: 'sensor_msgs/msg/Range', field: 'range' }];
    const separation = { humanSpeedMPerS: 1.6, reactionS: 0.1, intrusionM: 0, uncertaintyM: 0, freshnessMs: 80 };
    const robot = { ...ur5eLike, toolSpeedMaxMPerS: 0.5, separation };
    const command = { interface: 'position' as const, topic: 'commands' };
    const driven = rosSchema.parse({ kind: 'ros', command, distance: config });
    const asked = { robot, task: 'a task', signalNames: ['depthM'], scene: () => expect.fail() };
    const { signals } = rosKind.optionsOf(driven, asked);
    expect(signals).toEqual([{ name: DISTANCE_SIGNAL, freshnessMs: 80, ...config }]);
    const { driver, link, state } = await enabledRig('position', { signalNames: ['depthM'], signals });
    link.signals = [0.9];
    link.distanceAtS = link.clock.nowS();
    driver.read(state);
    expect(driver.report.distance[0]).toBe(0.9);
    const readings = driver.report.distance[1]!;
    for (let i = 0; i < 3; i++) expect(driver.read(state)).toBe('ok');
    expect(driver.report.distance[1], 'readings while only the joints are measured anew').toBe(readings);
    link.signals = [0.8];
    link.distanceAtS = link.clock.nowS();
    driver.read(state);
    expect([...driver.report.distance]).toEqual([0.8, readings + 1]);
    link.signalsValidUntilS = link.clock.nowS() - 0.001;
    expect(driver.read(state)).toBe('late');
    expect(driver.report.distance[1]).toBe(readings + 1);
    expect([...state.signals]).toEqual([0]);
  });

  it('gives measured signals by name, and the others as the scene says', async () => {
    const signals = [
      { name: 'depthM', topic: 'insertion_depth', type: 'std_msgs/msg/Float64', field: 'data', freshnessMs: 200 },
    ];
    const { driver, link, state } = await rig('position', {
      signalNames: ['estimate', 'depthM'],
      signals,
      scene: { service: 'reset_scene' },
    });
    link.signals = [0.25];
    driver.scene?.reset({ jointsRad: ur5eLike.homeRad, objects: {}, signals: { estimate: 7, depthM: 9 } });
    driver.read(state);
    expect([...state.signals]).toEqual([7, 0.25]);
  });

  it('refuses a scene that could not be reset with the reason', async () => {
    const { driver, link } = await rig('position', { scene: { service: 'reset_scene' } });
    link.answer = { ok: false, reason: 'nobody answers' };
    const layout = { jointsRad: ur5eLike.homeRad, objects: {}, signals: {} };
    expect(() => driver.scene?.reset(layout)).toThrow('nobody answers');
  });

  it('is late when the force sensor that the robot has falls silent', async () => {
    const { driver, link, state } = await rig('position', {
      wrench: { topic: 'wrench', frame: 'base', tareAtEnable: false },
    });
    expect(driver.read(state)).toBe('ok');
    link.wrenchAtS = link.clock.nowS();
    for (let i = 0; i < 19; i++) expect(driver.read(state)).toBe('ok');
    driver.read(state);
    expect(driver.read(state)).toBe('late');
    link.wrenchAtS = link.clock.nowS();
    expect(driver.read(state)).toBe('ok');
  });

  it('is late when a signal that spoke is older than it may be, and ok again when it comes', async () => {
    const { driver, link, state } = await rig();
    expect(driver.read(state)).toBe('ok');
    link.signalsValidUntilS = link.clock.nowS() + 0.095;
    for (let i = 0; i < 9; i++) expect(driver.read(state)).toBe('ok');
    expect(driver.read(state)).toBe('late');
    link.signalsValidUntilS = link.clock.nowS() + 0.2;
    expect(driver.read(state)).toBe('ok');
  });

  it('turns a wrench of the tool frame into the base frame, less what it was when torque came on', async () => {
    const wrench = { topic: 'wrench', frame: 'tool', tareAtEnable: true } as const;
    const { driver, link, state } = await rig('position', { wrench });
    link.wrench = [1, 2, 3, 0, 0, 0];
    driver.read(state);
    driver.torque(1);
    driver.read(state);
    expect([...state.wrench].every((value) => Math.abs(value) < 1e-12)).toBe(true);
    link.wrench = [1, 2, 8, 0, 0, 0];
    driver.read(state);
    const kinematics = new ArmKinematics(ur5eLike);
    kinematics.forward(state.positionRad);
    const alongTool = [2, 5, 8].map((i) => 5 * kinematics.tcpRotation[i]!);
    for (let i = 0; i < 3; i++) expect(state.wrench[i]).toBeCloseTo(alongTool[i]!, 9);
  });
});

describe('the numbers of a command', () => {
  const target = ur5eLike.homeRad.map((angle) => angle + 0.01);

  it('position: the reference, ahead of it by its velocity times the lead', async () => {
    const { drive } = await enabledRig('position', {}, { leadS: [0.05] });
    const first = drive(target);
    // It moved 0.01 rad in a period of 10 ms: 1 rad/s.
    for (const [i, value] of first.entries()) expect(value).toBeCloseTo(target[i]! + 0.05, 6);
    for (const [i, value] of drive(target).entries()) expect(value).toBeCloseTo(target[i]!, 9);
  });

  it('jointTrajectory: positions, then velocities', async () => {
    const { drive } = await enabledRig('jointTrajectory');
    const numbers = drive(target);
    const joints = target.length;
    for (let i = 0; i < joints; i++) expect(numbers[i]).toBeCloseTo(target[i]!, 9);
    for (let i = 0; i < joints; i++) expect(numbers[joints + i]).toBeCloseTo(0.01 / PERIOD_S, 6);
  });

  it('velocity: that of the reference, and a share of the way still to go, within the limits', async () => {
    const { drive } = await enabledRig('velocity', {}, { gainPerS: 10 });
    for (const value of drive(target)) expect(value).toBeCloseTo(0.01 / PERIOD_S + 10 * 0.01, 6);
    for (const value of drive(target)) expect(value).toBeCloseTo(10 * 0.01, 6);
    const far = drive(target.map((angle) => angle + 1));
    for (const [i, value] of far.entries()) expect(value).toBeLessThanOrEqual(ur5eLike.joints[i]!.velocityMaxRadPerS);
  });

  it.each([
    ['velocity', 'the speed of the reference alone'],
    ['effort', 'nothing'],
  ] as const)('%s: where the joints are no longer measured, %s', async (kind, _what) => {
    const { drive, link, driver, state } = await enabledRig(kind);
    drive(target);
    link.isSilent = true;
    // As while braking after the joint states fell silent: the reference moves on and comes to rest.
    for (let i = 2; i <= 8; i++) drive(ur5eLike.homeRad.map((angle) => angle + 0.01 * i));
    const speed = kind === 'velocity' ? 0.01 / PERIOD_S : 0;
    for (const value of drive(ur5eLike.homeRad.map((angle) => angle + 0.09))) expect(value).toBeCloseTo(speed, 6);
    for (const value of drive(ur5eLike.homeRad.map((angle) => angle + 0.09))) expect(value).toBeCloseTo(0, 9);
    link.isSilent = false;
    driver.read(state);
    expect(driver.write(vec<'rad'>(ur5eLike.homeRad))).toBe('ok');
    for (const value of link.commands.at(-1)!.slice(COMMAND.scalars)) expect(value).not.toBe(0);
  });

  it('effort: a spring and a damper, within the torque limits', async () => {
    const { drive } = await enabledRig('effort');
    drive(target);
    for (const [i, value] of drive(target).entries()) {
      const { stiffnessNmPerRad, torqueMaxNm } = ur5eLike.joints[i]!;
      expect(value).toBeCloseTo(Math.min(torqueMaxNm, stiffnessNmPerRad * 0.01), 5);
    }
    for (const [i, value] of drive(target.map((angle) => angle + 1)).entries()) {
      expect(value).toBeLessThanOrEqual(ur5eLike.joints[i]!.torqueMaxNm);
    }
  });

  it('pose: where the tool is at the reference', async () => {
    const { drive } = await enabledRig('pose');
    const numbers = drive(target);
    const kinematics = new ArmKinematics(ur5eLike);
    kinematics.forward(target);
    const pose = new Float64Array(7);
    kinematics.writeTcp(pose);
    for (const [i, value] of numbers.entries()) expect(value).toBeCloseTo(pose[i]!, 9);
  });
});

describe('the numbers of a command to a base', () => {
  const limits = { speedMaxMPerS: 1, accelMaxMPerS2: 2, turnMaxRadPerS: 2, turnAccelMaxRadPerS2: 4 };

  it('twist: the speeds of its axes, ahead, to the left and turning', async () => {
    const base = modelOfBase('base', { kind: 'holonomic', ...limits }, 100);
    // 1, 2 and 3 mm or mrad in a period of 10 ms.
    expect(await numbersOf(base, 'twist', [0.001, 0.002, 0.003])).toEqual(near([0.1, 0.2, 0, 0, 0, 0.3]));
    const car = modelOfBase('base', { kind: 'differential', ...limits }, 100);
    expect(await numbersOf(car, 'twistStamped', [-0.001, 0.003])).toEqual(near([-0.1, 0, 0, 0, 0, 0.3]));
  });

  it('ackermann: speed and steering angle, which counts as measured where it was sent', async () => {
    const steering = { steeringMaxRad: 0.5, steeringRateMaxRadPerS: 3, steeringAccelMaxRadPerS2: 20, wheelbaseM: 0.3 };
    const car = modelOfBase('car', { kind: 'ackermann', speedMaxMPerS: 1, accelMaxMPerS2: 2, ...steering }, 100);
    expect(await numbersOf(car, 'ackermann', [0.002, 0.02])).toEqual(near([0.2, 0.02]));
  });

  it('ackermann: a stop, and who stops past the driver, are told the last steering angle', async () => {
    const steering = { steeringMaxRad: 0.5, steeringRateMaxRadPerS: 3, steeringAccelMaxRadPerS2: 20, wheelbaseM: 0.3 };
    const car = modelOfBase('car', { kind: 'ackermann', speedMaxMPerS: 1, accelMaxMPerS2: 2, ...steering }, 100);
    const link = new FakeRosLink(car, rosOptions(car, 'ackermann', { state: { kind: 'odometry', topic: 'odom' } }));
    const driver = new RosDriver(car, rosOptions(car, 'ackermann'), link, link.clock);
    const state = createRobotState(2, 0);
    await driver.open();
    driver.read(state);
    driver.torque(1);
    driver.write(vec<'rad'>([0.002, 0.02]));
    driver.read(state);
    expect(link.pulseSteeringRad).toBe(0.02);
    driver.torque(0);
    expect(link.commands.at(-1)!.slice(COMMAND.kind)).toEqual([COMMAND_KIND.stop, expect.any(Number), 0.02]);
  });

  it('are zero for a stop', () => {
    const car = modelOfBase('base', { kind: 'differential', ...limits }, 100);
    const out = new Float64Array(6).fill(7);
    createStopLaw(car, rosOptions(car, 'twist').command)(createRobotState(2, 0), out, 0);
    expect([...out]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  async function numbersOf(model: RobotModel, kind: CommandInterface, reference: readonly number[]): Promise<number[]> {
    const options = rosOptions(model, kind, { state: { kind: 'odometry', topic: 'odom' } });
    const link = new FakeRosLink(model, options);
    const driver = new RosDriver(model, options, link, link.clock);
    const state = createRobotState(model.joints.length, 0);
    await driver.open();
    driver.read(state);
    driver.torque(1);
    driver.read(state);
    expect(driver.write(vec<'rad'>(reference))).toBe('ok');
    driver.read(state);
    const steering = model.joints.findIndex(({ name }) => name === 'steering');
    if (steering >= 0) expect(state.positionRad[steering]).toBe(reference[steering]);
    return link.commands.at(-1)!.slice(COMMAND.scalars);
  }

  function near(numbers: readonly number[]): number[] {
    return numbers.map((value) => expect.closeTo(value, 9));
  }
});

async function rig(kind: CommandInterface = 'position', more: Partial<RosDriverOptions> = {}) {
  const options = rosOptions(ur5eLike, kind, more);
  const link = new FakeRosLink(ur5eLike, options);
  const driver = new RosDriver(ur5eLike, options, link, link.clock);
  const state = createRobotState(ur5eLike.joints.length, options.signalNames.length);
  await driver.open();
  return { driver, link, state };
}

async function enabledRig(
  kind: CommandInterface = 'position',
  more: Partial<RosDriverOptions> = {},
  command: Partial<RosDriverOptions['command']> = {},
) {
  const base = rosOptions(ur5eLike, kind).command;
  const made = await rig(kind, { ...more, command: { ...base, ...command } });
  made.driver.read(made.state);
  made.driver.torque(1);
  const drive = (referenceRad: readonly number[]): number[] => {
    made.driver.read(made.state);
    expect(made.driver.write(vec<'rad'>(referenceRad))).toBe('ok');
    return made.link.commands.at(-1)!.slice(COMMAND.scalars);
  };
  return { ...made, drive };
}
