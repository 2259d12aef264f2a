import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { MujocoDriver } from '../drivers/mujoco/mujoco-driver.ts';
import type { JointModel, RobotModel } from '../model/index.ts';
import { createRobotState, type SceneLayout } from '../rows/index.ts';
import { readSceneFile } from './model/scene-file.ts';
import { placeSignals } from './options.ts';

const joint: JointModel = {
  name: 'slide',
  kind: 'prismatic',
  originXyzM: [0, 0, 0.05],
  originRpyRad: [0, 0, 0],
  axis: [1, 0, 0],
  positionMinRad: -1,
  positionMaxRad: 1,
  velocityMaxRadPerS: 3,
  accelMaxRadPerS2: 20,
  torqueMaxNm: 200,
  stiffnessNmPerRad: 2000,
  dampingNmSPerRad: 200,
};

/** Finger that slides along x over a floor, in a file with visual shapes only. */
const model: RobotModel = {
  name: 'finger',
  joints: [joint],
  tool: { originXyzM: [0.1, 0, 0], originRpyRad: [0, 0, 0] },
  workspace: { minM: [-1, -1, 0], maxM: [1, 1, 2] },
  controlHz: 100,
  limitMarginRad: 0.01,
  leashM: 0.05,
  leashRad: 0.1,
  homeRad: [0],
};
const FINGER = `<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody><geom name="floor" type="plane" size="2 2 0.1"/>
  <body name="finger" pos="0 0 0.05"><joint name="slide" type="slide" axis="1 0 0"/>
    <geom type="box" size="0.1 0.02 0.02" mass="1"/></body></worldbody></mujoco>`;
const THINGS = `<mujoco><worldbody>
  <body name="block" pos="0.5 0 0.03"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.1"/><site name="corner" pos="0.03 0.03 0"/></body>
  <body name="drawer" pos="0 1 0"><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/><geom size="0.02" pos="0 0 1" mass="1"/></body>
  <body name="mark" mocap="true"><geom size="0.01" contype="0" conaffinity="0"/></body>
  <body name="post" pos="2 2 0"><geom type="box" size="0.01 0.01 0.1"/></body>
  </worldbody><actuator><motor joint="nobody"/></actuator></mujoco>`;
const PLACES = ['block', 'corner', 'drawer', 'mark', 'post'];

const folder = mkdtempSync(join(tmpdir(), 'rein-scene-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open: MujocoDriver[] = [];
afterEach(async () => {
  for (const driver of open.splice(0)) await driver.close();
});

function written(text: string, name = 'scene.xml'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function driverOf(scene: string, places: readonly string[] = PLACES): Promise<MujocoDriver> {
  const signalNames = ['goalXM', ...places.flatMap(placeSignals)];
  const surroundings = { file: written(scene), places };
  const driver = new MujocoDriver(model, { file: FINGER, velocityFeedForward: true, signalNames, surroundings });
  open.push(driver);
  await driver.open();
  driver.torque(1);
  return driver;
}

const withoutMotor = THINGS.replace(/<actuator>.*<\/actuator>/, '');
const layout: SceneLayout = {
  jointsRad: [0],
  objects: {
    block: [0.3, 0.1, 0.03, Math.PI / 2],
    drawer: [0.5, 1.2, 0, 0.4],
    mark: [0.1, 0.2, 0.3, -0.3],
    post: [-0.4, 0.5, 0.1, 0.2],
  },
  signals: { goalXM: 0.77 },
};

describe('things beside a robot', () => {
  it('stand where the layout puts them, are measured in the base frame, and what is not measured is as drawn', async () => {
    const driver = await driverOf(withoutMotor);
    const state = createRobotState(1, driver.facts.signalNames.length);
    driver.scene.reset(layout);
    driver.read(state);
    const at = (place: string): number[] =>
      placeSignals(place).map((name) => state.signals[driver.facts.signalNames.indexOf(name)]!);
    const close = (place: string, expected: readonly number[]): void => {
      for (const [k, value] of at(place).entries()) expect(value, `${place} ${k}`).toBeCloseTo(expected[k]!, 3);
    };
    close('block', [0.3, 0.1, 0.03, Math.PI / 2]);
    close('corner', [0.27, 0.13, 0.03, Math.PI / 2]);
    // The drawer slides along y only.
    close('drawer', [0, 1.2, 0, 0.4]);
    close('mark', [0.1, 0.2, 0.3, -0.3]);
    close('post', [-0.4, 0.5, 0.1, 0.2]);
    expect(state.signals[0]).toBe(0.77);
    expect(driver.scene.geoms.map(({ type }) => type)).toEqual(['plane', 'box', 'box', 'sphere', 'sphere', 'box']);
  });

  it('lie on what the robot stands on, and are pushed by a robot whose own shapes touch nothing, which feels it', async () => {
    const driver = await driverOf(withoutMotor);
    const state = createRobotState(1, driver.facts.signalNames.length);
    driver.scene.reset({ ...layout, objects: { ...layout.objects, block: [0.2, 0, 0.03, 0] } });
    const reference = state.positionRad.slice() as typeof state.positionRad;
    let pressed = 0;
    for (let i = 0; i < 100; i++) {
      reference[0] = Math.min(0.3, 0.004 * i);
      driver.write(reference);
      expect(driver.read(state)).toBe('ok');
      pressed = Math.min(pressed, state.wrench[0]!);
    }
    // The finger's tip is 0.1 m ahead of its middle, and the block's middle 0.03 m ahead of the tip.
    expect(state.signals[1]).toBeGreaterThan(0.42);
    expect(state.signals[3]).toBeCloseTo(0.03, 2);
    expect(pressed).toBeLessThan(-0.3);
    driver.scene.reset(layout);
    driver.read(state);
    expect(state.signals[1]).toBeCloseTo(0.3, 3);
    expect(state.wrench[0]).toBe(0);
  });

  it.each([
    ['a place that is not there', withoutMotor, ['blok'], 'the scene has no body and no site named "blok"'],
    ['a name that the robot has', withoutMotor.replace('"post"', '"finger"'), [], "repeated name 'finger' in body"],
    ['an actuator of its own for nothing', THINGS, [], undefined],
    ['no world', '<mujoco/>', [], 'scene.xml: there is no <worldbody>'],
    ['no XML', '<mujoco><worldbody>', [], 'scene.xml:1: MuJoCo cannot load it: this is not XML'],
  ])('%s', async (_name, scene, places, expected) => {
    if (expected === undefined) await driverOf(scene, places);
    else await expect(driverOf(scene, places)).rejects.toThrow(expected);
  });
});

const INCLUDING = `<mujoco><default><joint type="slide" axis="0 1 0"/><default class="lid"><joint type="hinge"/></default></default>
  <worldbody><body name="drawer"><joint/><geom size="0.02" mass="1"/></body>
  <body childclass="lid"><body name="lid"><joint axis="0 0 1"/><geom size="0.02" pos="0.1 0 0" mass="1"/></body></body></worldbody>
  <!-- <include file="nowhere.xml"/> --><include file="more.xml"/></mujoco>`;
const MORE = `<mujocoinclude><worldbody><body name="block" pos="0.5 0 0.03"><freejoint/><geom size="0.03" mass="0.1"/></body></worldbody></mujocoinclude>`;

it('a scene has what it includes, and its joints what their defaults say, in the file and in the simulator', async () => {
  written(MORE, 'more.xml');
  expect(readSceneFile(written(INCLUDING)).bodies).toEqual([
    { name: 'drawer', isTop: true, goes: [false, true, false, false] },
    { name: 'lid', isTop: false, goes: [false, false, false, true] },
    { name: 'block', isTop: true, goes: [true, true, true, true] },
  ]);
  const driver = await driverOf(INCLUDING, ['drawer', 'block']);
  driver.scene.reset({ ...layout, objects: { drawer: [0, 0.3, 0, 0], block: [0.4, 0, 0.03, 0] } });
  const state = createRobotState(1, driver.facts.signalNames.length);
  driver.read(state);
  expect(state.signals[2]).toBeCloseTo(0.3, 2);
  expect(state.signals[5]).toBeCloseTo(0.4, 2);
  written('<mujoco><include file="more.xml"/></mujoco>', 'more.xml');
  expect(() => readSceneFile(written(INCLUDING))).toThrow('more.xml includes itself');
});

it('a scene file says its names, and where each body can be put, without the simulator', () => {
  const nested = withoutMotor.replace('<geom size="0.01"', '<body name="within"/><geom size="0.01"');
  expect(readSceneFile(written(nested))).toEqual({
    bodies: [
      { name: 'block', isTop: true, goes: [true, true, true, true] },
      { name: 'drawer', isTop: true, goes: [false, true, false, true] },
      { name: 'mark', isTop: true, goes: [true, true, true, true] },
      { name: 'within', isTop: false, goes: [true, true, true, true] },
      { name: 'post', isTop: true, goes: [true, true, true, true] },
    ],
    sites: ['corner'],
  });
  expect(() => readSceneFile(written('<robot/>'))).toThrow('this is no MJCF: a scene begins with <mujoco>');
});
