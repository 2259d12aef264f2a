/** Properties of every environment: sizes, repeatability, refusals. */
import { afterAll, describe, expect, it } from 'vitest';
import { type Environment, ReinError, Rng, totalObservationSize } from '../../../../src/model/index.ts';
import { demonstrate } from '../../../../tests/support/demonstrate.ts';
import { createDemonstrator, createEnvironment, createOverseer, ENVIRONMENT_NAMES } from './registry.ts';

/** Environments are slow to open and restart with each episode: one instance each. */
const opened = new Map<string, Promise<Environment>>();

function environment(name: string): Promise<Environment> {
  if (!opened.has(name)) opened.set(name, createEnvironment(name));
  return opened.get(name)!;
}

afterAll(async () => {
  for (const one of opened.values()) (await one).close();
});

/** Observations, rewards and costs of random actions, and the end of the episode. */
function record(task: Environment, seed: number): { numbers: Float64Array; ends: readonly unknown[] } {
  const rng = new Rng(seed);
  const action = new Float32Array(task.actionSize);
  const numbers: number[] = [];
  task.reset(rng);
  for (let i = 0; i < 12 && !task.isTerminated; i++) {
    for (let k = 0; k < action.length; k++) action[k] = rng.uniformIn(-1, 1);
    task.step(action);
    numbers.push(task.reward, task.cost, ...task.observation);
  }
  return { numbers: Float64Array.from(numbers), ends: [task.isTerminated, task.isSuccess] };
}

describe.each(ENVIRONMENT_NAMES.map((name) => [name] as const))('the environment %s', (name) => {
  it('has the sizes it says, all numbers finite and costs not negative', async () => {
    const task = await environment(name);
    task.reset(new Rng(1));
    expect(task.name).toBe(name);
    expect(task.observation).toHaveLength(totalObservationSize(task.parts));
    expect([task.reward, task.cost, task.isTerminated, task.isSuccess ?? false]).toEqual([0, 0, false, false]);
    expect(record(task, 2).numbers.every(Number.isFinite)).toBe(true);
    expect(task.cost).toBeGreaterThanOrEqual(0);
    const ranges = task.actionRanges!;
    expect(ranges).toHaveLength(task.actionSize);
    expect(new Set(ranges.map(({ name: number }) => number)).size).toBe(task.actionSize);
    for (const { unit, low, high } of ranges) expect([unit.length > 0, low < high]).toEqual([true, true]);
  });

  it('repeats bit for bit, and differs with another seed', async () => {
    const task = await environment(name);
    const first = record(task, 3);
    const other = record(task, 4);
    expect(other.numbers).not.toEqual(first.numbers);
    expect(record(task, 3)).toEqual(first);
  });

  it('clips actions to ±1', async () => {
    const task = await environment(name);
    const after = (value: number) => {
      task.reset(new Rng(5));
      task.step(new Float32Array(task.actionSize).fill(value));
      return [task.reward, ...task.observation];
    };
    expect(after(7)).toEqual(after(1));
    expect(after(0.2)).not.toEqual(after(1));
  });

  it('refuses an action that is not finite or too short, and stays as it was', async () => {
    const task = await environment(name);
    task.reset(new Rng(6));
    const before = task.observation.slice();
    const bad = new Float32Array(task.actionSize);
    bad[task.actionSize - 1] = Number.NaN;
    expect(() => task.step(bad)).toThrow(ReinError);
    expect(() => task.step(bad)).toThrow(/NaN/);
    expect(() => task.step(new Float32Array(task.actionSize + 1))).toThrow(/numbers/);
    expect(task.observation).toEqual(before);
  });

  it('refuses an option it does not have', async () => {
    await expect(createEnvironment(name, { nonsense: 1 })).rejects.toThrow(/nonsense/);
  });
});

it('names the nearest environment for a name that is wrong', async () => {
  await expect(createEnvironment('pendulun')).rejects.toThrow(
    'there is no environment named "pendulun", did you mean "pendulum"?',
  );
  await expect(createEnvironment('toaster')).rejects.toMatchObject({
    kind: 'config',
    message: 'there is no environment named "toaster"',
    remedy: expect.stringContaining('insert-state'),
  });
});

it('says what an option may be', async () => {
  await expect(createEnvironment('insert-state', { holeNoiseM: -1 })).rejects.toThrow(/number from 0 to 0.02/);
  await expect(createEnvironment('insert-state', { privileged: 1 })).rejects.toThrow(/true or false/);
  await expect(createEnvironment('insert-state', { priviliged: true })).rejects.toThrow(/"privileged"/);
});

it.each(['fork', 'contact-push', 'insert-state', 'insert-depth'])('%s has somebody who can do it', async (name) => {
  const task = await environment(name);
  expect(demonstrate(task, createDemonstrator(task, { actionNoise: 0 }), new Rng(7)).isSuccess).toBe(true);
});

it('says where nobody demonstrates or corrects', async () => {
  const task = await environment('pendulum');
  expect(() => createDemonstrator(task)).toThrow('the environment "pendulum" has no scripted demonstrator');
  expect(() => createOverseer(task)).toThrow('the environment "pendulum" has no scripted overseer');
  expect(() => createOverseer(task, {})).toThrow(ReinError);
});
