import { describe, expect, it } from 'vitest';
import { ArmKinematics } from '../../../../src/model/index.ts';
import { arm6Setup, jointsAt } from '../../../../tests/support/arm6.ts';
import { type ArmReading, CartesianPoseController, ForwardCommandController } from './arm-controllers.ts';
import { ControllerManager } from './controller-manager.ts';
import { JointTrajectoryController } from './joint-trajectory.ts';

function reading(positionRad: readonly number[], setPointRad: readonly number[] = positionRad): ArmReading {
  return {
    positionRad: Float64Array.from(positionRad),
    velocityRadPerS: new Float64Array(positionRad.length),
    setPointRad: Float64Array.from(setPointRad),
  };
}

function point(positions: readonly number[], atS: number, velocities: readonly number[] = []) {
  const sec = Math.floor(atS);
  return { positions, velocities, time_from_start: { sec, nanosec: Math.round((atS - sec) * 1e9) } };
}

describe('the joint trajectory controller', () => {
  const names = ['a', 'b'];
  const create = (interpolatesFromDesired = false): JointTrajectoryController => {
    const controller = new JointTrajectoryController({
      jointNames: names,
      interpolatesFromDesired,
      allowsEndInMotion: false,
    });
    controller.activate(reading([0, 0]));
    return controller;
  };
  const at = (controller: JointTrajectoryController, nowS: number, arm = reading([0, 0])): number[] => {
    const out = new Float64Array(2);
    controller.update(nowS, arm, out);
    return [...out];
  };

  it('goes to each point in its time, in a straight line, and stays at the last', () => {
    const controller = create();
    const trajectory = { joint_names: names, points: [point([1, 0], 1), point([1, 2], 3)] };
    expect(controller.accept(trajectory, 10, 10)).toBeUndefined();
    expect(at(controller, 10)).toEqual([0, 0]);
    expect(at(controller, 10.25)).toEqual([0.25, 0]);
    expect(at(controller, 11)).toEqual([1, 0]);
    expect(at(controller, 12)).toEqual([1, 1]);
    expect(at(controller, 13)).toEqual([1, 2]);
    expect(at(controller, 99)).toEqual([1, 2]);
  });

  it('goes by cubics where velocities are given', () => {
    const controller = create();
    controller.accept({ joint_names: names, points: [point([1, 0], 1, [0, 0])] }, 10, 10);
    expect(at(controller, 10)).toEqual([0, 0]);
    // From rest to rest: half the way in half the time, and less than a tenth of it in a tenth.
    expect(at(controller, 10.5)[0]).toBeCloseTo(0.5, 9);
    expect(at(controller, 10.1)[0]).toBeCloseTo(0.028, 9);
  });

  it('finds the joints by name', () => {
    const controller = create();
    controller.accept({ joint_names: ['b', 'a'], points: [point([1, 2], 0.01)] }, 0, 0);
    at(controller, 0);
    expect(at(controller, 1)).toEqual([2, 1]);
  });

  it('begins at what is measured, or at what was asked for where it is told to', () => {
    const arm = reading([0.4, 0], [0.6, 0]);
    const points = [point([1, 0], 1)];
    const measured = create();
    measured.accept({ joint_names: names, points }, 0, 0);
    expect(at(measured, 0, arm)).toEqual([0.4, 0]);
    const desired = create(true);
    desired.accept({ joint_names: names, points }, 0, 0);
    expect(at(desired, 0, arm)).toEqual([0.6, 0]);
  });

  it('holds what was asked for last when a reset or another controller came between', () => {
    const controller = create();
    controller.accept({ joint_names: names, points: [point([1, 1], 5)] }, 0, 0);
    controller.activate(reading([0.2, 0.3]));
    expect(at(controller, 1)).toEqual([0.2, 0.3]);
  });

  it.each([
    ['a joint that is missing', { joint_names: ['a'], points: [point([1], 1)] }, 'without the joint "b"'],
    ['a joint that it lacks', { joint_names: ['a', 'c'], points: [point([1, 1], 1)] }, 'joint "c"'],
    ['a joint named twice', { joint_names: ['a', 'b', 'b'], points: [point([1, 1, 1], 1)] }, 'twice'],
    ['no points', { joint_names: names, points: [] }, 'without points'],
    ['too few positions', { joint_names: names, points: [point([1], 1)] }, '1 positions for 2 joints'],
    ['too few velocities', { joint_names: names, points: [point([1, 1], 1, [1])] }, '1 velocities for 2 joints'],
    ['NaN', { joint_names: names, points: [point([1, Number.NaN], 1)] }, 'not finite'],
    ['times that go back', { joint_names: names, points: [point([1, 1], 1), point([1, 1], 0.5)] }, 'not after'],
    ['an end in motion', { joint_names: names, points: [point([1, 1], 1, [0.1, 0])] }, 'ends in motion'],
    ['an end in the past', { joint_names: names, points: [point([1, 1], -3)] }, 'ended'],
  ])('refuses %s, and the old trajectory goes on', (_what, trajectory, words) => {
    const controller = create();
    controller.accept({ joint_names: names, points: [point([1, 0], 1)] }, 10, 10);
    at(controller, 10);
    expect(controller.accept(trajectory, 10.4, 10.4)).toContain(words);
    expect(at(controller, 10.5)).toEqual([0.5, 0]);
  });
});

describe('a joint trajectory controller of Humble', () => {
  it('takes a trajectory that ends in motion, and stops at its end', () => {
    const options = { jointNames: ['a'], interpolatesFromDesired: false, allowsEndInMotion: true };
    const controller = new JointTrajectoryController(options);
    controller.activate(reading([0]));
    expect(controller.accept({ joint_names: ['a'], points: [point([1], 1, [1])] }, 0, 0)).toBeUndefined();
    const out = new Float64Array(1);
    controller.update(0, reading([0]), out);
    controller.update(5, reading([1]), out);
    expect(out[0]).toBe(1);
  });
});

describe('a forward command controller', () => {
  it('hands on the newest command for ever, whatever it commands', () => {
    const controller = new ForwardCommandController('velocity', 2);
    expect(controller.accept([0.1, -0.2])).toBeUndefined();
    const out = new Float64Array(2);
    for (const nowS of [0, 1, 1e6]) {
      controller.update(nowS, reading([0, 0]), out);
      expect([...out]).toEqual([0.1, -0.2]);
    }
  });

  it('begins with standing still: velocities and torques of zero, positions as they are asked for', () => {
    const out = Float64Array.of(9, 9);
    for (const kind of ['velocity', 'effort'] as const) {
      const controller = new ForwardCommandController(kind, 2);
      controller.accept([1, 1]);
      controller.activate(reading([0.5, 0.5]));
      controller.update(0, reading([0.5, 0.5]), out);
      expect([...out]).toEqual([0, 0]);
    }
    const position = new ForwardCommandController('position', 2);
    position.activate(reading([0.5, 0.5], [0.6, 0.6]));
    position.update(0, reading([0.5, 0.5]), out);
    expect([...out]).toEqual([0.6, 0.6]);
  });

  it.each([[[1]], [[1, 2, 3]], [[1, Number.NaN]], [[Number.POSITIVE_INFINITY, 0]]])('refuses %j', (values) => {
    const controller = new ForwardCommandController('position', 2);
    controller.accept([0.1, 0.2]);
    expect(controller.accept(values)).toBeTypeOf('string');
    const out = new Float64Array(2);
    controller.update(0, reading([0, 0]), out);
    expect([...out]).toEqual([0.1, 0.2]);
  });
});

describe('the Cartesian pose controller', () => {
  const { robot } = arm6Setup().config;
  const home = jointsAt(robot, [0.49, 0.13, 0.2]);
  const kinematics = new ArmKinematics(robot);
  kinematics.forward(home);
  const [w, x, y, z] = kinematics.tcpQuaternion;
  const orientation = { x: x!, y: y!, z: z!, w: w! };
  const create = (): CartesianPoseController => {
    const controller = new CartesianPoseController(robot, 0.01);
    controller.activate(reading(home));
    return controller;
  };

  it('brings the tool to the pose, not at once', () => {
    const controller = create();
    expect(controller.accept({ position: { x: 0.5, y: 0.13, z: 0.21 }, orientation }, 'base')).toBeUndefined();
    const arm = reading(home);
    const out = new Float64Array(6);
    controller.update(0, arm, out);
    kinematics.forward(out);
    expect(kinematics.tcpPositionM[0]).toBeGreaterThan(0.493);
    expect(kinematics.tcpPositionM[0]).toBeLessThan(0.497);
    for (let i = 0; i < 30; i++) {
      controller.update(0, arm, out);
      arm.setPointRad.set(out);
    }
    kinematics.forward(out);
    expect(kinematics.tcpPositionM[0]).toBeCloseTo(0.5, 6);
    expect(kinematics.tcpPositionM[2]).toBeCloseTo(0.21, 6);
  });

  it.each([
    ['out of reach', { position: { x: 5, y: 0, z: 0 }, orientation }, 'base', 'out of reach'],
    ['in another frame', { position: { x: 0.5, y: 0.1, z: 0.2 }, orientation }, 'map', 'frame "map"'],
    ['not finite', { position: { x: Number.NaN, y: 0.1, z: 0.2 }, orientation }, '', 'not finite'],
    [
      'without an orientation',
      { position: { x: 0.5, y: 0.1, z: 0.2 }, orientation: { x: 0, y: 0, z: 0, w: 0 } },
      '',
      'no unit',
    ],
  ])('refuses a pose that is %s', (_what, pose, frame, words) => {
    const controller = create();
    expect(controller.accept(pose, frame)).toContain(words);
    const out = new Float64Array(6);
    controller.update(0, reading(home), out);
    for (let i = 0; i < 6; i++) expect(out[i]).toBeCloseTo(home[i]!, 9);
  });
});

describe('the controller manager', () => {
  const create = (): { manager: ControllerManager; switches: string[] } => {
    const switches: string[] = [];
    const manager = new ControllerManager(
      [
        { name: 'broadcaster', type: 'b', claims: [] },
        { name: 'position', type: 'p', claims: ['a/position'], group: 'arm' },
        { name: 'effort', type: 'e', claims: ['a/effort'], group: 'arm' },
      ],
      ['broadcaster', 'position'],
      (on, off) => switches.push(`+${on} -${off}`),
    );
    return { manager, switches };
  };

  it('switches from one controller of the arm to another', () => {
    const { manager, switches } = create();
    expect(manager.switch({ activate: ['effort'], deactivate: ['position'], isStrict: true })).toEqual({ ok: true });
    expect([manager.isActive('position'), manager.isActive('effort')]).toEqual([false, true]);
    expect(switches).toEqual(['+effort -position']);
  });

  it.each([
    ['two of one arm', { activate: ['effort'], deactivate: [], isStrict: false }, 'the same joints'],
    ['an unknown one', { activate: ['x'], deactivate: ['position'], isStrict: true }, 'no controller named "x"'],
    ['one that is active', { activate: ['position'], deactivate: [], isStrict: true }, 'active already'],
    ['one that is not', { activate: [], deactivate: ['effort'], isStrict: true }, 'not active'],
  ])('refuses %s, and then nothing is switched', (_what, request, words) => {
    const { manager, switches } = create();
    expect(manager.switch(request)).toEqual({ ok: false, message: expect.stringContaining(words) });
    expect([manager.isActive('position'), manager.isActive('effort'), switches.length]).toEqual([true, false, 0]);
  });

  it('leaves out what it does not know when it need not be strict', () => {
    const { manager } = create();
    expect(manager.switch({ activate: ['x'], deactivate: ['position'], isStrict: false })).toEqual({ ok: true });
    expect(manager.isActive('position')).toBe(false);
  });
});
