import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
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
    expect(made.map(({ path }) => path)).toEqual([name, `${name}-2`, `${name}-3`].map((part) => join('runs', part)));
    expect((await readdir('runs')).sort()).toEqual([name, `${name}-2`, `${name}-3`]);
  });

  it('holds the configuration that the run was started with', async () => {
    const { configFile, runId } = await createRunFolder(config, 'deep/er/here', now);
    expect(loadResolvedConfig(configFile)).toEqual({ ...config, run: { ...config.run, id: runId } });
    expect(await readdir('deep/er/here')).toEqual(['config.yaml']);
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
        expect.objectContaining({
          name: 'ReinError',
          kind: 'storage',
          remedy: expect.stringContaining('another folder with --out'),
        }),
      );
    }
  });

  it('goes to one of those who want it at the same time', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => createRunFolder(config, 'wanted', now)));
    const made = tries.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(made).toHaveLength(1);
    for (const outcome of tries) {
      if (outcome.status === 'rejected') expect(outcome.reason.message).toContain('wanted holds a run already');
    }
    expect(runIdOf('wanted', loadResolvedConfig(made[0]!.configFile))).toBe(made[0]!.runId);
    expect(await readdir('wanted')).toEqual(['config.yaml']);
  });

  it('has an id of its own, which it keeps under another name', async () => {
    const one = await createRunFolder(config, join('a', 'learner'), now);
    const other = await createRunFolder(config, join('b', 'learner'), now);
    expect(one.runId).toMatch(/^learner-[0-9a-f]{8}$/);
    expect(other.runId).not.toBe(one.runId);
    await rename(join('a', 'learner'), 'moved');
    expect(runIdOf('moved', loadResolvedConfig(join('moved', 'config.yaml')))).toBe(one.runId);
  });

  it('gives an id that fits a journal, or the one that was asked for', async () => {
    expect((await createRunFolder(config, 'a b', now)).runId).toMatch(/^a_b-/);
    expect(Buffer.byteLength((await createRunFolder(config, 'é'.repeat(100), now)).runId)).toBe(64);
    expect((await createRunFolder(config, 'named', now, 'fixed')).runId).toBe('fixed');
  });

  it('from before ids were drawn has its name as its id', () => {
    expect(runIdOf('/tmp/runs/a b/', config)).toBe('a_b');
    expect(runIdOf('/', config)).toBe('run');
    expect(Buffer.byteLength(runIdOf(`/runs/${'é'.repeat(100)}`, config))).toBe(64);
  });
});
