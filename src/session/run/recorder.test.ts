import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ResolvedConfig, resolveConfig } from '../../config/index.ts';
import { createSetup } from '../../config/setup.ts';
import { createTransition, type Source } from '../../rows/index.ts';
import { LIVE_COMMAND, openLiveFolder } from '../run-folder.ts';
import { openRecorder, recordedDemonstrations } from './recorder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'live-folder-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function configOf(command: string, historyFrames = 3, seed = 1): ResolvedConfig {
  const override = { option: '--frames', path: ['task', 'historyFrames'], value: historyFrames } as const;
  return resolveConfig({ task: 'insert', seed, run: { command }, overrides: [override] });
}

describe('the folder of a live run', () => {
  it('is carried on by the same robot and task, with its configuration as it was', async () => {
    const out = join(dir, 'robot');
    const first = await openLiveFolder(configOf(LIVE_COMMAND), out);
    const text = readFileSync(first.configFile, 'utf8');
    expect(await openLiveFolder(configOf(LIVE_COMMAND), out)).toEqual(first);
    expect(readFileSync(first.configFile, 'utf8')).toBe(text);
  });

  it('is refused to another task, and one of another command to every robot', async () => {
    const robot = join(dir, 'robot');
    await openLiveFolder(configOf(LIVE_COMMAND), robot);
    await expect(openLiveFolder(configOf(LIVE_COMMAND, 2), robot)).rejects.toThrow('holds another run');
    const sim = join(dir, 'sim');
    await openLiveFolder(configOf('sim'), sim);
    await expect(openLiveFolder(configOf(LIVE_COMMAND), sim)).rejects.toThrow('holds another run');
  });

  it('is refused to another seed than the one that it would go on with', async () => {
    const out = join(dir, 'robot');
    await openLiveFolder(configOf(LIVE_COMMAND), out);
    await expect(openLiveFolder(configOf(LIVE_COMMAND, 3, 77), out)).rejects.toThrow(
      expect.objectContaining({
        message: `${out} holds a run with seed 1, not 77.`,
        remedy: 'Carry it on with --seed 1, or choose another folder with --out.',
      }),
    );
  });
});

describe('the journal of a robot without a learner', () => {
  it('is kept all the same, over several starts, and tells which demonstrations are there', async () => {
    const setup = createSetup(configOf(LIVE_COMMAND));
    const open = () =>
      openRecorder({
        setup,
        folder: dir,
        runId: 'run',
        robotId: 'arm',
        learner: undefined,
        weightsAfter: 0,
        keep: 'newest' as const,
        onFault: () => undefined,
        onJournal: () => undefined,
        onState: () => undefined,
        onMetrics: () => undefined,
      });
    expect(recordedDemonstrations(dir)).toEqual({ episodes: 0, steps: 0 });
    const step = (source: Source, isLast: 'last' | 'not last') => {
      const made = createTransition(setup.observationSize, setup.actionSize);
      return Object.assign(made, { source, terminated: isLast === 'last' });
    };
    const first = open();
    expect([first.epoch, first.connection]).toEqual([1, undefined]);
    for (const isLast of ['not last', 'last', 'not last', 'not last', 'last'] as const) {
      first.record(step('demo', isLast));
    }
    first.record(step('policy', 'last'));
    await first.close();
    expect(recordedDemonstrations(dir)).toEqual({ episodes: 2, steps: 5 });
    const second = open();
    expect(second.epoch).toBe(2);
    await second.close();
    expect(existsSync(join(dir, 'journal'))).toBe(true);
  });
});
