import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent, DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../../learner/index.ts';
import { PointEnvironment } from '../environments/point.ts';
import { openActor } from '../trial/actor.ts';
import { type TrialSpec, writeTrialSpec } from '../trial/spec.ts';
import { runTrial } from '../trial/trial.ts';
import { readCurve } from '../trial/trial-files.ts';
import { exportPolicy } from './export-policy.ts';
import { checkGoldenBatch, goldenObservations } from './golden-batch.ts';
import { runPretraining } from './pretrain.ts';

const LEARNER: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  actorHidden: [16],
  criticHidden: [16],
  batchSize: 16,
  bcInitSteps: 300,
  warmupSteps: 10,
  normaliseObservations: true,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'export-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function trial(name: string, fields: Partial<TrialSpec>): string {
  const folder = join(root, name);
  writeTrialSpec(folder, {
    formatVersion: 1,
    environment: { name: 'point', options: {} },
    ...{ base: null, overseer: null, demonstrations: null, from: null },
    learner: LEARNER,
    ...{ seed: 1, steps: 30, randomSteps: 10 },
    evaluation: { everySteps: 30, episodes: 5, seed: 7 },
    ...fields,
  });
  return folder;
}

describe('an exported policy', () => {
  it.each(['rlpd', 'td3'] as const)('of %s does what the learner does, on the robot runtime', async (algorithm) => {
    const folder = trial('a', { learner: { ...LEARNER, algorithm } });
    await runTrial(folder);
    const out = join(root, 'deep', 'p.onnx');
    const exported = await exportPolicy(folder, out, () => {});
    expect(exported).toMatchObject({ path: out, algorithm, observationSize: 2, actionSize: 1, observations: 256 });
    expect(exported.maxDifference).toBeLessThan(1e-4);
    expect(existsSync(out)).toBe(true);
  });

  it('is refused where it differs, with the difference', async () => {
    const sizes = { observationSize: 2, actionSize: 1 };
    const environment = new PointEnvironment();
    const [one, other] = await Promise.all([1, 2].map((seed) => createAgent({ ...sizes, config: LEARNER, seed })));
    const actor = await openActor(one!, undefined);
    const check = checkGoldenBatch(await other!.exportPolicy(), actor, goldenObservations(environment, 8), sizes);
    await expect(check).rejects.toThrow(/differs from the learner's by .* on 8 observations, at most 0\.0001/);
    for (const each of [actor, one!, other!]) await each.close();
  });

  it('needs a run', async () => {
    await expect(exportPolicy(root, join(root, 'p.onnx'), () => {})).rejects.toThrow(/is no run: it has neither/);
  });
});

describe('pre-training', () => {
  it('gives networks that a training begins with, from an expert and from what a training has recorded', async () => {
    const demonstrations = { episodes: 10, skill: {}, onlySuccesses: true, areKept: true };
    const environment = { name: 'point', options: {} };
    const data = { kind: 'environment', environment, base: null, demonstrations } as const;
    const out = join(root, 'pre');
    const result = await runPretraining({ data, learner: LEARNER, seed: 3, out });
    expect(result.transitions).toBeGreaterThan(20);
    expect(result.cloning.lastLoss).toBeLessThan(result.cloning.firstLoss / 2);
    expect(JSON.parse(readFileSync(join(out, 'pretraining.json'), 'utf8'))).toMatchObject({
      transitions: result.transitions,
    });

    const better = trial('better', { from: out, randomSteps: 0 });
    const fresh = trial('fresh', {});
    await runTrial(better);
    await runTrial(fresh);
    const first = (folder: string) => readCurve(folder)[0]!;
    expect(first(better).successes).toBeGreaterThan(first(fresh).successes!);

    const again = { data: { kind: 'run', folder: fresh } as const, learner: LEARNER, seed: 3 };
    expect((await runPretraining({ ...again, out: join(root, 'pre2') })).transitions).toBe(30);
    await expect(runPretraining({ ...again, out })).rejects.toThrow(/holds networks already/);
  });
});
