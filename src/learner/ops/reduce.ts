/** Reductions over axes, which are kept with size 1, and selection of values by mask, maximum or index. */
import { scopeOf, show, type Tensor } from '../engine/graph.ts';
import { add, cast, div, equalMask, exp, log, mul, stopGradient, sub } from './elements.ts';
import { allAxes, broadcast, expand, normalAxis, type Operand, reduce, reduceSum, reshape, sumTo } from './shape.ts';

/** Mean over `axes` (default: all). */
export function reduceMean(x: Tensor, axes: readonly number[] = allAxes(x)): Tensor {
  const count = axes.reduce((product, axis) => product * x.shape[normalAxis(x, axis)]!, 1);
  return reduce('ReduceMean', x, axes, (d) => expand(mul(d, 1 / count), x.shape));
}

/** Minimum over one axis; tied elements share the gradient. */
export function reduceMin(x: Tensor, axis: number): Tensor {
  return extreme('ReduceMin', x, axis);
}

/** Maximum over one axis; tied elements share the gradient. */
export function reduceMax(x: Tensor, axis: number): Tensor {
  return extreme('ReduceMax', x, axis);
}

/** √Σx² over all elements, [1]. One node; not finite if an element is not. Its gradient at 0 is NaN. */
export function euclideanNorm(x: Tensor): Tensor {
  const y: Tensor = reduce('ReduceL2', x, allAxes(x), (d) => div(mul(d, x), y));
  return reshape(y, [1]);
}

/** log Σ eˣ over one axis, without overflow. Its gradient is the softmax. */
export function logSumExp(x: Tensor, axis: number): Tensor {
  const input = stopGradient(x);
  const largest = reduceMax(input, axis);
  const y = add(log(reduceSum(exp(sub(input, largest)), [axis])), largest);
  return x.graph.withGradient(y, [x], [(d) => mul(d, exp(sub(input, y)))]);
}

function extreme(op: 'ReduceMin' | 'ReduceMax', x: Tensor, axis: number): Tensor {
  const y: Tensor = reduce(op, x, [axis], (d) => {
    const mask = equalMask(x, y);
    return div(mul(d, mask), reduceSum(mask, [axis]));
  });
  return y;
}

/** `a` where `mask` is not 0, `b` elsewhere. The unselected side may be infinite or NaN. Broadcasts. */
export function where(mask: Tensor, a: Operand, b: Operand): Tensor {
  const x = typeof a === 'number' ? mask.graph.constant(a) : a;
  const y = typeof b === 'number' ? mask.graph.constant(b) : b;
  const both = broadcast(x.shape, y.shape);
  const shape = both && broadcast(mask.shape, both);
  const g = scopeOf(mask, x, y);
  if (shape === undefined) {
    throw g.mistake(
      `where of the mask ${show(mask.shape)}, ${show(x.shape)} and ${show(y.shape)}: the sizes do not match`,
    );
  }
  return g.emit('Where', [cast(mask, 'bool'), x, y], shape, {
    backward: [undefined, (d) => sumTo(where(mask, d, 0), x.shape), (d) => sumTo(where(mask, 0, d), y.shape)],
  });
}

/** 1 at `indices` (int64 [...], each in [0, count)) and 0 elsewhere: [..., count]. No gradient. */
export function oneHot(indices: Tensor, count: number): Tensor {
  if (indices.type !== 'int64') throw indices.graph.mistake(`indices are int64, these are ${indices.type}`);
  const range = indices.graph.integers(Array.from({ length: count }, (_, i) => i));
  return equalMask(reshape(indices, [...indices.shape, 1]), range);
}

/** 1 at the maximum along the last axis (the first if tied) and 0 elsewhere, in the shape of `x`. No gradient. */
export function argmaxOneHot(x: Tensor): Tensor {
  const count = x.shape.at(-1);
  if (count === undefined) throw x.graph.mistake('a scalar has no largest along an axis');
  const attributes = [
    { name: 'axis', kind: 'int', value: x.shape.length - 1 } as const,
    { name: 'keepdims', kind: 'int', value: 0 } as const,
  ];
  return oneHot(x.graph.emit('ArgMax', [x], x.shape.slice(0, -1), { attributes, type: 'int64' }), count);
}

/** Values of `x` [..., n] selected by `choice` (one-hot, [..., n]): [..., 1]. The gradient goes to the selected ones. */
export function atOneHot(x: Tensor, choice: Tensor): Tensor {
  if (x.shape.at(-1) !== choice.shape.at(-1)) {
    throw x.graph.mistake(`a choice among ${choice.shape.at(-1)} cannot pick from ${show(x.shape)}`);
  }
  return reduceSum(mul(x, choice), [-1]);
}
