import { describe, expect, it } from 'vitest';
import { createTransition, type Source } from '../rows/index.ts';
import { HelpWatch } from './help-watch.ts';

const OPTIONS = { by: 'progress', afterSteps: 3, leastProgress: 0.01, leastValueGain: 0.1 } as const;
const START = { epoch: 1, policyHz: 1, earlier: [] };
const EPISODE = 4;

let step = 0;
function begin(watch: HelpWatch, purpose: 'training' | 'evaluation' = 'training'): void {
  step = 0;
  watch.begin(purpose);
}

/** Adds steps with the distance of the tool after each, m; returns for each whether help is due. */
function see(watch: HelpWatch, distancesM: readonly number[], source: Source = 'policy'): boolean[] {
  return distancesM.map((distanceM) => {
    watch.see({ ...createTransition(1, 1), episode: EPISODE, step: step++, source }, distanceM);
    return watch.isDue;
  });
}

/** Runs an episode that stands still for so many steps, and ends. */
function stand(watch: HelpWatch, steps: number, success: boolean, source: Source = 'policy'): number | undefined {
  begin(watch);
  see(watch, new Array<number>(steps + 1).fill(0.5), source);
  return watch.validate(success).idleSteps;
}

it('asks after so many steps without a gain, however the distance goes on meanwhile', () => {
  const watch = new HelpWatch(OPTIONS, START);
  begin(watch);
  expect(see(watch, [0.5, 0.48, 0.46])).toEqual([false, false, false]);
  // Too little to be progress, then back, then not as near as before.
  expect(see(watch, [0.455, 0.49, 0.451])).toEqual([false, false, true]);
  begin(watch);
  expect(see(watch, [0.5, 0.5, 0.5, 0.49, 0.5, 0.5, 0.5])).toEqual([...new Array<boolean>(6).fill(false), true]);
});

it('looks at the return where the task names no place', () => {
  const watch = new HelpWatch(OPTIONS, START);
  begin(watch);
  const due = [0.1, 0.1, -0.05, 0, 0].map((reward) => {
    watch.see({ ...createTransition(1, 1), step: step++, source: 'policy', reward }, undefined);
    return watch.isDue;
  });
  expect(due).toEqual([false, false, false, false, true]);
});

it('asks once an episode, and never where the task does not say so', () => {
  const watch = new HelpWatch(OPTIONS, START);
  begin(watch);
  see(watch, [0.5, 0.5, 0.5, 0.5]);
  watch.answered(4, 'goOn', 1);
  expect(see(watch, [0.5, 0.5, 0.5, 0.5, 0.5])).toEqual(new Array(5).fill(false));
  begin(watch);
  expect(see(watch, [0.5, 0.5, 0.5, 0.5]).at(-1)).toBe(true);
  const silent = new HelpWatch({ ...OPTIONS, afterSteps: 0 }, START);
  begin(silent);
  expect(see(silent, [0.5, 0.5, 0.5, 0.5, 0.5])).toEqual(new Array(5).fill(false));
  expect([silent.validate(true), silent.end(1, 0, true)]).toEqual([{}, undefined]);
});

it('counts no time in which a person had the robot', () => {
  const watch = new HelpWatch(OPTIONS, START);
  begin(watch);
  see(watch, [0.5, 0.5, 0.5]);
  see(watch, [0.5, 0.6], 'human_recover');
  expect(see(watch, [0.6, 0.6, 0.6])).toEqual([false, false, true]);
});

it('does not ask as soon as a success without help has needed, of the last 20', () => {
  const watch = new HelpWatch(OPTIONS, START);
  expect(watch.threshold).toBe(3);
  expect(stand(watch, 1, true)).toBe(1);
  expect(watch.threshold).toBe(3);
  expect(stand(watch, 7, false)).toBeUndefined();
  expect(stand(watch, 7, true, 'human_correct')).toBeUndefined();
  expect(watch.threshold).toBe(3);
  // The time of an episode that asked does not count: a person attended to it.
  begin(watch);
  see(watch, new Array<number>(9).fill(0.5));
  watch.answered(8, 'goOn', 1);
  expect([watch.validate(true), watch.threshold]).toEqual([{}, 3]);
  expect(stand(watch, 5, true)).toBe(5);
  expect(watch.threshold).toBe(6);
  begin(watch);
  expect(see(watch, new Array<number>(7).fill(0.5))).toEqual([...new Array<boolean>(6).fill(false), true]);
  for (let i = 0; i < 19; i++) stand(watch, 2, true);
  expect(watch.threshold).toBe(6);
  stand(watch, 2, true);
  expect(watch.threshold).toBe(3);
  const earlier = [90, ...new Array<number>(19).fill(2), 8].map((idleSteps) => ({ idleSteps, idleValueSteps: 70 }));
  expect(new HelpWatch(OPTIONS, { ...START, earlier }).threshold).toBe(9);
});

it('tells how often people answered, how fast, and what it changed', () => {
  const watch = new HelpWatch(OPTIONS, START);
  expect(stand(watch, 2, true)).toBe(2);
  expect(watch.end(1, 0, true)).toBeUndefined();
  begin(watch);
  see(watch, [0.5, 0.3, 0.4, 0.4]);
  watch.answered(4, 'tookOver', 2);
  expect(watch.end(1, 1, true)).toEqual({
    kind: 'help',
    epoch: 1,
    episode: 1,
    step: 4,
    by: 'progress',
    measure: -0.4,
    peak: -0.3,
    answer: 'tookOver',
    waitedS: 2,
    success: true,
  });
  begin(watch);
  watch.answered(5, 'goOn', 5);
  watch.end(1, 2, false);
  begin(watch);
  watch.answered(6, 'none', 60);
  watch.end(1, 3, false);
  begin(watch);
  watch.end(1, 4, false);
  expect(watch.text).toBe(
    'Asked for help in 3 episodes, answered in 2, in 3.5 s on average: 1 of these 3 succeeded, 1 of the 2 others.',
  );
});

describe('by the value of its steps', () => {
  const byValue = { ...OPTIONS, by: 'value' } as const;

  /** Adds steps whose values arrive at once; returns for each whether help is due. */
  function valued(watch: HelpWatch, values: readonly number[], source: Source = 'policy'): boolean[] {
    return values.map((value) => {
      see(watch, [0.5], source);
      take(watch, [step - 1], [value]);
      return watch.isDue;
    });
  }

  function take(watch: HelpWatch, steps: number[], values: number[], of = { epoch: 1, episode: EPISODE }): void {
    watch.take({ ...of, steps, values });
  }

  function watchFrom(earlier: { idleSteps?: number; idleValueSteps?: number }[] = []): HelpWatch {
    const watch = new HelpWatch(byValue, { ...START, earlier });
    begin(watch);
    return watch;
  }

  it('asks where the value stagnates or falls, and not while it rises', () => {
    expect(valued(watchFrom(), [0.2, 0.25, 0.2, 0.29])).toEqual([false, false, false, true]);
    expect(valued(watchFrom(), [0.5, 0.4, 0.3, 0.2])).toEqual([false, false, false, true]);
    // A rise that does not make up for the loss is none.
    expect(valued(watchFrom(), [0.5, 0.1, 0.3, 0.5])).toEqual([false, false, false, true]);
    expect(valued(watchFrom(), [0.1, 0.21, 0.25, 0.25, 0.32, 0.4, 0.5])).toEqual(new Array(7).fill(false));
  });

  it('says what it went by, and the value when it asked and at its best', () => {
    const watch = watchFrom();
    valued(watch, [0.2, 0.25, 0.22, 0.21]);
    expect(watch.question).toBe('its value has not risen for 3 steps (0.21, at best 0.25)');
    watch.answered(4, 'goOn', 1);
    expect(watch.isDue).toBe(false);
    expect(watch.end(1, EPISODE, true)).toMatchObject({ by: 'value', measure: 0.21, peak: 0.25, step: 4 });
  });

  it('asks later where values come late, and never sooner', () => {
    const watch = watchFrom();
    expect(see(watch, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5])).toEqual(new Array(6).fill(false));
    take(watch, [0, 1, 2], [0.2, 0.2, 0.2]);
    expect(watch.isDue).toBe(false);
    // A stagnation that the newest value has ended is no reason to ask.
    take(watch, [3, 4, 5], [0.2, 0.2, 0.5]);
    expect(watch.isDue).toBe(false);
  });

  it('does not count steps whose values never come or are not finite', () => {
    const watch = watchFrom();
    see(watch, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    take(watch, [0, 3, 4], [0.2, 0.2, Number.NaN]);
    take(watch, [5], [Number.POSITIVE_INFINITY]);
    expect(watch.isDue).toBe(false);
    take(watch, [5, 6], [0.2, 0.2]);
    expect(watch.isDue).toBe(true);
  });

  it('passes over values of other episodes and starts, of steps that were not done, and out of order', () => {
    const watch = watchFrom();
    see(watch, [0.5, 0.5, 0.5, 0.5, 0.5]);
    const [steps, values] = [
      [0, 1, 2, 3],
      [0.2, 0.2, 0.2, 0.2],
    ];
    take(watch, steps, values, { epoch: 1, episode: EPISODE - 1 });
    take(watch, steps, values, { epoch: 2, episode: EPISODE });
    take(watch, [5, 6, 7, 8], values);
    take(watch, [2], [0.2]);
    take(watch, [0, 1, 2, 2, 1], [0.2, 0.2, 0.2, 0.2, 0.2]);
    expect(watch.isDue).toBe(false);
    take(watch, steps, values);
    expect(watch.isDue).toBe(false);
    take(watch, [4], [0.2]);
    expect(watch.isDue).toBe(false);
    see(watch, [0.5]);
    take(watch, [5], [0.2]);
    expect(watch.isDue).toBe(true);
  });

  it('counts no time in which a person had the robot, also where the values of the steps before come afterwards', () => {
    const watch = watchFrom();
    see(watch, [0.5, 0.5, 0.5, 0.5]);
    see(watch, [0.5, 0.5], 'human_recover');
    take(watch, [0, 1, 2, 3], [0.2, 0.2, 0.2, 0.2]);
    expect(watch.isDue).toBe(false);
    take(watch, [4, 5], [0.6, 0.6]);
    expect(valued(watch, [0.6, 0.65, 0.6])).toEqual([false, false, true]);
  });

  it('goes by progress where no value has come for 10 s, and by value again in the episode after one came', () => {
    const watch = watchFrom();
    valued(watch, [0.2]);
    const nearer = (steps: number): number[] => Array.from({ length: steps }, (_, i) => 0.5 - 0.02 * (step + i));
    expect(see(watch, nearer(9))).toEqual(new Array(9).fill(false));
    expect(watch.by).toBe('value');
    expect(see(watch, [...nearer(1), 0.5, 0.5, 0.5])).toEqual([false, false, false, true]);
    expect(watch.by).toBe('progress');
    expect(watch.question).toBe('no progress for 3 steps');
    // Values of the time before have no influence any more.
    take(watch, [5], [0.9]);
    see(watch, [0.5]);
    expect(watch.by).toBe('progress');
    expect(watch.validate(true)).toEqual({ idleSteps: 4 });
    begin(watch);
    expect(watch.by).toBe('value');
  });

  it('goes by progress from the first step of an episode on, while no learner is there', () => {
    const watch = watchFrom();
    see(watch, new Array<number>(10).fill(0.5));
    begin(watch);
    expect(watch.by).toBe('progress');
    expect(see(watch, [0.5, 0.5, 0.5, 0.5])).toEqual([false, false, false, true]);
    // Learners value no step of an evaluation, and of an intervention there may be more steps than of the policy.
    const other = watchFrom();
    begin(other, 'evaluation');
    see(other, new Array<number>(20).fill(0.5));
    begin(other);
    see(other, new Array<number>(20).fill(0.5), 'human_correct');
    expect(other.by).toBe('value');
  });

  it('does not ask by value as soon as a success without help has needed, whatever came of its values', () => {
    const watch = watchFrom([{ idleSteps: 60, idleValueSteps: 4 }, { idleSteps: 80 }]);
    expect(watch.threshold).toBe(5);
    valued(watch, [0.2, 0.2, 0.5]);
    expect(watch.validate(true)).toEqual({ idleSteps: 2, idleValueSteps: 1 });
    begin(watch);
    valued(watch, [0.2]);
    see(watch, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    // Steps 1 to 3 have no value, and those after 4 none yet: a gain is known in none of them.
    take(watch, [4], [0.9]);
    expect(watch.validate(true)).toEqual({ idleSteps: 6, idleValueSteps: 3 });
    begin(watch);
    valued(watch, [0.2]);
    see(watch, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    take(watch, [2], [0.2]);
    expect(watch.validate(true)).toEqual({ idleSteps: 6, idleValueSteps: 6 });
    expect(watch.threshold).toBe(7);
    // Without any value nothing is known.
    begin(watch);
    see(watch, new Array<number>(8).fill(0.5));
    expect(watch.validate(true)).toEqual({ idleSteps: 7 });
  });
});
