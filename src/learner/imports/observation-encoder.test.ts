import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ObservationParts, Rng } from '../../model/index.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import { Graph } from '../engine/graph.ts';
import { mul } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reshape } from '../ops/shape.ts';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { FrozenEncoder } from './frozen-encoder.ts';
import { ObservationEncoder, openObservationEncoder } from './observation-encoder.ts';

const PARTS: ObservationParts = {
  stateSize: 2,
  image: { channels: 1, height: 4, width: 4 },
  baseActionSize: 1,
  privilegedSize: 1,
};
const folder = mkdtempSync(join(tmpdir(), 'rein-observation-'));
let observations: ObservationEncoder;

beforeAll(async () => {
  // Means of the columns, times 10: shifting the image shows in them.
  const g = new Graph('columns');
  g.output('y', mul(reshape(reduceMean(g.input('x', [1, 1, 4, 4]), [1, 2]), [1, 4]), 10));
  writeFileSync(join(folder, 'columns.onnx'), g.serialize());
  const encoder = await FrozenEncoder.open({
    file: join(folder, 'columns.onnx'),
    image: PARTS.image!,
    variants: 3,
    padding: 1,
  });
  observations = new ObservationEncoder(encoder, PARTS);
});

afterAll(async () => {
  await observations.close();
  rmSync(folder, { recursive: true });
});

/** State 1 and 2, an image whose column c is c/10 + `shade`, base action 3, privileged 4. */
function observed(shade: number): Float32Array {
  return Float32Array.of(1, 2, ...Array.from({ length: 16 }, (_, i) => (i % 4) / 10 + shade), 3, 4);
}

function transitionOf(before: number, after: number): Transition {
  const t = createTransition(20, 1);
  t.observation.set(observed(before));
  t.nextObservation.set(observed(after));
  return t;
}

describe('observations through a frozen encoder', () => {
  it('keep what lies around the image, and say how they are laid out', async () => {
    expect(observations.parts).toEqual({ ...PARTS, image: { channels: 4, height: 1, width: 1 } });
    const seen = await observations.see(observed(0));
    expect([...seen].map((v) => Math.round(v * 1e4) / 1e4)).toEqual([1, 2, 0, 1, 2, 3, 3, 4]);
    await expect(observations.see(new Float32Array(17))).rejects.toThrow('a frame has 16 numbers');
  });

  it('become the same whoever asks, in whatever order, and however many others there were between', async () => {
    const t = transitionOf(0, 0.5);
    const first = await observations.take(t);
    expect(first.transition.observation).toEqual(await observations.see(t.observation));
    expect(first.frames.observation.subarray(0, 4)).toEqual(first.transition.observation.subarray(2, 6));
    for (let i = 1; i < 40; i++) await observations.see(observed(i));
    const [after, next] = await Promise.all([observations.take(transitionOf(0.5, 0)), observations.take(t)]);
    expect(after.frames.observation).toEqual(first.frames.nextObservation);
    expect(after.frames.nextObservation).toEqual(first.frames.observation);
    expect(next).toEqual(first);
  });

  it('are kept by replay once, and drawn from in their variants, s and s′ by themselves', async () => {
    const replay = new Replay(8, 1, 10, { frame: observations.frame });
    const { transition, frames } = await observations.take(transitionOf(0, 0.5));
    expect(replay.add(transition, { frames })).toBe('accepted');
    const rng = new Rng(12);

    const column = () => new Float32Array(1);
    const batch = {
      observation: new Float32Array(8),
      nextObservation: new Float32Array(8),
      action: column(),
      reward: column(),
      filterActivity: column(),
      tankDrainJ: column(),
      bootstrap: column(),
    };
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      replay.online.copyRow(0, batch, 0, { steps: 1, discount: 0.9, rng });
      seen.add(`${batch.observation.subarray(2, 6).join()} ${batch.nextObservation.subarray(2, 6).join()}`);
    }
    const rows = (variants: Float32Array) => [0, 4, 8].map((from) => variants.subarray(from, from + 4).join());
    const pairs = rows(frames.observation).flatMap((s) => rows(frames.nextObservation).map((next) => `${s} ${next}`));
    expect(seen).toEqual(new Set(pairs));
    expect(seen.size).toBeGreaterThan(4);
  });

  it('need an image', async () => {
    const settings = { ...DEFAULT_LEARNER_CONFIG.encoder, frozen: { file: 'e.onnx', variants: 1, padding: 0 } };
    await expect(openObservationEncoder(settings, { stateSize: 3 })).rejects.toThrow(
      "The learner's encoder.frozen names e.onnx, where the task has no image.",
    );
  });
});
