import { describe, expect, it, vi } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { createTransition, type Transition } from '../../../../src/rows/index.ts';
import { BaseActionEnvironment } from './base-action.ts';
import { completed, demonstrations } from './demonstrations.ts';
import type { Demonstrator } from './demonstrator.ts';
import { createStudyEnvironment } from './environments.ts';
import { PointEnvironment } from './point.ts';

/** Base that counts its queries, and draws: 0.01 more with every answer since `begin`, and a bit of noise. */
class CountingBase implements Demonstrator {
  asked = 0;
  #sinceBegin = 0;
  #rng: Rng | undefined;

  begin(rng: Rng): void {
    this.#rng = rng;
    this.#sinceBegin = 0;
  }

  act(action: Float32Array): void {
    this.asked++;
    action[0] = 0.01 * ++this.#sinceBegin + 1e-4 * this.#rng!.uniform();
  }
}

function begun(seed: number): { environment: BaseActionEnvironment; inner: PointEnvironment; base: CountingBase } {
  const [inner, base] = [new PointEnvironment(), new CountingBase()];
  const environment = new BaseActionEnvironment(inner, base);
  environment.reset(new Rng(seed));
  return { environment, inner, base };
}

const transitionOf = ({ observation, actionSize }: PointEnvironment, step = 0): Transition => {
  const t = createTransition(observation.length, actionSize);
  t.step = step;
  return t;
};

describe('a completed transition', () => {
  it('holds the action that was executed, not the one that was asked for', () => {
    const point = new PointEnvironment();
    point.reset(new Rng(1));
    point.step(Float32Array.of(-3));
    const t = completed(transitionOf(point), point);
    expect([...t.executed]).toEqual([-1]);
    expect(t).toMatchObject({ reward: point.reward, cost: 1 });
    point.executedAction[0] = 0.25;
    expect([...completed(transitionOf(point), point).executed]).toEqual([0.25]);
  });

  it('is terminated where the task ended it, and else truncated at the last step', () => {
    const point = new PointEnvironment();
    point.reset(new Rng(1));
    const flags = (step: number) => {
      const { terminated, truncated } = completed(transitionOf(point, step), point);
      return [terminated, truncated];
    };
    point.isTerminated = false;
    expect([flags(point.maxSteps - 2), flags(point.maxSteps - 1)]).toEqual([
      [false, false],
      [false, true],
    ]);
    point.isTerminated = true;
    expect(flags(point.maxSteps - 1)).toEqual([true, false]);
  });
});

describe('an environment with a base', () => {
  it('is closed where nobody can be that base', async () => {
    const close = vi.spyOn(PointEnvironment.prototype, 'close');
    await expect(createStudyEnvironment('point', {}, { strength: 1 })).rejects.toThrow(/no option "strength"/);
    expect(close).toHaveBeenCalledOnce();
  });

  it('asks the base once for each observation, and shows what it says behind the state', () => {
    const { environment, inner, base } = begun(3);
    expect(environment.observation).toHaveLength(3);
    for (let step = 1; step <= 4; step++) {
      environment.step(Float32Array.of(0));
      expect([...environment.observation.subarray(0, 2)]).toEqual([...inner.observation]);
      expect(environment.observation[2]).toBeCloseTo(0.01 * (step + 1), 3);
    }
    expect(base.asked).toBe(5);
  });

  it('begins the base anew with each episode, and draws the same episodes however often the base draws', () => {
    const { environment, base } = begun(3);
    const first = [...environment.observation];
    for (let step = 0; step < 5; step++) environment.step(Float32Array.of(0));
    environment.reset(new Rng(3));
    expect([...environment.observation]).toEqual(first);
    const plain = new PointEnvironment();
    plain.reset(new Rng(3));
    expect(first.slice(0, 2)).toEqual([...plain.observation]);
    expect(base.asked).toBe(7);
  });

  it('shows the base in demonstrations of somebody else as well', () => {
    const { environment } = begun(3);
    const still: Demonstrator = { begin: () => {}, act: (action) => action.fill(0) };
    const spec = { episodes: 1, skill: {}, onlySuccesses: false, areKept: true };
    const shown = [...demonstrations(environment, still, spec, new Rng(5))];
    expect(shown.length).toBeGreaterThan(1);
    shown.forEach((t, step) => {
      expect([...t.executed]).toEqual([0]);
      expect(t.observation[2]).toBeCloseTo(0.01 * (step + 1), 3);
      expect(t.nextObservation[2]).toBeCloseTo(0.01 * (step + 2), 3);
    });
  });
});
