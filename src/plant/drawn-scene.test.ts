import { expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { ArmKinematics } from '../model/index.ts';
import { drawnScene } from './drawn-scene.ts';

it('gives the shapes that the driver simulates, on the links and bodies that carry them', async () => {
  const { config, driver } = arm6Setup();
  const { robot } = config;
  const scene = (await drawnScene(driver, robot))!;
  expect(scene.jointsRad).toEqual(robot.homeRad);
  // Each joint moves some shape, and the hole is a separate body.
  expect([...new Set(scene.shapes.map(({ link }) => link))].sort()).toEqual(
    ['base', ...robot.joints.map(({ name }) => name)].sort(),
  );
  expect(scene.shapes.filter(({ body }) => body === 'hole')).toHaveLength(13);
  // The peg, the last link, ends at the tool point of the robot model.
  const tool = new Float64Array(7);
  const arm = new ArmKinematics(robot);
  arm.forward(robot.homeRad);
  arm.writeTcp(tool);
  const reach = scene.shapes
    .filter(({ link }) => link === robot.joints.at(-1)!.name)
    .map(({ pose, sizeM }) => Math.hypot(...[0, 1, 2].map((k) => pose[k]! - tool[k]!)) - Math.max(...sizeM));
  expect(Math.min(...reach)).toBeCloseTo(0, 3);
});

it('has nothing of a robot that is not simulated from a file', async () => {
  const { config } = arm6Setup();
  expect(await drawnScene({ name: 'mock', options: {} }, config.robot)).toBeUndefined();
});
