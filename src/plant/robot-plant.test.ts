import { afterEach, describe, expect, it } from 'vitest';
import type { JointModel, RobotModel } from '../model/index.ts';
import { compilePlantImage } from './compile-plant.ts';
import type { PlantOptions } from './plant-options.ts';
import { RobotPlant } from './robot-plant.ts';

const joint: JointModel = {
  name: 'one',
  originXyzM: [0, 0, 1],
  originRpyRad: [0, 0, 0],
  axis: [0, 1, 0],
  positionMinRad: -3,
  positionMaxRad: 3,
  velocityMaxRadPerS: 3,
  accelMaxRadPerS2: 20,
  torqueMaxNm: 20,
  stiffnessNmPerRad: 100,
  dampingNmSPerRad: 8,
};

/** Two links of 0.3 m in the x–z plane. */
const model: RobotModel = {
  name: 'two',
  joints: [joint, { ...joint, name: 'two', originXyzM: [0.3, 0, 0], stiffnessNmPerRad: 50, dampingNmSPerRad: 3 }],
  tool: { originXyzM: [0.3, 0, 0], originRpyRad: [0, 0, 0] },
  workspace: { minM: [-1, -1, 0], maxM: [1, 1, 2] },
  controlHz: 100,
  limitMarginRad: 0.01,
  leashM: 0.05,
  leashRad: 0.1,
  homeRad: [0.4, 0.5],
};

const file = `<mujoco><worldbody>
  <body name="a" pos="0 0 1"><joint name="one" axis="0 1 0"/>
    <geom name="upper" type="capsule" size="0.03" fromto="0.04 0 0 0.26 0 0" mass="2" contype="0" conaffinity="0"/>
    <body name="b" pos="0.3 0 0"><joint name="two" axis="0 1 0" armature="0.02"/>
      <geom name="fore" type="capsule" size="0.03" fromto="0.04 0 0 0.26 0 0" mass="1" contype="0" conaffinity="0"/></body></body>
  </worldbody><actuator><motor joint="one"/></actuator><sensor><jointpos joint="one"/></sensor></mujoco>`;

describe('a plant', () => {
  let plant: RobotPlant | undefined;
  const open = async (options: Partial<PlantOptions> = {}): Promise<RobotPlant> => {
    plant = await RobotPlant.open({ file, model, ...options });
    return plant;
  };
  const hold = (each: RobotPlant, atRad: readonly number[], periods: number): void => {
    for (let i = 0; i < periods; i++) expect(each.step(atRad, 0.01)).toBe(true);
  };

  afterEach(() => {
    plant?.close();
    plant = undefined;
  });

  it.each<[string, Partial<PlantOptions>]>([
    ['as it is', {}],
    ['a wall', { wall: { pointM: [0.5, 0, 0.9], normal: [-1, 0, 0.2] } }],
    ['a heavier tool link', { payload: { scale: 1.5 } }],
    ['a load', { payload: { massKg: 0.7 } }],
    ['friction', { frictionNm: 0.3 }],
  ])('moves the same from an image that was compiled once: %s', async (_, options) => {
    const courses: number[][] = [];
    for (const image of [undefined, await compilePlantImage({ file, model })]) {
      const each = await open({ ...options, image });
      hold(each, [0.9, -0.4], 40);
      courses.push([...each.positionRad, ...each.velocityRadPerS, each.kineticJ(), each.contactForceN()]);
      each.close();
      plant = undefined;
    }
    for (const [i, value] of courses[0]!.entries()) expect(courses[1]![i]).toBeCloseTo(value, 9);
  });

  it('stands at its home with its weight held, and goes where it is sent', async () => {
    const two = await open();
    hold(two, model.homeRad, 50);
    expect(two.positionRad[0]).toBeCloseTo(0.4, 12);
    expect(two.kineticJ()).toBeCloseTo(0, 18);
    hold(two, [-0.2, 0.9], 200);
    expect(two.positionRad[0]).toBeCloseTo(-0.2, 4);
    expect(two.positionRad[1]).toBeCloseTo(0.9, 4);
    expect([...two.setPointRad]).toEqual([-0.2, 0.9]);
  });

  it.each<[string, Partial<JointModel>, Partial<JointModel>, string]>([
    ['a first joint that is too high', { originXyzM: [0, 0, 1.1] }, {}, 'joint "one" is 100.0 mm from the model\'s'],
    ['a longer link', {}, { originXyzM: [0.303, 0, 0] }, 'joint "two" is 3.0 mm'],
    ['an axis the other way round', {}, { axis: [0, -1, 0] }, 'joint "two" is 3.142 rad askew'],
    ['an axis that is askew', {}, { originRpyRad: [0.01, 0, 0] }, 'is 0.010 rad askew (up to 2 mm and 0.005 rad pass)'],
  ])('is not opened for %s', async (_, one, two, message) => {
    const [a, b] = model.joints as [JointModel, JointModel];
    const other = {
      ...model,
      joints: [
        { ...a, ...one },
        { ...b, ...two },
      ],
    };
    await expect(open({ model: other })).rejects.toThrow(message);
  });

  it('is opened where an origin is elsewhere along its axis, and not where the tool turns about it', async () => {
    const [a, b] = model.joints as [JointModel, JointModel];
    const along = {
      ...model,
      joints: [
        { ...a, originXyzM: [0, 0.2, 1] },
        { ...b, originXyzM: [0.3, -0.2, 0] },
      ],
    } as const;
    await open({ model: along });
    const turned = { ...model, joints: [a, { ...b, originRpyRad: [0, 0.1, 0] }] } as const;
    await expect(open({ model: turned })).rejects.toThrow("the tool point is 30.0 mm from where the model's link");
  });

  it('sags without compensation as far as its weight bends the servo', async () => {
    const two = await open({ gravityCompensated: false });
    hold(two, [0, 0], 400);
    const [q1 = 0, q2 = 0] = two.positionRad;
    const g = 9.81;
    const second = g * 0.15 * Math.cos(q1 + q2);
    expect(50 * q2).toBeCloseTo(second, 2);
    expect(100 * q1).toBeCloseTo(second + g * 0.3 * Math.cos(q1) * (1 + 1), 2);
  });

  it('keeps its energy books: a free swing loses none, and a compensated one stands', async () => {
    const loose = { ...model, joints: model.joints.map((each) => ({ ...each, torqueMaxNm: 1e-9 })) };
    const two = await open({ model: loose, gravityCompensated: false, timestepS: 0.0002 });
    const start = two.kineticJ() + two.potentialJ();
    let fastest = 0;
    for (let i = 0; i < 50; i++) {
      two.step([0, 0], 0.01);
      fastest = Math.max(fastest, two.kineticJ());
      expect(Math.abs(two.kineticJ() + two.potentialJ() - start)).toBeLessThan(0.02);
    }
    expect(fastest).toBeGreaterThan(3);
    two.close();
    const held = await open({ model: loose });
    hold(held, [0, 0], 50);
    expect(held.kineticJ()).toBeCloseTo(0, 12);
    expect(held.potentialJ()).toBeCloseTo(0, 12);
  });

  it('lets a load pull that its compensation does not know of, as a mass or as a heavier link', async () => {
    const bare = await open();
    hold(bare, [0, 0], 300);
    bare.close();
    const laden = await open({ payload: { massKg: 0.5 } });
    hold(laden, [0, 0], 300);
    const [q1 = 0, q2 = 0] = laden.positionRad;
    expect(50 * q2).toBeCloseTo(0.5 * 9.81 * 0.3 * Math.cos(q1 + q2), 2);
    laden.close();
    const lighter = await open({ payload: { scale: 0.5 } });
    hold(lighter, [0, 0], 300);
    const [p1 = 0, p2 = 0] = lighter.positionRad;
    expect(50 * p2).toBeCloseTo(-0.5 * 9.81 * 0.15 * Math.cos(p1 + p2), 2);
  });

  it('hears references late by whole periods, and adds their velocity where it is told to', async () => {
    const late = await open({ delayTicks: 2, velocityFeedForward: true });
    late.step([0.41, 0.5], 0.01);
    late.step([0.42, 0.5], 0.01);
    expect([...late.setPointRad]).toEqual([0.4, 0.5]);
    late.step([0.42, 0.5], 0.01);
    expect(late.setPointRad[0]).toBeCloseTo(0.41 + (8 / 100) * 1, 12);
    late.step([0.42, 0.5], 0.01);
    late.step([0.42, 0.5], 0.01);
    expect(late.setPointRad[0]).toBeCloseTo(0.42, 12);
    late.reset([0, 0]);
    late.step([1, 1], 0.01);
    expect([...late.setPointRad]).toEqual([0, 0]);
  });

  it('exerts no more than its servos can, by reference or by torque', async () => {
    const two = await open();
    two.reset([0, 0]);
    two.step([0, 9], 0.002);
    const byReference = two.velocityRadPerS[1]!;
    two.reset([0, 0]);
    two.exert([0, 1e6], 0.002);
    expect(two.velocityRadPerS[1]).toBeCloseTo(byReference, 0);
    hold(two, [...two.positionRad], 100);
    expect(two.exert([0, 0], 0.01)).toBe(true);
    expect(two.kineticJ()).toBeLessThan(1e-3);
  });

  it('stays where dry friction holds it', async () => {
    const stiff = await open({ frictionNm: 8, velocityFeedForward: false });
    hold(stiff, [0.44, 0.5], 50);
    // MuJoCo's dry friction creeps a little; without friction the joint would reach 0.4.
    expect(Math.abs(stiff.positionRad[0]! - 0.4)).toBeLessThan(0.015);
  });

  it('presses against a wall as hard as its servos do', async () => {
    const walled = await open({ wall: { pointM: [0, 0, 0.85], normal: [0, 0, 1] } });
    hold(walled, [0, 0], 100);
    expect(walled.contactForceN()).toBe(0);
    hold(walled, [0, 1.5], 400);
    const torqueNm = 50 * (walled.setPointRad[1]! - walled.positionRad[1]!);
    // The lower link touches at its end, 0.26 m out; the wall's friction carries a part.
    const armM = 0.26 * Math.cos(walled.positionRad[0]! + walled.positionRad[1]!);
    expect(walled.contactForceN()).toBeGreaterThan(20);
    expect(walled.contactForceN() / (torqueNm / armM)).toBeGreaterThan(0.7);
    expect(walled.contactForceN() / (torqueNm / armM)).toBeLessThan(1.1);
  });

  it("measures MuJoCo's distances of pairs and keep-outs", async () => {
    const capsule = { fromM: [0.04, 0, 0], toM: [0.26, 0, 0], radiusM: 0.03 } as const;
    const two = await open({
      model: {
        ...model,
        collision: {
          capsules: [
            { ...capsule, name: 'upper', link: 'one' },
            { ...capsule, name: 'fore', link: 'two' },
          ],
          pairs: [['upper', 'fore']],
          keepOut: [{ name: 'table', minM: [-1, -1, 0], maxM: [1, 1, 0.8], capsules: ['fore'] }],
          clearanceM: 0.005,
        },
      },
    });
    two.reset([0, 0]);
    expect(two.smallestDistanceM()).toBeCloseTo(0.08 - 0.06, 6);
    two.reset([0, Math.PI / 4]);
    expect(two.smallestDistanceM()).toBeCloseTo(0.2 - 0.26 * Math.SQRT1_2 - 0.03, 6);
    two.reset([0, Math.PI / 2]);
    expect(two.smallestDistanceM()).toBeCloseTo(-0.09, 6);
    two.reset([0, Math.PI]);
    expect(two.smallestDistanceM()).toBeLessThan(-0.05);
    // Another pose, while the arm stays where it is; and the table, without the arm being near it.
    expect(two.distanceAtM([0, 0])).toBeCloseTo(0.08 - 0.06, 6);
    expect(two.distanceAtM([0, Math.PI / 2])).toBeCloseTo(-0.09, 6);
    expect(two.smallestDistanceM()).toBeLessThan(-0.05);
    expect([...two.positionRad]).toEqual([0, Math.PI]);
  });

  it('lets periods of any length pass', async () => {
    const two = await open();
    for (const dtS of [0, 0.0001, 0.0131, 0.05, 1e-12]) expect(two.step([0, 0], dtS)).toBe(true);
    expect(two.step([0, Number.NaN], 0.01)).toBe(false);
    expect(two.step([0], 0.01)).toBe(false);
    expect(two.step([0, 0], Number.POSITIVE_INFINITY)).toBe(false);
    expect(two.step([0, 0], -0.01)).toBe(false);
    expect(two.exert([Number.NaN, 0], 0.01)).toBe(false);
    expect(two.step([0, 0], 0.01)).toBe(true);
  });

  it('is not thrown about by a base whose shape overlaps the first link', async () => {
    const base = '<body name="stand" pos="0 0 1"><geom name="foot" type="sphere" size="0.1" mass="1"/>';
    const solid = file
      .replace(/ contype="0" conaffinity="0"/, '')
      .replace('<body name="a" pos="0 0 1">', `${base}<body name="a">`)
      .replace('</worldbody>', '</body></worldbody>');
    const two = await open({ file: solid });
    hold(two, model.homeRad, 30);
    expect(two.contactForceN()).toBe(0);
    expect(Math.max(...two.velocityRadPerS.map(Math.abs))).toBeLessThan(1e-6);
  });

  it('may be closed twice', async () => {
    const each = await open();
    each.close();
    expect(() => each.close()).not.toThrow();
  });

  it('says where a file is wrong, or lacks a joint', async () => {
    await expect(open({ file: '<mujoco>\n<worldbody>\n<bodi/></worldbody></mujoco>' })).rejects.toThrow(
      'the model:3: ',
    );
    await expect(open({ file: '/nowhere/robot.xml' })).rejects.toMatchObject({
      message: '/nowhere/robot.xml: there is no such file',
      remedy: expect.stringMatching(/^check its path, /),
    });
    await expect(open({ file: file.replaceAll('"two"', '"three"') })).rejects.toThrow('no joint named "two"');
    await expect(open({ file: file.replace('name="two"', 'name="two" type="slide"') })).rejects.toThrow('another kind');
  });
});
