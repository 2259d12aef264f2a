import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadRobotFile } from '../../../../src/config/index.ts';
import { MujocoBody } from './mujoco-body.ts';

const { robot } = loadRobotFile('so101');
const { model: file } = robot.driver as unknown as { readonly model: string };

it('falls without torque, and stands where it is held', async () => {
  const limp = await MujocoBody.open({ file, model: robot });
  const [before] = [limp.positionRad.slice()];
  for (let i = 0; i < 500; i++) limp.step();
  expect(Math.abs(limp.positionRad[1]! - before[1]!)).toBeGreaterThan(0.3);
  limp.close();
  const held = await MujocoBody.open({ file, model: robot });
  for (let i = 0; i < 1000; i++) {
    for (const [k, home] of robot.homeRad.entries()) {
      held.torqueNm[k] = 18 * (home - held.positionRad[k]!) - 0.6 * held.velocityRadPerS[k]!;
    }
    held.step();
  }
  for (const [k, home] of robot.homeRad.entries()) expect(Math.abs(held.positionRad[k]! - home)).toBeLessThan(0.08);
  held.close();
});

it('has beside it what a task puts there, and measures it', async () => {
  const scene = fileURLToPath(new URL('../../../../config/tasks/scenes/push.xml', import.meta.url));
  const body = await MujocoBody.open({
    file,
    model: robot,
    scene: {
      surroundings: { file: scene, places: ['block'] },
      signalNames: ['blockXM', 'blockYM', 'blockZM'],
      layout: { jointsRad: robot.homeRad, objects: { block: [0.3, 0.1, 0.03, 0] }, signals: {} },
    },
  });
  expect(body.signals.get('blockXM')).toBeCloseTo(0.3, 3);
  for (let i = 0; i < 50; i++) body.step();
  expect(body.signals.get('blockYM')).toBeCloseTo(0.1, 2);
  body.close();
});
