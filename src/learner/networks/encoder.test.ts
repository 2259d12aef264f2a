import { describe, expect, it } from 'vitest';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { Rng } from '../../model/index.ts';
import { Graph } from '../engine/graph.ts';
import { unpack } from '../engine/parameters.ts';
import { type EncoderSpec, encode, encoderLayout, initialiseEncoder } from './encoder.ts';

const SMALL: EncoderSpec = {
  image: { channels: 2, height: 7, width: 6 },
  channels: [2, 3],
  kernel: 3,
  stride: 2,
  embeddings: 2,
  latent: 4,
};

describe('the image encoder', () => {
  it.each<[string, EncoderSpec, number]>([
    ['convolutions and embeddings', SMALL, 2],
    ['convolutions, the map as it is, batch 1', { ...SMALL, embeddings: 0 }, 1],
    ['the head on frozen features', { ...SMALL, channels: [], image: { channels: 3, height: 2, width: 2 } }, 3],
    ['even kernel, stride 1', { ...SMALL, kernel: 2, stride: 1, channels: [2] }, 1],
  ])('%s: gradients against central differences', async (_, spec, batch) => {
    const { entries } = encoderLayout(spec);
    const { channels, height, width } = spec.image;
    const error = await gradientError(
      [...entries.map(({ shape }) => ({ shape })), { shape: [batch, channels * height * width] }],
      new Rng(5),
      (inputs) => encode(Object.fromEntries(entries.map(({ name }, i) => [name, inputs[i]!])), spec, inputs.at(-1)!),
    );
    expect(error).toBeLessThan(1e-6);
  });

  it('has the shapes of its specification', () => {
    const spec = { ...SMALL, image: { channels: 3, height: 64, width: 64 }, channels: [16, 32, 32], embeddings: 8 };
    const shapes = Object.fromEntries(encoderLayout(spec).entries.map(({ name, shape }) => [name, shape]));
    expect(shapes).toMatchObject({
      'conv1.kernel': [32, 16, 3, 3],
      'conv1.bias': [32, 1, 1],
      'embedding.kernel': [32, 64, 8],
      'bottleneck.weight': [256, 4],
    });
  });

  it('begins with weights in every layer, no bias, and norms that change nothing', () => {
    const layout = encoderLayout(SMALL);
    const values = new Float32Array(layout.size);
    initialiseEncoder(layout, new Rng(1), values);
    for (const { name, offset, size } of layout.entries) {
      const part = values.subarray(offset, offset + size);
      if (name.endsWith('.scale')) expect(part.every((v) => v === 1)).toBe(true);
      else if (/bias|shift/.test(name)) expect(part.every((v) => v === 0)).toBe(true);
      else expect(part.every((v) => v !== 0)).toBe(true);
    }
  });

  it('says which sizes do not fit', () => {
    const g = new Graph('update');
    const layout = encoderLayout(SMALL);
    const parameters = unpack(g.input('encoder', [layout.size]), layout);
    expect(() => encode(parameters, SMALL, g.input('frames', [8, 100]))).toThrow(
      'update: encoder: the image is 2x7x6, 84 numbers a row; got [8,100]',
    );
  });
});
