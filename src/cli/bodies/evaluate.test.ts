import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { evaluateBody } from './evaluate.ts';

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
