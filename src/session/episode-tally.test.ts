import { expect, it } from 'vitest';
import { createTransition, type Transition } from '../rows/index.ts';
import { EpisodeTally } from './episode-tally.ts';

function tallyOf(...steps: Partial<Transition>[]): EpisodeTally {
  const tally = new EpisodeTally();
  for (const step of steps) tally.add({ ...createTransition(1, 1), ...step });
  return tally;
}

it('sums up the steps of an episode', () => {
  const tally = tallyOf(
    { source: 'scripted_correct', reward: 0.25, cost: 0.5, tankDrainJ: 1, marginMin: 0.75 },
    { source: 'policy', reward: -0.5, cost: 0, tankDrainJ: 2, marginMin: -0.5 },
    { source: 'scripted_correct', reward: 1, cost: 0.25, tankDrainJ: 0, marginMin: 0.5 },
    { source: 'scripted_recover', reward: 1, cost: 0.25, tankDrainJ: 0, marginMin: 0.5 },
  );
  expect(tally.source).toBe('scripted_recover');
  expect(tally.result(false, false, undefined)).toEqual({
    success: false,
    steps: 4,
    interventionSteps: 3,
    interventions: 2,
    returnSum: 1.75,
    costs: { filterShare: 0.25, tankDrainJ: 3, marginMin: -0.5 },
    isDecided: false,
  });
});

it('calls an episode cut that was not decided in its last step', () => {
  const tally = tallyOf({ source: 'policy' });
  expect(tally.result(false, false, 'the guard is in state "stopping"').abortedBy).toBe(
    'the guard is in state "stopping"',
  );
  expect(tally.result(true, true, 'the guard is in state "stopping"')).not.toHaveProperty('abortedBy');
});
