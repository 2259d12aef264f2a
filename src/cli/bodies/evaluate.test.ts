import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { evaluateBody } from './evaluate.ts';
import { simBody } from './sim.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-eval-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const given = { task: undefined, seed: 0, episodes: 1, config: undefined, json: undefined, output: 'quiet' } as const;

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
  await expect(simBody({ ...sim, demonstrations: 'scripted', operator: 'keyboard' })).rejects.toMatchObject(refusal);
});
