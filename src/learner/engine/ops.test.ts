import { describe, expect, it } from 'vitest';
import { Rng } from '../../core/index.ts';
import { gradients } from './autodiff.ts';
import { gradientError } from './gradient-check.ts';
import { Graph, type RealType, type Tensor } from './graph.ts';
import { layerNorm, linear, matmul } from './linear.ts';
import * as ops from './ops.ts';
import { Bindings, Session } from './session.ts';

type Build = (x: readonly Tensor[]) => Tensor;
const away = [-1.7, -0.6, 0.4, 1.3, 2.1, -2.2];
const positive = [0.3, 0.8, 1.5, 2.4, 0.6, 3.1];

const CASES: readonly [string, readonly { shape: number[]; values?: number[] }[], Build][] = [
  ['add, broadcast both ways', [{ shape: [2, 1] }, { shape: [3] }], ([a, b]) => ops.add(a!, b!)],
  ['add with a number', [{ shape: [2] }], ([a]) => ops.mul(ops.add(a!, 2), a!)],
  ['sub, broadcast over a leading axis', [{ shape: [3] }, { shape: [2, 3] }], ([a, b]) => ops.sub(a!, b!)],
  ['mul of ensembles', [{ shape: [2, 3, 2] }, { shape: [2, 1, 2] }], ([a, b]) => ops.mul(a!, b!)],
  ['div', [{ shape: [2, 3] }, { shape: [2, 1], values: [0.7, -1.4] }], ([a, b]) => ops.div(a!, b!)],
  ['minimum', [{ shape: [6] }, { shape: [6] }], ([a, b]) => ops.minimum(a!, b!)],
  ['maximum with a number', [{ shape: [6], values: away }], ([a]) => ops.maximum(a!, 0.1)],
  ['neg', [{ shape: [3] }], ([a]) => ops.neg(a!)],
  ['exp', [{ shape: [3] }], ([a]) => ops.exp(a!)],
  ['log', [{ shape: [6], values: positive }], ([a]) => ops.log(a!)],
  ['sqrt', [{ shape: [6], values: positive }], ([a]) => ops.sqrt(a!)],
  ['tanh', [{ shape: [4] }], ([a]) => ops.tanh(a!)],
  ['relu', [{ shape: [6], values: away }], ([a]) => ops.relu(a!)],
  ['softplus', [{ shape: [6], values: [-40, -2, 0, 1, 20, 3] }], ([a]) => ops.softplus(a!)],
  ['sigmoid', [{ shape: [4] }], ([a]) => ops.sigmoid(a!)],
  ['abs', [{ shape: [6], values: away }], ([a]) => ops.abs(a!)],
  ['square', [{ shape: [4] }], ([a]) => ops.square(a!)],
  ['clip', [{ shape: [6], values: away }], ([a]) => ops.clip(ops.mul(a!, 1.1), -1, 2)],
  ['reduceSum over one axis', [{ shape: [2, 3, 2] }], ([a]) => ops.reduceSum(ops.square(a!), [1])],
  ['reduceMean over two axes', [{ shape: [2, 3, 2] }], ([a]) => ops.reduceMean(ops.square(a!), [0, -1])],
  ['reduceMin', [{ shape: [3, 4] }], ([a]) => ops.reduceMin(a!, 0)],
  ['reshape', [{ shape: [2, 3] }], ([a]) => ops.reshape(ops.square(a!), [3, 2])],
  ['expand', [{ shape: [2, 1] }], ([a]) => ops.square(ops.expand(a!, [3, 2, 2]))],
  ['transpose', [{ shape: [2, 3, 2] }], ([a]) => ops.transpose(a!)],
  [
    'concat and slice',
    [{ shape: [2, 3] }, { shape: [2, 2] }],
    ([a, b]) => ops.slice(ops.concat([a!, b!], -1), 1, 2, 4),
  ],
  ['pad', [{ shape: [2, 3] }], ([a]) => ops.pad(a!, 1, 1, 2)],
  ['a value used three times', [{ shape: [3] }], ([a]) => ops.mul(ops.add(ops.exp(a!), a!), ops.tanh(a!))],
  ['matmul of matrices', [{ shape: [2, 3] }, { shape: [3, 4] }], ([a, b]) => matmul(a!, b!)],
  ['matmul of a shared input and an ensemble', [{ shape: [2, 3] }, { shape: [2, 3, 4] }], ([a, b]) => matmul(a!, b!)],
  ['matmul of an ensemble and a shared weight', [{ shape: [2, 2, 3] }, { shape: [3, 2] }], ([a, b]) => matmul(a!, b!)],
  ['linear', [{ shape: [4, 3] }, { shape: [2, 3, 2] }, { shape: [2, 1, 2] }], ([x, w, b]) => linear(x!, w!, b!)],
  ['layerNorm', [{ shape: [2, 3, 5] }], ([a]) => layerNorm(a!)],
];

async function normGradient(real: RealType) {
  const g = new Graph('norm', real);
  const x = g.input('x', [3, 6]);
  const y = layerNorm(x);
  g.output('y', y);
  g.output('dx', gradients(ops.reduceSum(ops.mul(y, ops.square(x))), [x])[0]!);
  const bindings = new Bindings();
  const values = Array.from({ length: 18 }, (_, i) => Math.sin(3 * i) + (i % 4));
  bindings.set('x', real === 'float32' ? Float32Array.from(values) : Float64Array.from(values), [3, 6]);
  const session = await Session.create(g.serialize());
  const { y: value, dx } = await session.evaluate(bindings);
  await session.close();
  return [...(value!.data as Float64Array), ...(dx!.data as Float64Array)];
}

describe('gradients against central differences in float64', () => {
  it.each(CASES)('%s', async (_, inputs, build) => {
    expect(await gradientError(inputs, new Rng(1), build)).toBeLessThan(1e-6);
  });

  it('layerNorm gives the same from its fused float32 node as from single float64 steps', async () => {
    const [fused, plain] = [await normGradient('float32'), await normGradient('float64')];
    fused.forEach((value, i) => {
      expect(value).toBeCloseTo(plain[i]!, 4);
    });
  });

  it('does not pass a wrong gradient', async () => {
    const wrong: Build = ([a]) => {
      const y = ops.square(a!);
      return y.graph.withGradient(y, [a!], [(d) => ops.mul(d, a!)]);
    };
    expect(await gradientError([{ shape: [3] }], new Rng(1), wrong)).toBeGreaterThan(0.1);
  });

  it('stopGradient leaves the value and takes the gradient away', async () => {
    const build: Build = ([a]) => {
      const y = ops.square(a!);
      return y.graph.withGradient(ops.mul(a!, ops.stopGradient(a!)), [a!], [(d) => ops.mul(d, ops.mul(a!, 2))]);
    };
    expect(await gradientError([{ shape: [3] }], new Rng(1), build)).toBeLessThan(1e-6);
  });
});
