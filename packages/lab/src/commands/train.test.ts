import { expect, it } from 'vitest';
import type { TrialResult } from '../trial/trial-files.ts';
import { lastWords } from './train.ts';

it('says when all steps were warm-up', () => {
  const last = { step: 10, returns: [1], successes: null, episodes: 1, updates: 0, learner: {}, seconds: 1 };
  const result = { steps: 10, updates: 0, seconds: 1, stateDigest: 'a'.repeat(64), last } as unknown as TrialResult;
  expect(lastWords(result, 'runs/a')).toMatch(/0 updates, 1\.0 s: nothing was trained, .* --steps .*warmupSteps/);
  expect(lastWords({ ...result, updates: 3 }, 'runs/a')).not.toContain('nothing');
});
