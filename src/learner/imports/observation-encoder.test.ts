import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransition, type ObservationParts, Rng } from '../../core/index.ts';
import { Graph, mul, reduceMean, reshape } from '../engine/index.ts';
import { Replay } from '../replay/index.ts';
import { FrozenEncoder } from './frozen-encoder.ts';
import { ObservationEncoder } from './observation-encoder.ts';

const PARTS: ObservationParts = {
  stateSize: 2,
  image: { channels: 1, height: 4, width: 4 },
  baseActionSize: 1,
  privilegedSize: 1,
};
const folder = mkdtempSync(join(tmpdir(), 'rein-observation-'));
let encoder: FrozenEncoder;

beforeAll(async () => {
  // Means of the columns, times 10: shifting the image shows in them.
  const g = new Graph('columns');
  g.output('y', mul(reshape(reduceMean(g.input('x', [1, 1, 4, 4]), [1, 2]), [1, 4]), 10));
  writeFileSync(join(folder, 'columns.onnx'), g.serialize());
  encoder = await FrozenEncoder.open({
    file: join(folder, 'columns.onnx'),
    image: PARTS.image!,
    variants: 3,
    padding: 1,
  });
});

afterAll(async () => {
  await encoder.close();
  rmSync(folder, { recursive: true });
});

/** State 1 and 2, an image whose column c is c/10 + `shade`, base action 3, privileged 4. */
function observed(shade: number): Float32Array {
  return Float32Array.of(1, 2, ...Array.from({ length: 16 }, (_, i) => (i % 4) / 10 + shade), 3, 4);
}

describe('observations through a frozen encoder', () => {
  it('keep what lies around the image, and say how they are laid out', async () => {
    const observations = new ObservationEncoder(encoder, PARTS);
    expect(observations.parts).toEqual({ ...PARTS, image: { channels: 4, height: 1, width: 1 } });
    const [out, variants] = [new Float32Array(8), new Float32Array(12)];
    await observations.encode(observed(0), out, variants, new Rng(1));
    expect([...out].map((v) => Math.round(v * 1e4) / 1e4)).toEqual([1, 2, 0, 1, 2, 3, 3, 4]);
    expect(variants.subarray(0, 4)).toEqual(out.subarray(2, 6));
    await expect(observations.encode(observed(0), new Float32Array(9), variants, new Rng(1))).rejects.toThrow(
      'observations of 20 numbers become 8 and variants of 12; got 20, 9 and 12',
    );
  });

  it('are kept by replay once, and drawn from in their variants, s and s′ by themselves', async () => {
    const observations = new ObservationEncoder(encoder, PARTS);
    const replay = new Replay(8, 1, 10, { frame: observations.frame });
    const t = createTransition(8, 1);
    const frames = { observation: new Float32Array(12), nextObservation: new Float32Array(12) };
    const rng = new Rng(12);
    await observations.encode(observed(0), t.observation, frames.observation, rng);
    await observations.encode(observed(0.5), t.nextObservation, frames.nextObservation, rng);
    expect(replay.add(t, { frames })).toBe('accepted');

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

  it('need an image', () => {
    expect(() => new ObservationEncoder(encoder, { stateSize: 3 })).toThrow('where the task has no image');
  });
});
