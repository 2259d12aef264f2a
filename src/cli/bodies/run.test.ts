import { expect, it } from 'vitest';
import { createRunStatus } from '../../session/status.ts';
import { lastWords } from './run.ts';

it('sums up success and policy where one acted, and has no word on them where people alone drove', () => {
  const status = { ...createRunStatus('r', 'teleop', 0), envSteps: 29 };
  status.success = { successes: 0, episodes: 0, rates: { successesPerHour: 0, humanStepShare: 0 } };
  expect(lastWords({ folder: 'r', status })[0]).toMatch(
    /^29 steps, no episode .* \(0\.0 successes an hour.*, policy 0\.$/,
  );
  const alone = { ...status, policy: { ...status.policy, isAbsent: true } };
  expect(lastWords({ folder: 'r', status: alone })[0]).toBe('29 steps.');
});
