import { afterAll, beforeAll, expect, it } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { demonstrate } from '../../../../tests/support/demonstrate.ts';
import { Fork, ForkDemonstrator } from './fork.ts';

let fork: Fork;

beforeAll(async () => {
  fork = await Fork.open();
});

afterAll(() => fork.close());

it('ends at the obstacle, without a reward, when one goes straight on', () => {
  fork.reset(new Rng(1));
  let steps = 0;
  for (; steps < 40 && !fork.isTerminated; steps++) fork.step(Float32Array.of(1, 0));
  expect([fork.isTerminated, fork.isSuccess, fork.reward]).toEqual([true, false, 0]);
  expect(Math.hypot(fork.xM, fork.yM)).toBeGreaterThan(0.33);
  // From −1 m to −0.35 m at 1 m/s.
  expect(steps).toBeGreaterThanOrEqual(6);
  expect(steps).toBeLessThanOrEqual(8);
});

it('ends outside its arena', () => {
  fork.reset(new Rng(1));
  for (let i = 0; i < 40 && !fork.isTerminated; i++) fork.step(Float32Array.of(-1, 0));
  expect([fork.isTerminated, fork.isSuccess]).toEqual([true, false]);
});

it('is demonstrated by both ways, half and half, nearly always to the goal', () => {
  const demonstrator = new ForkDemonstrator(fork);
  let left = 0;
  let solved = 0;
  for (let seed = 0; seed < 100; seed++) {
    const { observations, rewards, isSuccess } = demonstrate(fork, demonstrator, new Rng(seed));
    const middle = 4 * Math.floor(rewards.length / 2);
    if (observations[middle + 1]! > 0) left++;
    if (isSuccess) solved++;
    expect(rewards.reduce((sum, reward) => sum + reward, 0)).toBe(isSuccess ? 1 : 0);
  }
  expect(solved).toBeGreaterThanOrEqual(95);
  expect(left).toBeGreaterThan(35);
  expect(left).toBeLessThan(65);
});
