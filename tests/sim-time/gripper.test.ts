/**
 * A gripper beside the tool: a gantry that a stranger might write, whose task moves the tool by cartesian actions and the gripper by a number of
 * its own, picks a cube up. One finger is the robot's joint, the other is coupled to it by its model.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRobot } from '../../src/index.ts';

const MODEL = `<mujoco model="picker">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.01"/>
    <body name="gx" pos="0 0 0.5">
      <joint name="gx" type="slide" axis="1 0 0" range="-0.5 0.5" damping="5"/>
      <geom name="gx" type="box" size="0.03 0.5 0.02" mass="3" contype="0" conaffinity="0"/>
      <body name="gy">
        <joint name="gy" type="slide" axis="0 1 0" range="-0.4 0.4" damping="5"/>
        <geom name="gy" type="box" size="0.04 0.04 0.04" mass="2" contype="0" conaffinity="0"/>
        <body name="gz" pos="0 0 -0.2">
          <joint name="gz" type="slide" axis="0 0 1" range="-0.25 0.1" damping="5"/>
          <geom name="gz" type="capsule" size="0.02" fromto="0 0 0.2 0 0 0" mass="1"/>
          <body name="left" pos="0 0 -0.03">
            <joint name="gripper" type="slide" axis="0 1 0" range="0 0.04" damping="1"/>
            <geom name="left" type="box" size="0.01 0.005 0.03" pos="0 0.005 0" mass="0.05" friction="2 0.05 0.001"/>
          </body>
          <body name="right" pos="0 0 -0.03">
            <joint name="right" type="slide" axis="0 -1 0" range="0 0.04" damping="1"/>
            <geom name="right" type="box" size="0.01 0.005 0.03" pos="0 -0.005 0" mass="0.05" friction="2 0.05 0.001"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="right" joint2="gripper"/></equality>
</mujoco>
`;
const SERVO =
  'torqueMaxNm: 200, stiffnessNmPerRad: 5000, dampingNmSPerRad: 300, velocityMaxRadPerS: 1, accelMaxRadPerS2: 5';
const FINGER =
  'torqueMaxNm: 20, stiffnessNmPerRad: 1000, dampingNmSPerRad: 20, velocityMaxRadPerS: 0.2, accelMaxRadPerS2: 2';
const slide = (name: string, at: string, axis: string, range: string, servo: string, parent = '') =>
  `  - { name: ${name}, kind: prismatic, ${parent}originXyzM: ${at}, originRpyRad: [0, 0, 0], axis: ${axis}, ${range}, ${servo} }`;
const ROBOT = `name: picker
joints:
${slide('gx', '[0, 0, 0.5]', '[1, 0, 0]', 'positionMinRad: -0.5, positionMaxRad: 0.5', SERVO)}
${slide('gy', '[0, 0, 0]', '[0, 1, 0]', 'positionMinRad: -0.4, positionMaxRad: 0.4', SERVO)}
${slide('gz', '[0, 0, -0.2]', '[0, 0, 1]', 'positionMinRad: -0.25, positionMaxRad: 0.1', SERVO)}
${slide('gripper', '[0, 0, -0.03]', '[0, 1, 0]', 'positionMinRad: 0, positionMaxRad: 0.04', FINGER, 'parent: gz, ')}
tool: { link: gz, originXyzM: [0, 0, -0.05], originRpyRad: [3.14159265, 0, 0] }
workspace: { minM: [-0.5, -0.4, 0.0], maxM: [0.5, 0.4, 0.6] }
controlHz: 100
limitMarginRad: 0.001
leashM: 0.02
leashRad: 0.15
homeRad: [0, 0, -0.1, 0.03]
driver: { kind: mujoco, model: picker.xml }
`;
const SCENE = `<mujoco><worldbody><body name="cube" pos="0.1 0 0.02"><freejoint/>
  <geom type="box" size="0.02 0.02 0.02" mass="0.05" friction="2 0.05 0.001"/></body></worldbody></mujoco>
`;
const TASK = `name: lift
kind: described
robot: ./picker.yaml
learner: rlpd
policyHz: 10
maxSteps: 80
action:
  kind: cartesian
  dimensions:
    - { name: x, scale: 0.015, unit: m }
    - { name: y, scale: 0.015, unit: m }
    - { name: z, scale: 0.015, unit: m }
    - { name: gripper, scale: 0.01, unit: m }
scene: { file: cube.xml, bodies: [{ name: cube, atM: [0.1, 0, 0.02], spreadM: [0.02, 0.02, 0] }] }
observation: { places: [{ place: cube }] }
success: { all: [{ rule: inside, place: cube, minM: [-1, -1, 0.1], maxM: [1, 1, 1] }] }
`;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-gripper-'));
  writeFileSync(join(dir, 'picker.xml'), MODEL);
  writeFileSync(join(dir, 'picker.yaml'), ROBOT);
  writeFileSync(join(dir, 'cube.xml'), SCENE);
  writeFileSync(join(dir, 'lift.yaml'), TASK);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('picks up a cube with cartesian actions and a number for the gripper', async () => {
  const robot = await openRobot({ task: join(dir, 'lift.yaml'), seed: 1 });
  try {
    const { fields, frames } = robot.observation;
    const size = fields.reduce((sum, field) => sum + field.size, 0);
    const placeOf = (name: string): number => {
      let at = (frames - 1) * size;
      for (const field of fields) {
        if (field.name === name) return at;
        at += field.size;
      }
      throw new RangeError(name);
    };
    const [cube, joints] = [placeOf('cube_from_tool'), placeOf('joint_position')];
    const clip = (value: number): number => Math.max(-1, Math.min(1, value));
    let closing = 0;
    const openings: number[] = [];
    const result = await robot.episode((observation) => {
      const [x, y, z] = [0, 1, 2].map((k) => 0.1 * observation[cube + k]!) as [number, number, number];
      openings.push(observation[joints + 3]!);
      const isThere = Math.hypot(x, y) < 0.004 && Math.abs(z) < 0.006;
      if (!isThere && closing === 0) {
        const down = Math.hypot(x, y) < 0.01 ? z / 0.015 : 0;
        return [clip(x / 0.015), clip(y / 0.015), clip(down), 1];
      }
      return [0, 0, ++closing > 10 ? 1 : 0, -1];
    });
    expect(result.success).toBe(true);
    // From home, as a share of its range: it opened, and closed on 40 mm of cube, 20 mm a finger.
    expect(Math.max(...openings)).toBeGreaterThan(0.1);
    expect(openings.at(-1)).toBeGreaterThan(-0.5);
    expect(openings.at(-1)).toBeLessThan(-0.1);
  } finally {
    await robot.close();
  }
}, 60_000);

it.each([
  ['gz', 'm', /there is no "gz", cartesian actions have x, y, z, yaw, gripper/],
  ['gripper', 'rad', /joint "gripper" is given in rad, it must be m/],
])('refuses %s in %s beside the tool', async (name, unit, message) => {
  const wrong = TASK.replace('name: gripper, scale: 0.01, unit: m', `name: ${name}, scale: 0.01, unit: ${unit}`);
  writeFileSync(join(dir, 'wrong.yaml'), wrong);
  await expect(openRobot({ task: join(dir, 'wrong.yaml') })).rejects.toThrow(message);
});
