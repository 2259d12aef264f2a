import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ImageShape } from '../../model/index.ts';
import { forEachField, ProtoWriter } from '../../rows/index.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { add, mul } from '../ops/elements.ts';
import { reshape } from '../ops/shape.ts';
import { FrozenEncoder, type FrozenEncoderOptions } from './frozen-encoder.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-inline-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An encoder made by `build` on an image of 1 x 2 x 3, in a file of operator set `opset`. */
function write(name: string, opset: number, build: (x: Tensor) => Tensor): FrozenEncoderOptions {
  const g = new Graph('encoder');
  g.output('observation', build(g.input('pixels', [1, 1, 2, 3])));
  const w = new ProtoWriter();
  forEachField(g.serialize(), (field, _, __, whole) => {
    if (field === 8) w.message(8, (o) => o.int(2, opset));
    else w.raw(whole);
    return true;
  });
  writeFileSync(join(folder, name), w.finish());
  return { file: join(folder, name), image: { channels: 1, height: 2, width: 3 }, variants: 1, padding: 4 };
}

/** Twice the features of `pixels` plus 1, by the encoder itself and by one graph around it. */
async function both(options: FrozenEncoderOptions, pixels: Float32Array): Promise<[Float32Array, Float32Array]> {
  const encoder = await FrozenEncoder.open(options);
  const { channels, height, width }: ImageShape = options.image;
  const out = new Float32Array(encoder.featureSize);
  await encoder.encode(pixels, 0, out);
  const g = new Graph('policy');
  const features = encoder.emit(g.input('observation', [1, channels, height, width]));
  g.output('action', add(mul(features, 2), 1));
  const whole = encoder.inline(g.serialize());
  await encoder.close();
  const session = await Session.create(whole);
  const inputs = new Bindings();
  inputs.set('observation', pixels, [1, channels, height, width]);
  const { action } = await session.evaluate(inputs);
  await session.close();
  return [out.map((feature) => 2 * feature + 1), action!.data as Float32Array];
}

function expectClose([expected, actual]: readonly [Float32Array, Float32Array]): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, 5);
}

const pixels = Float32Array.of(0, 1, 2, 3, 4, 5);

describe('an encoder inside a graph', () => {
  it('gives what it gives by itself: of PyTorch, with mean and std', async () => {
    const golden = JSON.parse(readFileSync('tests/golden/onnx/encoder.json', 'utf8')) as { features: number[] };
    const file = 'tests/golden/onnx/encoder.onnx';
    const encoder = { file, image: { channels: 3, height: 8, width: 8 }, variants: 1, padding: 4 };
    const frame = Float32Array.from({ length: 192 }, (_, i) => i / 191);
    const [alone, inside] = await both(encoder, frame);
    expectClose([alone, inside]);
    expectClose([inside, Float32Array.from(golden.features, (feature) => 2 * feature + 1)]);
    expectClose(await both({ ...encoder, mean: [0.4, 0.5, 0.6], std: [0.2, 0.3, 0.4] }, frame));
  });

  it('may have loops whose body looks outside, and names that the graph has too', async () => {
    const options = write('loop.onnx', 18, (x) => {
      const g = x.graph;
      const sum = g.loop(g.integers([3], []), [x], (_, __, [carried]) => ({
        carried: [add(carried!, mul(x, 2))],
        stacked: [],
      }));
      return reshape(sum.carried[0]!, [1, 6]);
    });
    const [alone, inside] = await both(options, pixels);
    expect([...alone]).toEqual([1, 15, 29, 43, 57, 71]);
    expectClose([alone, inside]);
  });

  it('may be of opset 13, whose reductions and splits are written otherwise', async () => {
    const options = write('old.onnx', 13, (x) => {
      const g = x.graph;
      const axes = [
        { name: 'axes', kind: 'ints', value: [-1] },
        { name: 'keepdims', kind: 'int', value: 0 },
      ] as const;
      const mean = reshape(g.emit('ReduceMean', [x], [1, 1, 2], { attributes: axes }), [1, 2]);
      const [, second] = g.emitMany(
        'Split',
        [mean],
        [
          [1, 1],
          [1, 1],
        ],
        [{ name: 'axis', kind: 'int', value: 1 }],
      );
      return second!;
    });
    const [alone, inside] = await both(options, pixels);
    expect([...alone]).toEqual([9]);
    expectClose([alone, inside]);
  });

  it('is refused in an opset in which operations meant something else', async () => {
    await expect(
      both(
        write('older.onnx', 12, (x) => reshape(mul(x, 2), [1, 6])),
        pixels,
      ),
    ).rejects.toThrow('older.onnx is written in opset 12, where 13 and later fit into one file with the policy.');
  });
});
