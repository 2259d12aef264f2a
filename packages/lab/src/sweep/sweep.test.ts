import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EnvironmentStudy } from '../../../../src/config/index.ts';
import type { StudyFile } from '../../../../src/config/study-file.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../../../src/learner/options.ts';
import { PointEnvironment } from '../environments/point.ts';
import { writeTrialSpec } from '../trial/spec.ts';
import { checkRuns, runSweep, trialSpecOf } from './sweep.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'rein-sweep-')), 'runs');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const LEARNER: LearnerConfig = { ...DEFAULT_LEARNER_CONFIG, actorHidden: [8], criticHidden: [8], batchSize: 8 };

/** Study of "point" with 60 steps, and a variant for each of `learners`. */
function studyOf(learners: Readonly<Record<string, LearnerConfig>>, fields: Partial<EnvironmentStudy> = {}): StudyFile {
  const study: EnvironmentStudy = {
    kind: 'environment',
    title: 'a point',
    claim: '',
    source: '',
    notes: '',
    environment: 'point',
    steps: 60,
    seeds: 1,
    firstSeed: 0,
    measure: 'return',
    checks: [],
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
    [
      'residual without a base policy',
      { ...LEARNER, algorithm: 'residual' },
      /^The variant misfit cannot be begun: The learner cannot work in "point": /,
    ],
    ['an encoder without an image', { ...LEARNER, encoder: { ...encoder, frozen } }, /where the task has no image/],
  ])('trains no variant where one cannot be begun: %s', async (_, misfit, message) => {
    await expect(sweep(studyOf({ good: LEARNER, misfit }))).rejects.toThrow(message);
    expect(existsSync(folder)).toBe(false);
  });

  it('trains nothing where the environment does not know what is measured', async () => {
    const unknown = vi.spyOn(PointEnvironment.prototype, 'reset').mockImplementation(function (this: PointEnvironment) {
      this.isSuccess = undefined;
    });
    const order = { kind: 'order', better: 'a', worse: 'b', measure: 'success', part: 'end' } as const;
    const learners = { a: LEARNER, b: LEARNER };
    for (const asked of [{ measure: 'success' }, { checks: [order] }] as const) {
      await expect(sweep(studyOf(learners, asked))).rejects.toThrow(
        /^The study mine measures success, which the environment "point" does not report/,
      );
    }
    unknown.mockRestore();
    expect(existsSync(folder)).toBe(false);
  });

  it('is not judged by runs of another study, nor of anything', () => {
    const study = studyOf({ a: LEARNER });
    checkRuns({ study, folder });
    writeTrialSpec(join(folder, 'a-0'), trialSpecOf(studyOf({ a: LEARNER }, { steps: 90 }), 'a', 0));
    expect(() => checkRuns({ study, folder })).toThrow(/a-0 holds another trial: steps is 90 there and 60 here\.$/);
    writeFileSync(join(folder, 'a-0', 'trial.json'), '{}');
    expect(() => checkRuns({ study, folder })).toThrow(/is not a trial of this version of Rein\.$/);
  });
});
