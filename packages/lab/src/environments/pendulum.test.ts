import { afterAll, beforeAll, expect, it } from 'vitest';
import { clamp, Rng, wrapAngleRad } from '../../../../src/model/index.ts';
import { Pendulum } from './pendulum.ts';

let pendulum: Pendulum;

beforeAll(async () => {
  pendulum = await Pendulum.open();
});

afterAll(() => pendulum.close());

it('moves as the published equation says, for an episode of random torques', () => {
  const rng = new Rng(1);
  const action = new Float32Array(1);
  pendulum.reset(rng);
  let angle = Math.atan2(pendulum.observation[1]!, pendulum.observation[0]!);
  let speed = pendulum.observation[2]!;
  pendulum.place(angle, speed);
  let fastest = 0;
  for (let i = 0; i < 200; i++) {
    // Pushes along with the swing until the speed limit is reached.
    action[0] = i < 150 ? Math.sign(speed) : rng.uniformIn(-1, 1);
    const torque = 2 * action[0];
    const reward = -(wrapAngleRad(angle) ** 2 + 0.1 * speed ** 2 + 0.001 * torque ** 2);
    speed = clamp(speed + (15 * Math.sin(angle) + 3 * torque) * 0.05, -8, 8);
    angle += speed * 0.05;
    fastest = Math.max(fastest, Math.abs(speed));
    pendulum.step(action);
    expect(pendulum.reward).toBeCloseTo(reward, 9);
    expect(pendulum.observation).toEqual(Float32Array.of(Math.cos(angle), Math.sin(angle), speed));
  }
  expect(fastest).toBe(8);
});

it('rewards rest upright with 0, and hanging still with −π²', () => {
  pendulum.reset(new Rng(1));
  pendulum.place(0, 0);
  pendulum.step(Float32Array.of(0));
  expect(pendulum.reward).toBeCloseTo(0, 12);
  pendulum.place(Math.PI, 0);
  pendulum.step(Float32Array.of(1));
  expect(pendulum.reward).toBeCloseTo(-(Math.PI ** 2) - 0.004, 12);
});
