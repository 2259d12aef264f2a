import { describe, expect, it } from 'vitest';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { Rng } from '../../model/index.ts';
import { mul, square } from '../ops/elements.ts';
import { reduceSum } from '../ops/shape.ts';
import { gradients } from './autodiff.ts';
import { conv2d } from './conv.ts';
import { Graph, type RealType, type Shape, type Tensor } from './graph.ts';
import { Bindings, Session } from './session.ts';

type Build = (x: readonly Tensor[]) => Tensor;

/** Name, image, weight, and the expression under test. */
const CASES: readonly [string, Shape, Shape, Build][] = [
  ['1x1', [2, 3, 2, 3], [2, 3, 1, 1], ([x, w]) => conv2d(x!, w!)],
  ['3x3, batch 1', [1, 2, 4, 5], [3, 2, 3, 3], ([x, w]) => conv2d(x!, w!)],
  ['3x3, padded', [2, 1, 3, 4], [2, 1, 3, 3], ([x, w]) => conv2d(x!, w!, { padding: 1 })],
  ['3x3, stride 2, odd', [2, 2, 5, 7], [2, 2, 3, 3], ([x, w]) => conv2d(x!, w!, { stride: 2 })],
  ['3x3, stride 2, even, padded', [2, 2, 6, 4], [2, 2, 3, 3], ([x, w]) => conv2d(x!, w!, { stride: 2, padding: 1 })],
  ['3x3, stride 2, last row unused', [1, 2, 6, 6], [2, 2, 3, 3], ([x, w]) => conv2d(x!, w!, { stride: 2 })],
  ['4x4, stride 2', [1, 2, 6, 6], [2, 2, 4, 4], ([x, w]) => conv2d(x!, w!, { stride: 2 })],
  ['2x2, stride 3, gaps', [1, 2, 7, 6], [2, 2, 2, 2], ([x, w]) => conv2d(x!, w!, { stride: 3 })],
  ['5x2, stride 3, padded', [1, 1, 7, 6], [2, 1, 5, 2], ([x, w]) => conv2d(x!, w!, { stride: 3, padding: 2 })],
  ['8x8, stride 4', [1, 1, 13, 12], [2, 1, 8, 8], ([x, w]) => conv2d(x!, w!, { stride: 4 })],
  [
    'the same weight twice',
    [1, 2, 7, 7],
    [2, 2, 3, 3],
    ([x, w]) => conv2d(conv2d(x!, w!, { stride: 2 }), w!, { padding: 1 }),
  ],
];

/** Result and gradients of a case in one floating type, on the same numbers. */
async function run(real: RealType, image: Shape, weight: Shape, build: Build): Promise<number[]> {
  const g = new Graph('conv', real);
  const inputs = [g.input('x', image), g.input('w', weight)];
  const y = build(inputs);
  const loss = reduceSum(
    mul(
      square(y),
      g.constant(
        Array.from({ length: y.size }, (_, i) => Math.sin(i)),
        y.shape,
      ),
    ),
  );
  g.output('y', y);
  gradients(loss, inputs).forEach((gradient, i) => {
    g.output(`d${i}`, gradient);
  });
  const bindings = new Bindings();
  for (const [name, tensor] of [
    ['x', inputs[0]!],
    ['w', inputs[1]!],
  ] as const) {
    const values = Array.from({ length: tensor.size }, (_, i) => Math.sin(1 + 3 * i * i));
    bindings.set(name, real === 'float32' ? Float32Array.from(values) : Float64Array.from(values), tensor.shape);
  }
  const session = await Session.create(g.serialize());
  const results = await session.evaluate(bindings);
  await session.close();
  return ['y', 'd0', 'd1'].flatMap((name) => Array.from(results[name]!.data as Float32Array));
}

describe('convolution', () => {
  it.each(CASES)('%s: gradients against central differences', async (_, image, weight, build) => {
    const error = await gradientError([{ shape: image }, { shape: weight }], new Rng(1), (x) => square(build(x)));
    expect(error).toBeLessThan(1e-6);
  });

  it.each(CASES)("%s: the runtime's float32 nodes give the same", async (_, image, weight, build) => {
    const [single, double] = [await run('float32', image, weight, build), await run('float64', image, weight, build)];
    const largest = Math.max(...double.map(Math.abs));
    double.forEach((value, i) => {
      expect(Math.abs(single[i]! - value) / largest).toBeLessThan(1e-5);
    });
  });

  it('gives the numbers of a sum by hand', async () => {
    const g = new Graph('hand');
    const x = g.constant([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 3, 3]);
    g.output('y', conv2d(x, g.constant([1, 0, 0, -1], [1, 1, 2, 2])));
    const session = await Session.create(g.serialize());
    const { y } = await session.evaluate(new Bindings());
    await session.close();
    // 1 − 5, 2 − 6, 4 − 8, 5 − 9.
    expect(Array.from(y!.data as Float32Array)).toEqual([-4, -4, -4, -4]);
  });
});

describe('mistakes', () => {
  const g = new Graph('update');
  const image = g.input('image', [8, 3, 16, 16]);
  const flat = g.input('flat', [8, 768]);
  const weight = (shape: Shape) => g.constant(new Float32Array(shape.reduce((n, m) => n * m, 1)), shape);
  it.each([
    [
      () => conv2d(image, weight([4, 2, 3, 3])),
      'the image [8,3,16,16] with the weight [4,2,3,3]: the image has 3 channels, the weight takes 2',
    ],
    [() => conv2d(image, weight([4, 3, 17, 3])), 'a kernel of 17x3 does not fit the image [8,3,16,16] with padding 0'],
    [() => conv2d(image, weight([4, 27])), 'takes the weight as [out, in, height, width], got [4,27]'],
    [() => conv2d(flat, weight([4, 3, 3, 3])), 'takes the image as [batch, channels, height, width], got [8,768]'],
    [() => conv2d(image, weight([4, 3, 3, 3]), { stride: 0 }), 'the stride is an integer from 1'],
  ])('%#', (build, message) => {
    expect(() => g.layer('encoder', () => g.layer('conv0', build))).toThrow('update: encoder.conv0: ');
    expect(build).toThrow(message);
  });
});
