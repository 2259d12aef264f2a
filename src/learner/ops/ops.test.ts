import { describe, expect, it } from 'vitest';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { Rng } from '../../model/index.ts';
import { gradients } from '../engine/autodiff.ts';
import { Graph, type RealType, type Tensor } from '../engine/graph.ts';
import { scaledLayerNorm } from '../engine/layer-norm.ts';
import { linear, matmul } from '../engine/linear.ts';
import { Bindings, Session } from '../engine/session.ts';
import * as elements from './elements.ts';
import * as reduce from './reduce.ts';
import * as shape from './shape.ts';

const all = { ...elements, ...reduce, ...shape };

/** Names of the operations used since it was last cleared. */
const used = new Set<string | symbol>();
const ops = new Proxy(all, {
  get: (target, name: keyof typeof all) => {
    used.add(name);
    return target[name];
  },
});

type Build = (x: readonly Tensor[]) => Tensor;
const away = [-1.7, -0.6, 0.4, 1.3, 2.1, -2.2];
const positive = [0.3, 0.8, 1.5, 2.4, 0.6, 3.1];

const ROWS = [{ shape: [2, 1, 5] }, { shape: [2, 1, 5] }];
const linearOf: Build = ([x, w, b]) => linear(x!, w!, b!);
const CASES: readonly [string, readonly { shape: number[]; values?: number[] }[], Build][] = [
  ['add, broadcast both ways', [{ shape: [2, 1] }, { shape: [3] }], ([a, b]) => ops.add(a!, b!)],
  ['add with a number', [{ shape: [2] }], ([a]) => ops.mul(ops.add(a!, 2), a!)],
  ['sub, broadcast over a leading axis', [{ shape: [3] }, { shape: [2, 3] }], ([a, b]) => ops.sub(a!, b!)],
  ['mul of ensembles', [{ shape: [2, 3, 2] }, { shape: [2, 1, 2] }], ([a, b]) => ops.mul(a!, b!)],
  ['div', [{ shape: [2, 3] }, { shape: [2, 1], values: [0.7, -1.4] }], ([a, b]) => ops.div(a!, b!)],
  ['minimum', [{ shape: [6] }, { shape: [6] }], ([a, b]) => ops.minimum(a!, b!)],
  [
    'minimum of a broadcast second',
    [
      { shape: [2, 3], values: away },
      { shape: [2, 1], values: [0, 0.5] },
    ],
    ([a, b]) => ops.minimum(a!, b!),
  ],
  ['maximum', [{ shape: [6] }, { shape: [6] }], ([a, b]) => ops.maximum(a!, b!)],
  [
    'maximum of a broadcast second',
    [
      { shape: [2, 3], values: away },
      { shape: [3], values: [0, -1, 1] },
    ],
    ([a, b]) => ops.maximum(a!, b!),
  ],
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
  ['sumTo', [{ shape: [2, 3] }], ([a]) => ops.sumTo(ops.square(a!), [1, 3])],
  ['euclideanNorm', [{ shape: [2, 3] }], ([a]) => ops.euclideanNorm(ops.exp(a!))],
  ['reduceMin', [{ shape: [3, 4] }], ([a]) => ops.reduceMin(a!, 0)],
  ['reshape', [{ shape: [2, 3] }], ([a]) => ops.reshape(ops.square(a!), [3, 2])],
  ['expand', [{ shape: [2, 1] }], ([a]) => ops.square(ops.expand(a!, [3, 2, 2]))],
  ['transpose', [{ shape: [2, 3, 2] }], ([a]) => ops.transpose(a!)],
  [
    'concat and slice',
    [{ shape: [2, 3] }, { shape: [2, 2] }],
    ([a, b]) => ops.slice(ops.concat([a!, b!], -1), 1, 2, 4),
  ],
  ['sin and cos', [{ shape: [5] }], ([a]) => ops.mul(ops.sin(a!), ops.cos(ops.mul(a!, 1.7)))],
  ['silu', [{ shape: [6], values: [-30, -2, 0, 0.5, 3, 20] }], ([a]) => ops.silu(a!)],
  ['gelu', [{ shape: [6], values: [-9, -1.5, 0, 0.5, 2, 8] }], ([a]) => ops.gelu(a!)],
  ['huber on both sides of delta', [{ shape: [6], values: away }], ([a]) => ops.huber(a!, 1)],
  ['reduceMax', [{ shape: [3, 4] }], ([a]) => ops.reduceMax(a!, -1)],
  ['logSumExp over the middle axis', [{ shape: [2, 3, 2] }], ([a]) => ops.logSumExp(a!, 1)],
  ['logSumExp of large numbers', [{ shape: [3], values: [900, 901, 899.5] }], ([a]) => ops.logSumExp(a!, 0)],
  ['permute', [{ shape: [2, 3, 1, 2] }], ([a]) => ops.permute(a!, [2, 0, 3, 1])],
  ['padAll and cut', [{ shape: [2, 3] }], ([a]) => ops.cut(ops.square(ops.padAll(a!, [1, 0], [0, 2])), [1, 1], [2, 3])],
  [
    'where, all three broadcast',
    [{ shape: [2, 1] }, { shape: [3] }],
    ([a, b]) => ops.where(a!.graph.constant([1, 0, 0, 1, 1, 0], [2, 3]), ops.square(a!), ops.exp(b!)),
  ],
  ['where with a number', [{ shape: [4] }], ([a]) => ops.where(ops.less(a!, 0.3), a!, 2)],
  [
    'atOneHot of an ensemble',
    [{ shape: [2, 3, 4] }],
    ([a]) => ops.square(ops.atOneHot(a!, ops.oneHot(a!.graph.integers([3, 0, 1]), 4))),
  ],
  ['atOneHot of the largest', [{ shape: [3, 4] }], ([a]) => ops.square(ops.atOneHot(a!, ops.argmaxOneHot(a!)))],
  ['a value used three times', [{ shape: [3] }], ([a]) => ops.mul(ops.add(ops.exp(a!), a!), ops.tanh(a!))],
  ['matmul of matrices', [{ shape: [2, 3] }, { shape: [3, 4] }], ([a, b]) => matmul(a!, b!)],
  ['matmul of a shared input and an ensemble', [{ shape: [2, 3] }, { shape: [2, 3, 4] }], ([a, b]) => matmul(a!, b!)],
  ['matmul of an ensemble and a shared weight', [{ shape: [2, 2, 3] }, { shape: [3, 2] }], ([a, b]) => matmul(a!, b!)],
  ['linear', [{ shape: [4, 3] }, { shape: [2, 3, 2] }, { shape: [2, 1, 2] }], linearOf],
  ['scaledLayerNorm', [{ shape: [2, 3, 5] }, ...ROWS], ([a, ...rows]) => scaledLayerNorm(a!, rows[0]!, rows[1]!)],
  ['linear, thin, of a shared input', [{ shape: [2, 2] }, { shape: [2, 2, 9] }, { shape: [2, 1, 9] }], linearOf],
];

/** Exports without gradient: shapes, masks, choices, and rows at an index. */
const WITHOUT = [
  'broadcast',
  'less',
  'equalMask',
  'nonZeroMask',
  'cast',
  'oneHot',
  'argmaxOneHot',
  'gatherRows',
  'rowAt',
  'stopGradient',
  // Helpers shared by operations.
  'align',
  'reduce',
  'allAxes',
  'normalAxis',
  'positiveMask',
];

async function normGradient(real: RealType) {
  const g = new Graph('norm', real);
  const x = g.input('x', [3, 6]);
  const y = scaledLayerNorm(x, g.constant([1, 2, 3, -1, -2, 0.5], [1, 6]), g.constant([0, 1, 2, 3, 4, 5], [1, 6]));
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

  it('are checked for every operation', () => {
    used.clear();
    for (const [, inputs, build] of CASES) {
      const g = new Graph('check', 'float64');
      build(inputs.map(({ shape }, i) => g.input(`x${i}`, shape)));
    }
    expect(Object.keys(all).filter((name) => !used.has(name) && !WITHOUT.includes(name))).toEqual([]);
  });

  it.each<[string, (x: Tensor) => Tensor]>([
    ['less', (x) => ops.less(x, 0.5)],
    ['gatherRows', (x) => ops.gatherRows(x, x.graph.integers([1]))],
    ['stopGradient', ops.stopGradient],
  ])('%s has none, and says so rather than to give zeros', (_, build) => {
    const x = new Graph('none').input('x', [2]);
    expect(() => gradients(ops.reduceSum(build(x)), [x])).toThrow(/has no gradient|does not depend on x/);
  });

  it('relu gives the same from its one float32 node as from two float64 casts, however small or large the number', async () => {
    const smallest = 2 ** -126;
    const values = [0, -0, smallest, -smallest, 1e-30, -1e-30, 0.5, -0.5, 1, 1e30, -1e30, 3e38, -3e38];
    const slope = (real: RealType) => evaluate(values, (x) => gradients(ops.reduceSum(ops.relu(x)), [x])[0]!, real);
    const expected = values.map((value) => (value > 0 ? 1 : 0));
    expect(await slope('float64')).toEqual(expected);
    expect(await slope('float32')).toEqual(expected);
  });

  it('scaledLayerNorm gives the same from its fused float32 node as from single float64 steps', async () => {
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

/** Result of `build` for `values`; float32 is what training runs. */
async function evaluate(
  values: readonly number[],
  build: (x: Tensor) => Tensor,
  real: RealType = 'float32',
): Promise<number[]> {
  const g = new Graph('value', real);
  g.output('y', build(g.input('x', [values.length])));
  const bindings = new Bindings();
  bindings.set('x', real === 'float32' ? Float32Array.from(values) : Float64Array.from(values), [values.length]);
  const session = await Session.create(g.serialize());
  const { y } = await session.evaluate(bindings);
  await session.close();
  return Array.from(y!.data as Float32Array);
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(actual[i]).toBeCloseTo(value, 5);
  });
}

describe('values', () => {
  // x·Φ(x) from tables is 0.841345 at 1 and −0.158655 at −1: the tanh form differs by 1.5e-4.
  it('gelu', async () => expectClose(await evaluate([-1, 0, 1, 30], ops.gelu), [-0.158808, 0, 0.841192, 30]));
  it('silu', async () => expectClose(await evaluate([-2, 0, 2], ops.silu), [-0.238406, 0, 1.761594]));
  it('huber', async () => expectClose(await evaluate([-3, -1, 0.5, 4], (x) => ops.huber(x, 2)), [4, 0.5, 0.125, 6]));
  it('euclideanNorm is not finite where a number is not', async () => {
    expectClose(await evaluate([3, 0, -4], ops.euclideanNorm), [5]);
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e20]) {
      const [norm] = await evaluate([...new Array(300).fill(1), bad, 2], ops.euclideanNorm);
      expect(Number.isFinite(norm)).toBe(false);
    }
  });
  it('logSumExp', async () => {
    expectClose(await evaluate([100, 100], (x) => ops.logSumExp(x, 0)), [100 + Math.LN2]);
  });
  it('argmaxOneHot takes the first of equals', async () => {
    expect(await evaluate([1, 7, 7, 2], ops.argmaxOneHot)).toEqual([0, 1, 0, 0]);
  });
  it('where ignores what it does not take', async () => {
    const logOfPositive = (x: Tensor) => ops.where(ops.less(0, x), ops.log(x), -5);
    expectClose(await evaluate([-1, 0, 1], logOfPositive), [-5, -5, 0]);
  });
});

describe('mistakes', () => {
  const g = new Graph('graph');
  const x = g.input('x', [2, 3]);
  it.each([
    ['permute', () => ops.permute(x, [0, 0]), 'the axes of [2,3] cannot be put in the order [0,0]'],
    ['expand', () => ops.expand(x, [2, 4]), '[2,3] cannot be repeated to fill [2,4]'],
    ['cut', () => ops.cut(x, [1, 0], [2, 3]), '[2,3] has no block of [2,3] at [1,0]'],
    ['where', () => ops.where(x, ops.slice(x, 1, 0, 2), 0), 'the mask [2,3], [2,2] and []'],
    ['atOneHot', () => ops.atOneHot(x, ops.oneHot(g.integers([1]), 2)), 'a choice among 2 cannot pick from [2,3]'],
    ['oneHot', () => ops.oneHot(x, 2), 'indices are int64, these are float32'],
    ['huber', () => ops.huber(x, 0), "Huber's delta is greater than 0, got 0"],
    ['less', () => ops.less(x, ops.slice(x, 1, 0, 2)), 'less of [2,3] and [2,2]: the sizes do not match'],
  ])('%s says what does not fit', (_, build, message) => {
    expect(() => g.layer('head', build)).toThrow(`graph: head: `);
    expect(build).toThrow(message);
  });
});
