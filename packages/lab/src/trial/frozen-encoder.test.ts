import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Graph, type Tensor } from '../../../../src/learner/engine/graph.ts';
import { mul } from '../../../../src/learner/ops/elements.ts';
import { reduceMean } from '../../../../src/learner/ops/reduce.ts';
import { reshape } from '../../../../src/learner/ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG } from '../../../../src/learner/options.ts';
import { readTrialSpec, type TrialSpec } from '../../../../src/offline/index.ts';
import { exportEncoder, exportPolicy } from '../../../../src/offline/policies/export-policy.ts';
import { writeTrialSpec } from './spec.ts';
import { runTrial } from './trial.ts';
import { readCurve } from './trial-files.ts';

const loadLab = () => import('../lab.ts');

const root = mkdtempSync(join(tmpdir(), 'rein-frozen-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Encoder made by `build` for the image of "point", 1 x 3 x 16. */
function encoderFile(name: string, build: (picture: Tensor) => Tensor): string {
  const g = new Graph('encoder');
  g.output('features', build(g.input('pixels', [1, 1, 3, 16])));
  const file = join(root, name);
  writeFileSync(file, g.serialize());
  return file;
}
const columns = (x: Tensor) => reshape(reduceMean(x, [1, 2]), [1, 16]);

function trial(name: string, file: string, fields: Partial<TrialSpec> = {}): string {
  const folder = join(root, name);
  const frozen = { file, variants: 3, padding: 1 };
  writeTrialSpec(folder, {
    formatVersion: 1,
    environment: { name: 'point', options: { isSeen: true } },
    learner: {
      ...DEFAULT_LEARNER_CONFIG,
      actorHidden: [32],
      criticHidden: [32],
      batchSize: 16,
      utd: 1,
      warmupSteps: 20,
      bcInitSteps: 600,
      encoder: { ...DEFAULT_LEARNER_CONFIG.encoder, frozen, latent: 8 },
    },
    base: null,
    overseer: null,
    from: null,
    seed: 1,
    steps: 160,
    randomSteps: 0,
    evaluation: { everySteps: 80, episodes: 10, seed: 7 },
    demonstrations: { episodes: 20, skill: {}, onlySuccesses: true, areKept: true },
    ...fields,
  });
  return folder;
}

describe('a trial through a frozen encoder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = trial('straight', encoderFile('columns.onnx', columns));
    await runTrial(folder);
  });

  it('learns from features of the picture, which alone shows the target', () => {
    expect(readCurve(folder).at(-1)!.successes).toBeGreaterThanOrEqual(8);
  });

  it('goes on to the same bytes after a kill', async () => {
    const killed = trial('killed', join(root, 'columns.onnx'));
    const stop = new AbortController();
    const onPoint = ({ step }: { step: number }) => {
      if (step === 80) stop.abort(new Error('killed'));
    };
    await expect(runTrial(killed, { onPoint, signal: stop.signal, checkpointEveryS: 0 })).rejects.toThrow('killed');
    const read = (of: string, name: string) => readFileSync(join(of, name));
    const resumed = await runTrial(killed);
    expect(resumed.stateDigest).toBe(JSON.parse(read(folder, 'result.json').toString()).stateDigest);
    for (const name of ['curve.jsonl', 'journal/epoch-000001-0000.journal', 'policy.onnx']) {
      expect(read(killed, name).equals(read(folder, name)), name).toBe(true);
    }
  });

  it('gives one file from the picture to the action, that does what the learner does', async () => {
    const exported = await exportPolicy(folder, join(root, 'whole.onnx'), () => {}, loadLab);
    expect(exported).toMatchObject({ observationSize: 1 + 48, actionSize: 1 });
    expect(exported.maxDifference).toBeLessThan(1e-4);
  });

  it('may look through what another trial has learned to see', async () => {
    const { frozen: _, ...encoder } = readTrialSpec(folder).learner.encoder;
    const learner = { ...readTrialSpec(folder).learner, encoder: { ...encoder, channels: [4] } };
    const teacher = trial('teacher', '', { learner, steps: 1 });
    await runTrial(teacher);
    const file = join(root, 'learned.onnx');
    await exportEncoder(teacher, file, () => {}, loadLab);
    const pupil = trial('pupil', file, { steps: 1 });
    await runTrial(pupil);
    expect(readCurve(pupil).at(-1)!.successes).toBeGreaterThanOrEqual(8);
    await expect(exportEncoder(pupil, file, () => {}, loadLab)).rejects.toThrow(/its encoder is a frozen one\./);
  });

  it('is refused before anything is trained where the encoder is none for it', async () => {
    const wide = encoderFile('wide.onnx', (x) => x);
    const numbers = { environment: { name: 'point', options: {} } };
    await expect(runTrial(trial('a', '/nowhere/e.onnx'))).rejects.toThrow(
      'The encoder /nowhere/e.onnx cannot be read.',
    );
    await expect(runTrial(trial('b', wide, numbers))).rejects.toThrow(
      /names .*wide\.onnx, where the task has no image/,
    );
    await expect(runTrial(trial('c', 'tests/golden/onnx/encoder.onnx'))).rejects.toThrow(
      "encoder.onnx takes 'pixels' as [batch,3,8,8], where the task's image is 1x3x16 (channels x height x width).",
    );
  });

  it('is refused where the encoder has become another one', async () => {
    const file = encoderFile('changing.onnx', columns);
    const killed = trial('changed', file, { demonstrations: null });
    const stop = new AbortController();
    const onPoint = () => stop.abort(new Error('killed'));
    await expect(runTrial(killed, { onPoint, signal: stop.signal })).rejects.toThrow('killed');
    encoderFile('changing.onnx', (x) => reshape(reduceMean(x, [1]), [1, 48]));
    await expect(runTrial(killed)).rejects.toThrow(OTHER);
  });

  it('gives no policy and no beginning with an encoder that its networks have not learned through', async () => {
    const file = encoderFile('swapped.onnx', columns);
    const first = trial('first', file, { demonstrations: null, steps: 1 });
    await runTrial(first);
    const same = { demonstrations: null, steps: 1, from: first };
    await runTrial(trial('same', encoderFile('copy.onnx', columns), same));
    // The number of features is equal: only the file distinguishes them.
    encoderFile('swapped.onnx', (x) => mul(columns(x), -1));
    const out = join(root, 'swapped-policy.onnx');
    const refusal = {
      kind: 'checkpoint',
      message: expect.stringMatching(OTHER),
      remedy: expect.stringContaining('Put that file back'),
    };
    await expect(exportPolicy(first, out, () => {}, loadLab)).rejects.toMatchObject(refusal);
    expect(existsSync(out)).toBe(false);
    await expect(runTrial(trial('other', file, same))).rejects.toMatchObject(refusal);
  });
});

/** Both files, each with its digest. */
const OTHER =
  /^The networks in .* were trained through \S+\.onnx \(SHA-256 [0-9a-f]{16}\), not through \S+\.onnx \(SHA-256 [0-9a-f]{16}\)\.$/;
