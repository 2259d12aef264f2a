import { afterAll, beforeAll, expect, it } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { Reacher } from './reacher.ts';

let reacher: Reacher;

beforeAll(async () => {
  reacher = await Reacher.open();
});

afterAll(() => reacher.close());

it('starts nearly stretched with a target within 0.2 m, which stays where it is', () => {
  const rng = new Rng(1);
  for (let episode = 0; episode < 50; episode++) {
    reacher.reset(rng);
    const [cos1, , , , targetX, targetY] = reacher.observation;
    expect(cos1).toBeGreaterThan(Math.cos(0.1));
    expect(Math.hypot(targetX!, targetY!)).toBeLessThan(0.2);
    reacher.step(Float32Array.of(1, -1));
    expect(reacher.observation[4]).toBe(targetX);
  }
});

it('is rewarded with minus the distance and minus the squared action', () => {
  reacher.reset(new Rng(2));
  reacher.step(Float32Array.of(0.5, -0.25));
  const [cos1, cos2, sin1, sin2, targetX, targetY, , , deltaX, deltaY] = reacher.observation;
  // The fingertip by angle addition: 0.1 m along the first link, 0.11 m along the second.
  const tipX = 0.1 * cos1! + 0.11 * (cos1! * cos2! - sin1! * sin2!);
  const tipY = 0.1 * sin1! + 0.11 * (sin1! * cos2! + cos1! * sin2!);
  expect(deltaX).toBeCloseTo(tipX - targetX!, 6);
  expect(deltaY).toBeCloseTo(tipY - targetY!, 6);
  expect(reacher.reward).toBeCloseTo(-Math.hypot(deltaX!, deltaY!) - 0.3125, 6);
});

it('accelerates by torque over inertia: 200 N·m on little more than the armature of 1 kg·m²', () => {
  reacher.reset(new Rng(3));
  const before = reacher.observation[6]!;
  reacher.step(Float32Array.of(1, 0));
  // θ̈ = 200/(1 + small) less damping, for 0.02 s.
  expect(reacher.observation[6]! - before).toBeGreaterThan(3.9);
  expect(reacher.observation[6]! - before).toBeLessThan(4);
});
