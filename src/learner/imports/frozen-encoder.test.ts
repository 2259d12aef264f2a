import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ImageShape, Rng } from '../../model/index.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { log, mul } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { permute, reshape } from '../ops/shape.ts';
import { shiftFrame } from '../replay/crops.ts';
import { FrozenEncoder, type FrozenEncoderOptions } from './frozen-encoder.ts';

type Options = Pick<FrozenEncoderOptions, 'file' | 'image'> & Partial<FrozenEncoderOptions>;

/** Reference exported and computed by PyTorch: tests/python/make_onnx_golden.py. */
const GOLDEN = 'tests/golden/onnx/encoder.onnx';
const golden = JSON.parse(readFileSync('tests/golden/onnx/encoder.json', 'utf8')) as { features: number[] };
const IMAGE: ImageShape = { channels: 3, height: 8, width: 8 };
const frame = Float32Array.from({ length: 192 }, (_, i) => i / 191);

const folder = mkdtempSync(join(tmpdir(), 'rein-encoder-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An encoder file made by `build` on an input of `shape`. */
function write(name: string, shape: number[], build: (x: Tensor) => Tensor): string {
  const g = new Graph('encoder');
  g.output('features', build(g.input('pixels', shape)));
  writeFileSync(join(folder, name), g.serialize());
  return join(folder, name);
}

function open(options: Options): Promise<FrozenEncoder> {
  return FrozenEncoder.open({ variants: 1, padding: 4, ...options });
}

async function encode(options: Options, image: Float32Array, rng = new Rng(1)): Promise<Float32Array> {
  const encoder = await open(options);
  const out = new Float32Array(encoder.variants * encoder.featureSize);
  // The frame lies at an offset in a larger array, as in an observation.
  const frames = Float32Array.of(7, ...image, 7);
  await encoder.encode(frames, 1, out).catch((error: unknown) => encoder.close().then(() => Promise.reject(error)));
  await encoder.encodeShifted(frames, 1, out, rng).finally(() => encoder.close());
  return out;
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++) expect(actual[i]).toBeCloseTo(expected[i]!, 5);
}

describe('an encoder that PyTorch exported', () => {
  it('gives the features that PyTorch computed', async () => {
    const encoder = await open({ file: GOLDEN, image: IMAGE });
    expect(encoder).toMatchObject({ features: { channels: 5, height: 2, width: 2 }, featureSize: 20, variants: 1 });
    expect(encoder.digest).toMatch(/^[0-9a-f]{64}$/);
    await encoder.close();
    expectClose(await encode({ file: GOLDEN, image: IMAGE }, frame), golden.features);
  });

  it('gives variants: the frame itself first, then shifted copies, the same for the same seed', async () => {
    const options = { file: GOLDEN, image: IMAGE, variants: 3, padding: 2 };
    const rows = await encode(options, frame, new Rng(5));
    expectClose(rows.subarray(0, 20), golden.features);
    expect(await encode(options, frame, new Rng(5))).toEqual(rows);
    const rng = new Rng(5);
    for (const variant of [1, 2]) {
      const shifted = frame.slice();
      const right = rng.int(5) - 2;
      shiftFrame(shifted, 0, IMAGE, right, rng.int(5) - 2);
      expectClose(
        rows.subarray(variant * 20, variant * 20 + 20),
        await encode({ file: GOLDEN, image: IMAGE }, shifted),
      );
    }
  });
});

describe('encoders of other shapes', () => {
  const image: ImageShape = { channels: 2, height: 3, width: 4 };
  const pixels = Float32Array.from({ length: 24 }, (_, i) => i);

  it('may take one image at a time, and give a vector', async () => {
    const file = write('mean.onnx', [1, 2, 3, 4], (x) => reshape(reduceMean(x, [2, 3]), [1, 2]));
    const encoder = await open({ file, image });
    expect(encoder.features).toEqual({ channels: 2, height: 1, width: 1 });
    await encoder.close();
    expectClose(await encode({ file, image, variants: 2, padding: 0 }, pixels), [5.5, 17.5, 5.5, 17.5]);
  });

  it('may have channels last, in and out: features are channel first all the same', async () => {
    const file = write('last.onnx', [1, 3, 4, 2], (x) => mul(x, 2));
    expectClose(
      await encode({ file, image }, pixels),
      pixels.map((v) => 2 * v),
    );
  });

  it('may give tokens, as vision transformers do', async () => {
    const file = write('tokens.onnx', [1, 2, 3, 4], (x) => permute(reshape(x, [1, 2, 12]), [0, 2, 1]));
    const encoder = await open({ file, image });
    expect(encoder.features).toEqual({ channels: 2, height: 12, width: 1 });
    await encoder.close();
    expectClose(await encode({ file, image }, pixels), pixels);
  });

  it('see pixels as deviations where mean and std are given', async () => {
    const file = write('same.onnx', [1, 2, 3, 4], (x) => mul(x, 1));
    const expected = pixels.map((v, i) => (i < 12 ? (v - 1) / 2 : (v - 3) / 4));
    expectClose(await encode({ file, image, mean: [1, 3], std: [2, 4] }, pixels), expected);
  });
});

/** Output with as many features as there are pixels above `threshold`. */
function pixelsAbove(x: Tensor, threshold: number): Tensor {
  const { graph } = x;
  const isAbove = graph.emit('Greater', [reshape(x, [192]), graph.constant(threshold)], [192], { type: 'bool' });
  const attributes = [{ name: 'axis', kind: 'int', value: 1 }] as const;
  return graph.emit('Compress', [reshape(x, [1, 192]), isAbove], [1, 192], { attributes });
}

describe('an encoder that does not fit', () => {
  const foreign = write('foreign.onnx', [1, 3, 8, 8], (x) => x.graph.emit('Gelu', [x], x.shape));
  const two = (x: Tensor) => {
    x.graph.output('attention', mul(x, 3));
    return mul(x, 2);
  };
  it.each<[string, Options, string]>([
    ['no file', { file: '/nowhere/e.onnx', image: IMAGE }, 'The encoder /nowhere/e.onnx cannot be read.'],
    [
      'another image',
      { file: GOLDEN, image: { channels: 1, height: 64, width: 64 } },
      "encoder.onnx takes 'pixels' as [batch,3,8,8], where the task's image is 1x64x64 (channels x height x width).",
    ],
    ['an operation that is not there', { file: foreign, image: IMAGE }, 'foreign.onnx uses the operation Gelu'],
    [
      'a name that is not there',
      { file: GOLDEN, image: IMAGE, output: 'pooled' },
      "encoder.onnx has the outputs 'features', where 'pooled' is asked for.",
    ],
    [
      'several outputs',
      { file: write('two.onnx', [1, 3, 8, 8], two), image: IMAGE },
      "two.onnx has the outputs 'attention', 'features', where one is needed.",
    ],
    [
      'no map for each image',
      { file: write('sum.onnx', [1, 3, 8, 8], (x) => reshape(x, [192])), image: IMAGE },
      "sum.onnx gives 'features' as [192] for one image",
    ],
    [
      'several images at a time',
      { file: write('four.onnx', [4, 3, 8, 8], (x) => mul(x, 2)), image: IMAGE },
      'four.onnx takes 4 images at a time, where robots see one.',
    ],
    ['a mean for one channel', { file: GOLDEN, image: IMAGE, mean: [0.5] }, "The encoder's mean is [0.5]"],
    ['no std', { file: GOLDEN, image: IMAGE, std: [1, 0, 1] }, "the image's 3 channels need a number each above 0"],
  ])('%s', async (_, options, message) => {
    await expect(open(options)).rejects.toThrow(message);
  });

  it('gives nothing finite at all: seen before anything is trained', async () => {
    const file = write('never.onnx', [1, 3, 8, 8], (x) => log(mul(x, -1)));
    await expect(open({ file, image: IMAGE })).rejects.toMatchObject({ kind: 'config' });
  });

  it.each([
    ['another of the trials, before anything is trained', 0.45, 'config'],
    ['one that comes later', 0.02, 'policy'],
  ] as const)('gives more features for one picture than for %s', async (_, threshold, kind) => {
    const file = write('bright.onnx', [1, 3, 8, 8], (x) => pixelsAbove(x, threshold));
    await expect(encode({ file, image: IMAGE }, frame)).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(
        /^bright\.onnx gave 'features' as \[1,\d+\] for one image and as \[1,192\] for another,/,
      ),
    });
  });

  it('gives numbers that are not finite: the error says where to look', async () => {
    const file = write('log.onnx', [1, 3, 8, 8], (x) => log(x));
    await expect(encode({ file, image: IMAGE }, frame)).rejects.toMatchObject({
      kind: 'policy',
      message: 'log.onnx gave a feature that is not a finite number.',
    });
  });
});
