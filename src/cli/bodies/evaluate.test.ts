import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Graph } from '../../learner/engine/graph.ts';
import { matmul } from '../../learner/engine/linear.ts';
import { savePolicyFile } from '../../policy/index.ts';
import { cycleTimes, evaluateBody, pairsOf, verdictOf } from './evaluate.ts';
import { simBody } from './sim.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-eval-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const given = {
  against: undefined,
  task: undefined,
  seed: 0,
  episodes: 1,
  config: undefined,
  json: undefined,
  output: 'quiet',
} as const;

it('says of a file that is no policy what it is not, and of a run that was stopped how to get its policy', async () => {
  const page = join(folder, 'README.md');
  writeFileSync(page, '# no policy\n');
  await expect(evaluateBody({ ...given, policy: page })).rejects.toThrow('README.md is no ONNX file');
  const run = join(folder, 'run');
  mkdirSync(run);
  writeFileSync(join(run, 'config.yaml'), '');
  await expect(evaluateBody({ ...given, policy: run })).rejects.toMatchObject({
    message: expect.stringContaining('stopped before its end'),
    remedy: expect.stringContaining('rein export policy'),
  });
});

it.each(['reach-judged', 'drive-judged'])('says of %s that people judge it, and where it runs', async (task) => {
  const policy = join(folder, 'policy.onnx');
  writeFileSync(policy, '');
  const refusal = {
    message: expect.stringContaining('is judged by people'),
    remedy: expect.stringContaining('rein run --task'),
  };
  await expect(evaluateBody({ ...given, policy, task })).rejects.toMatchObject(refusal);
  const sim = { ...given, task, steps: undefined, evalEpisodes: undefined, timeLimitS: undefined, out: folder };
  await expect(
    simBody({ ...sim, demonstrations: 'scripted', operator: 'keyboard', trace: 'off' }),
  ).rejects.toMatchObject(refusal);
});

it('refuses a second policy of another task before the first is tried', async () => {
  const g = new Graph('other');
  g.output('action', matmul(g.input('observation', [1, 4]), g.constant(new Float32Array(8), [4, 2])));
  const size = { observationSize: 4, actionSize: 2, schemaHash: 'other', robot: 'arm7', task: 'other' };
  const version = { runId: 'other', version: 1, parent: 0, trainingStep: 0, updates: 0 };
  const other = { ...size, ...version, createdAt: '2026-01-02T03:04:05.000Z' };
  const against = await savePolicyFile(join(folder, 'other'), g.serialize(), other);
  const policy = join(folder, 'first.onnx');
  writeFileSync(policy, 'it would be refused, were it tried first');
  await expect(evaluateBody({ ...given, policy, against, task: 'reach' })).rejects.toThrow('other');
});

it('counts pairs in the order of their starts, times successes alone, and says which is better only where that is known', () => {
  const outcome = (success: boolean, ticks: number) =>
    ({ success, steps: 1, ticks, changedTicks: 0, violations: 0, restarts: { count: 0 } }) as const;
  const first = [outcome(true, 100), outcome(true, 300), outcome(false, 900)];
  const second = [outcome(true, 100), outcome(false, 800), outcome(false, 800)];
  expect(pairsOf(first, second)).toEqual({ both: 1, onlyFirst: 1, onlySecond: 0, neither: 1 });
  expect(cycleTimes(first, 100)).toEqual({ medianS: 1, p90S: 3 });
  expect(cycleTimes([outcome(false, 5)], 100).medianS).toBeNaN();
  expect(verdictOf({ low: 0.01, high: 0.2 })).toBe('The first is better.');
  expect(verdictOf({ low: -0.2, high: -0.01 })).toBe('The second is better.');
  expect(verdictOf({ low: -0.1, high: 0.1 })).toContain('cannot be told apart');
});
