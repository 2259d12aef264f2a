import { expect, it } from 'vitest';
import { createTransition, type Source } from '../core/index.ts';
import { HelpWatch } from './help-watch.ts';

const OPTIONS = { afterSteps: 3, leastProgress: 0.01 };

/** The next steps of an episode: how far the tool is away after each, m, and whether help is due. */
function see(watch: HelpWatch, distancesM: readonly number[], source: Source = 'policy'): boolean[] {
  return distancesM.map((distanceM) => {
    watch.see({ ...createTransition(1, 1), source }, distanceM);
    return watch.isDue;
  });
}

/** An episode that stands still for so many steps, and ends. */
function stand(watch: HelpWatch, steps: number, success: boolean, source: Source = 'policy'): number | undefined {
  watch.begin();
  see(watch, new Array<number>(steps + 1).fill(0.5), source);
  return watch.validate(success);
}

it('asks after so many steps without a gain, however the distance goes on meanwhile', () => {
  const watch = new HelpWatch(OPTIONS);
  watch.begin();
  expect(see(watch, [0.5, 0.48, 0.46])).toEqual([false, false, false]);
  // Too little to be progress, back, and not as near as it was.
  expect(see(watch, [0.455, 0.49, 0.451])).toEqual([false, false, true]);
  watch.begin();
  expect(see(watch, [0.5, 0.5, 0.5, 0.49, 0.5, 0.5, 0.5])).toEqual([...new Array<boolean>(6).fill(false), true]);
});

it('looks at the return where the task names no place', () => {
  const watch = new HelpWatch(OPTIONS);
  watch.begin();
  const due = [0.1, 0.1, -0.05, 0, 0].map((reward) => {
    watch.see({ ...createTransition(1, 1), source: 'policy', reward }, undefined);
    return watch.isDue;
  });
  expect(due).toEqual([false, false, false, false, true]);
});

it('asks once an episode, and never where the task does not say so', () => {
  const watch = new HelpWatch(OPTIONS);
  watch.begin();
  see(watch, [0.5, 0.5, 0.5, 0.5]);
  watch.answered(4, 'goOn', 1);
  expect(see(watch, [0.5, 0.5, 0.5, 0.5, 0.5])).toEqual(new Array(5).fill(false));
  watch.begin();
  expect(see(watch, [0.5, 0.5, 0.5, 0.5]).at(-1)).toBe(true);
  const silent = new HelpWatch({ ...OPTIONS, afterSteps: 0 });
  silent.begin();
  expect(see(silent, [0.5, 0.5, 0.5, 0.5, 0.5])).toEqual(new Array(5).fill(false));
  expect([silent.validate(true), silent.end(1, 0, true)]).toEqual([undefined, undefined]);
});

it('counts no time in which a person had the robot', () => {
  const watch = new HelpWatch(OPTIONS);
  watch.begin();
  see(watch, [0.5, 0.5, 0.5]);
  see(watch, [0.5, 0.6], 'human_recover');
  expect(see(watch, [0.6, 0.6, 0.6])).toEqual([false, false, true]);
});

it('does not ask as soon as a success without help has needed, of the last 20', () => {
  const watch = new HelpWatch(OPTIONS);
  expect(watch.threshold).toBe(3);
  expect(stand(watch, 1, true)).toBe(1);
  expect(watch.threshold).toBe(3);
  expect(stand(watch, 7, false)).toBeUndefined();
  expect(stand(watch, 7, true, 'human_correct')).toBeUndefined();
  expect(watch.threshold).toBe(3);
  // Where it had asked, its time says nothing: somebody looked after it.
  watch.begin();
  see(watch, new Array<number>(9).fill(0.5));
  watch.answered(8, 'goOn', 1);
  expect([watch.validate(true), watch.threshold]).toEqual([undefined, 3]);
  expect(stand(watch, 5, true)).toBe(5);
  expect(watch.threshold).toBe(6);
  watch.begin();
  expect(see(watch, new Array<number>(7).fill(0.5))).toEqual([...new Array<boolean>(6).fill(false), true]);
  for (let i = 0; i < 19; i++) stand(watch, 2, true);
  expect(watch.threshold).toBe(6);
  stand(watch, 2, true);
  expect(watch.threshold).toBe(3);
  expect(new HelpWatch(OPTIONS, [90, ...new Array<number>(19).fill(2), 8]).threshold).toBe(9);
});

it('tells how often people answered, how fast, and what it changed', () => {
  const watch = new HelpWatch(OPTIONS);
  expect(stand(watch, 2, true)).toBe(2);
  expect(watch.end(1, 0, true)).toBeUndefined();
  watch.begin();
  watch.answered(4, 'tookOver', 2);
  expect(watch.end(1, 1, true)).toEqual({
    kind: 'help',
    epoch: 1,
    episode: 1,
    step: 4,
    answer: 'tookOver',
    waitedS: 2,
    success: true,
  });
  watch.begin();
  watch.answered(5, 'goOn', 5);
  watch.end(1, 2, false);
  watch.begin();
  watch.answered(6, 'none', 60);
  watch.end(1, 3, false);
  watch.begin();
  watch.end(1, 4, false);
  expect(watch.text).toBe(
    'Asked for help in 3 episodes, answered in 2, in 3.5 s on average: 1 of these 3 succeeded, 1 of the 2 others.',
  );
});
