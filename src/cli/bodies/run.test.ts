import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRunStatus } from '../../session/status.ts';
import { main } from '../main.ts';
import { lastWords } from './run.ts';

it.each([
  ['learn'],
  ['record', '--operator', 'gamepad'],
  ['run', '--operator', 'gamepad', '--learner', 'tcp://127.0.0.1:7'],
])('%s refuses a task in which nothing is judged', async (...command) => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-driven-'));
  const config = join(folder, 'driven.yaml');
  writeFileSync(config, 'task: { isJudged: false }\n');
  let said = '';
  const args = [...command, '--task', 'reach-judged', '--config', config, '--out', join(folder, 'out')];
  const code = await main(args, undefined, { out: () => {}, error: (text) => (said += text) });
  rmSync(folder, { recursive: true });
  expect([code, said]).toEqual([1, expect.stringMatching(/driven\.yaml:1:19: isJudged is false: /)]);
});

it('sums up success and policy where one acted, and has no word on them where people alone drove', () => {
  const status = { ...createRunStatus('r', 'teleop', 0), envSteps: 29 };
  status.success = { successes: 0, episodes: 0, rates: { successesPerHour: 0, humanStepShare: 0 } };
  expect(lastWords({ folder: 'r', status })[0]).toMatch(
    /^29 steps, no episode .* \(0\.0 successes an hour.*, policy 0\.$/,
  );
  const alone = { ...status, policy: { ...status.policy, isAbsent: true } };
  expect(lastWords({ folder: 'r', status: alone })[0]).toBe('29 steps.');
});
