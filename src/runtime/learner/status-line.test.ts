import { expect, it } from 'vitest';
import { type LearnerState, statusLine } from './status-line.ts';

const training: LearnerState = {
  ...{ robots: ['arm'], counts: { online: 30, demonstrations: 5 }, updates: 600, refused: 0 },
  ...{ updatesPerS: 80.4, waitsFor: undefined, version: 3 },
};

it.each<[string, Partial<LearnerState>, string]>([
  ['training', {}, 'arm: 5 demonstration steps, 30 steps, 600 updates, 80 updates/s, policy 3'],
  [
    'some calls not finite',
    { refused: 2 },
    'arm: 5 demonstration steps, 30 steps, 600 updates, 80 updates/s, calls that were not finite: 2, policy 3',
  ],
  [
    'a checkpoint that has seen more',
    { robots: [], updatesPerS: undefined, waitsFor: { online: 50, demonstrations: 4 } },
    'no robot: 5 demonstration steps, 30 steps, 600 updates, waiting for 20 of 54 transitions of the checkpoint, policy 3',
  ],
])('says with %s', (_, change, line) => {
  expect(statusLine({ ...training, ...change })).toBe(line);
});
