import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../../learner/index.ts';
import type { EnvironmentStudy, StudyFile } from '../../config/index.ts';
import { runSweep } from './sweep.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'rein-sweep-')), 'runs');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const LEARNER: LearnerConfig = { ...DEFAULT_LEARNER_CONFIG, actorHidden: [8], criticHidden: [8], batchSize: 8 };

/** Of "point" in 60 steps, with a variant for each of `learners`. */
function studyOf(learners: Readonly<Record<string, LearnerConfig>>, fields: Partial<EnvironmentStudy> = {}): StudyFile {
  const study: EnvironmentStudy = {
    ...{ kind: 'environment', title: 'a point', claim: '', source: '', notes: '' },
    ...{ environment: 'point', steps: 60, seeds: 1, firstSeed: 0, measure: 'return', checks: [] },
    evaluation: { everySteps: 30, episodes: 1 },
    variants: Object.fromEntries(Object.keys(learners).map((name) => [name, { title: name }])),
    ...fields,
  };
  return { name: 'mine', study, learners };
}

function sweep(study: StudyFile): Promise<unknown> {
  return runSweep({ study, folder, jobs: 1, signal: new AbortController().signal, say: () => {} });
}

describe('a sweep', () => {
  const { encoder } = LEARNER;
  const frozen = { file: '/nowhere/e.onnx', variants: 1, padding: 0 };
  it.each<[string, LearnerConfig, RegExp]>([
    ['residual without a base policy', { ...LEARNER, algorithm: 'residual' }, /^The learner cannot work in "point": /],
    ['an encoder without an image', { ...LEARNER, encoder: { ...encoder, frozen } }, /where the task has no image/],
  ])('trains no variant where one cannot be begun: %s', async (_, misfit, sentence) => {
    await expect(sweep(studyOf({ good: LEARNER, misfit }))).rejects.toThrow(sentence);
    expect(existsSync(folder)).toBe(false);
  });
});
