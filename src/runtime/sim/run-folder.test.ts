import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { loadResolvedConfig } from '../config/index.ts';
import { createRunFolder, runIdOf } from './run-folder.ts';

const { config } = arm6Setup('insert', 3);
const now = new Date('2026-03-04T05:06:07.890Z');

describe("a run's folder", () => {
  const home = process.cwd();
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rein-run-'));
    process.chdir(folder);
  });

  afterEach(async () => {
    process.chdir(home);
    await rm(folder, { recursive: true });
  });

  it('is named after time, task and seed, and never shared', async () => {
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await createRunFolder(config, undefined, now));
    const name = '2026-03-04-050607-insert-s3';
    expect(made.map(({ runId }) => runId)).toEqual([name, `${name}-2`, `${name}-3`]);
    expect((await readdir('runs')).sort()).toEqual([name, `${name}-2`, `${name}-3`]);
  });

  it('holds the configuration that the run was started with', async () => {
    const { configFile } = await createRunFolder(config, 'deep/er/here', now);
    expect(loadResolvedConfig(configFile)).toEqual(config);
  });

  it('may exist and hold something else', async () => {
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await createRunFolder(config, folder, now);
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });

  it.each(['config.yaml', 'journal'])('is refused where a run left its %s, and nothing is touched', async (name) => {
    await writeFile(join(folder, name), 'precious');
    await expect(createRunFolder(config, folder, now)).rejects.toThrow(
      expect.objectContaining({ name: 'ReinError', kind: 'storage', message: expect.stringContaining(name) }),
    );
    expect(await readdir(folder)).toEqual([name]);
    expect(await readFile(join(folder, name), 'utf8')).toBe('precious');
  });

  it('is refused where it cannot be made', async () => {
    await writeFile('file', '');
    for (const out of ['file', join('file', 'below')]) {
      await expect(createRunFolder(config, out, now)).rejects.toThrow(
        expect.objectContaining({ name: 'ReinError', kind: 'storage', remedy: expect.stringContaining('--out') }),
      );
    }
  });

  it('gives an id that fits a journal', () => {
    expect(runIdOf('/tmp/runs/a b/')).toBe('a_b');
    expect(runIdOf('/')).toBe('run');
    expect(Buffer.byteLength(runIdOf(`/runs/${'é'.repeat(100)}`))).toBeLessThanOrEqual(64);
  });
});
