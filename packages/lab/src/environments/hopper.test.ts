import { afterAll, beforeAll, expect, it } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { Hopper } from './hopper.ts';

let hopper: Hopper;

beforeAll(async () => {
  hopper = await Hopper.open();
});

afterAll(() => hopper.close());

it('weighs what capsules of 1000 kg/m³ weigh', () => {
  const capsule = (lengthM: number, radiusM: number) => 1000 * Math.PI * radiusM ** 2 * (lengthM + (4 / 3) * radiusM);
  const masses = [capsule(0.4, 0.05), capsule(0.45, 0.05), capsule(0.5, 0.04), capsule(0.39, 0.06)];
  for (const [i, mass] of hopper.massesKg().entries()) expect(mass).toBeCloseTo(masses[i]!, 6);
  expect(hopper.massesKg()).toHaveLength(4);
});

it('starts upright at 1.25 m with its foot 4 cm above the ground', () => {
  hopper.reset(new Rng(1));
  expect(Math.abs(hopper.observation[0]! - 1.25)).toBeLessThan(0.0051);
  for (let i = 1; i < 11; i++) expect(Math.abs(hopper.observation[i]!)).toBeLessThan(0.0051);
  // Free fall from rest until 4 cm are gone: √(2·0.04/9.81) = 90 ms, 11 steps.
  for (let i = 0; i < 10; i++) hopper.step(new Float32Array(3));
  expect(hopper.observation[6]!).toBeCloseTo(-9.81 * 0.08, 1);
  for (let i = 0; i < 10; i++) hopper.step(new Float32Array(3));
  expect(hopper.observation[6]!).toBeGreaterThan(-0.5);
});

it('is paid 1 for health and the way it goes, less what it exerts', () => {
  hopper.reset(new Rng(2));
  hopper.step(Float32Array.of(1, -0.5, 0));
  // The torso is hardly moving yet: speed over the step is between the speeds at both of its ends.
  expect(Math.abs(hopper.reward - (1 - 0.00125))).toBeLessThan(0.2);
  expect(hopper.isTerminated).toBe(false);
});

it('falls and ends when it does nothing, not paid for health in its last step', () => {
  hopper.reset(new Rng(3));
  let steps = 0;
  while (!hopper.isTerminated && steps < hopper.maxSteps) {
    hopper.step(new Float32Array(3));
    steps++;
  }
  expect(hopper.isTerminated).toBe(true);
  const [height, tilt, , , , speed] = hopper.observation;
  expect(height! <= 0.7 || Math.abs(tilt!) >= 0.2).toBe(true);
  expect(hopper.reward).toBeCloseTo(speed!, 1);
  expect(hopper.isSuccess).toBeUndefined();
});
