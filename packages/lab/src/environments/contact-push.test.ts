import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { demonstrate } from '../../../../tests/support/demonstrate.ts';
import { ContactPush, ContactPushDemonstrator } from './contact-push.ts';

let free: ContactPush;
let filtered: ContactPush;

beforeAll(async () => {
  free = await ContactPush.open();
  filtered = await ContactPush.open({ filter: true });
});

afterAll(() => {
  free.close();
  filtered.close();
});

/** Averages over `count` episodes at `pace`. */
function push(task: ContactPush, pace: number, count: number): { solved: number; injected: number; largest: number } {
  const demonstrator = new ContactPushDemonstrator(task, { pace });
  const action = new Float32Array(1);
  let [solved, injected, largest] = [0, 0, 0];
  for (let seed = 0; seed < count; seed++) {
    const rng = new Rng(seed);
    task.reset(rng);
    demonstrator.begin(rng);
    for (let i = 0; i < task.maxSteps && !task.isTerminated; i++) {
      demonstrator.act(action);
      task.step(action);
      injected += task.cost;
      largest = Math.max(largest, task.cost);
      expect(task.tankJ).toBeGreaterThanOrEqual(0.02 - 1e-12);
    }
    if (task.isSuccess === true) solved++;
  }
  return { solved: solved / count, injected: injected / count, largest };
}

describe('without the filter', () => {
  it('costs what the first step stretches the spring by: ½·K·Δ²', () => {
    free.reset(new Rng(1));
    free.step(Float32Array.of(0.5));
    expect(free.cost).toBeCloseTo(0.5 * 2000 * 0.005 ** 2, 9);
    expect(free.scale).toBe(1);
  });

  it('loses in damping what moving freely injected, once it stands again', () => {
    free.reset(new Rng(1));
    let injected = 0;
    let dissipated = 0;
    for (let i = 0; i < 14; i++) {
      free.step(Float32Array.of(i < 4 ? 0.4 : 0));
      injected += free.injectedJ;
      dissipated += free.dissipatedJ;
    }
    expect(free.gapM).toBeGreaterThan(0);
    expect(free.deflectionM).toBeCloseTo(0, 6);
    expect(dissipated / injected).toBeGreaterThan(0.97);
    expect(dissipated / injected).toBeLessThan(1.03);
  });

  it('is solved at any pace, and haste costs more energy', () => {
    const calm = push(free, 0.2, 8);
    const hasty = push(free, 1, 8);
    expect([calm.solved, hasty.solved]).toEqual([1, 1]);
    expect(hasty.injected).toBeGreaterThan(2.5 * calm.injected);
  });

  it('is rewarded with the progress made, and one for the mark', () => {
    const { rewards, isSuccess } = demonstrate(free, new ContactPushDemonstrator(free), new Rng(3));
    const sum = rewards.reduce((total, reward) => total + reward, 0);
    expect(isSuccess).toBe(true);
    // The mark is reached within 2 mm of at least 30.
    expect(Math.abs(sum - (2 - 0.01 * rewards.length))).toBeLessThan(2 / 30);
  });

  it('is lost when the slider is pushed past its mark', () => {
    free.reset(new Rng(4));
    for (let i = 0; i < 60 && !free.isTerminated; i++) free.step(Float32Array.of(1));
    expect([free.isTerminated, free.isSuccess]).toEqual([true, false]);
    expect(free.distanceM).toBeLessThan(-0.002);
  });
});

describe('with the filter', () => {
  it('no step injects more than its power allows, and haste no longer costs much more', () => {
    const calm = push(filtered, 0.2, 8);
    const hasty = push(filtered, 1, 8);
    expect([calm.solved, hasty.solved]).toEqual([1, 1]);
    expect(hasty.largest).toBeLessThanOrEqual(0.05 + 1e-12);
    expect(hasty.injected).toBeLessThan(2.5 * calm.injected);
  });

  it('does a part of a step that is too dear, shows which, and can cost what was asked for', async () => {
    const asked = await ContactPush.open({ filter: true, costOfRequest: true });
    for (const task of [filtered, asked]) {
      task.reset(new Rng(5));
      task.step(Float32Array.of(1));
      // ½·2000·0.01² = 0.1 J requested, 0.05 J allowed: λ = √½.
      expect(task.scale).toBeCloseTo(Math.SQRT1_2, 9);
      expect(task.observation[6]).toBeCloseTo(Math.SQRT1_2, 6);
      expect(task.executedAction[0]).toBeCloseTo(Math.SQRT1_2, 6);
    }
    expect(filtered.cost).toBeCloseTo(0.05, 9);
    expect(asked.cost).toBeCloseTo(0.1, 9);
    expect(asked.injectedJ).toBeCloseTo(0.05, 9);
    asked.close();
  });

  it('refuses a tank that begins below its least level', async () => {
    await expect(ContactPush.open({ tankStartJ: 0.01 })).rejects.toThrow(/tankMinJ 0.02, tankStartJ 0.01/);
  });
});
