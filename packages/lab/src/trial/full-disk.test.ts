/** A full disk, at each of the files that a trial writes. */
import type * as FileSystem from 'node:fs';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type * as FileSystemLater from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEFAULT_LEARNER_CONFIG } from '../../../../src/learner/options.ts';
import { TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import { writeTrialSpec } from './spec.ts';
import { runTrial } from './trial.ts';
import type { TrialResult } from './trial-files.ts';

/** Fault: none, or a disk on which files of this name have room for `left` bytes. */
const disk = vi.hoisted(() => ({ name: undefined as string | undefined, left: 0, paths: new Map<number, string>() }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof FileSystem>();
  const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  return {
    ...real,
    openSync: (path: string, flags: string) => {
      const file = real.openSync(path, flags);
      disk.paths.set(file, path);
      return file;
    },
    // As a disk does: writes as much as there is room for, and refuses the next write.
    writeSync: (file: number, bytes: Uint8Array, from = 0, length = bytes.length - from, at: number | null = null) => {
      if (disk.name === undefined || !disk.paths.get(file)!.includes(disk.name)) {
        return real.writeSync(file, bytes, from, length, at);
      }
      if (disk.left === 0) throw full();
      const written = real.writeSync(file, bytes, from, Math.min(length, disk.left), at);
      disk.left -= written;
      return written;
    },
  };
});

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileSystemLater>();
  const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  return {
    ...real,
    writeFile: async (path: string, bytes: Uint8Array, options: FileSystem.WriteFileOptions) => {
      if (disk.name === undefined || !path.includes(disk.name)) return real.writeFile(path, bytes, options);
      const room = disk.left;
      disk.left = Math.max(0, room - bytes.length);
      await real.writeFile(path, bytes.subarray(0, room), options);
      if (room < bytes.length) throw full();
    },
  };
});

const SPEC: TrialSpec = {
  formatVersion: 1,
  environment: { name: 'point', options: {} },
  base: null,
  overseer: null,
  learner: {
    ...DEFAULT_LEARNER_CONFIG,
    actorHidden: [8],
    criticHidden: [8],
    batchSize: 8,
    warmupSteps: 30,
    bcInitSteps: 0,
    demoFraction: 0,
  },
  seed: 3,
  steps: 120,
  randomSteps: 20,
  evaluation: { everySteps: 40, episodes: 2, seed: 7 },
  demonstrations: null,
  from: null,
};

const root = mkdtempSync(join(tmpdir(), 'trial-full-'));
const straight = join(root, 'straight');
let whole: TrialResult;
beforeAll(async () => {
  writeTrialSpec(straight, SPEC);
  whole = await runTrial(straight);
});
afterEach(() => {
  disk.name = undefined;
  rmSync(join(root, 'full'), { recursive: true, force: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const curveOf = (folder: string) => readFileSync(join(folder, TRIAL_FILES.curve), 'utf8');

describe('a trial whose disk is full', () => {
  it.each([
    [TRIAL_FILES.curve, 300],
    [TRIAL_FILES.transitions, 5000],
    [TRIAL_FILES.checkpoints, 10_000],
    [TRIAL_FILES.policy, 100],
    [TRIAL_FILES.result, 10],
  ])(
    'at %s ends with one sentence, and goes on to the same curve and weights once there is room',
    async (name, left) => {
      const folder = join(root, 'full');
      writeTrialSpec(folder, SPEC);
      Object.assign(disk, { name, left });
      await expect(runTrial(folder, { checkpointEveryS: 0 })).rejects.toMatchObject({
        kind: 'storage',
        message: expect.stringMatching(new RegExp(`^${join(folder, name)}.* cannot be written: the disk is full\\.$`)),
        remedy: expect.stringContaining(`Make room on the disk, then go on with rein train --resume ${folder}: only`),
      });
      expect(disk.left).toBe(0);
      expect(readdirSync(folder)).not.toContain(TRIAL_FILES.result);

      disk.name = undefined;
      const resumed = await runTrial(folder, { checkpointEveryS: 0 });
      expect({ ...resumed, seconds: 0 }).toEqual({ ...whole, seconds: 0 });
      expect(curveOf(folder)).toBe(curveOf(straight));
    },
  );
});
