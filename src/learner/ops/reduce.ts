/** Reductions over axes, which stay with size 1, and the softmax family over the last axis. */
import type { Tensor } from '../engine/graph.ts';
import { add, div, mul, stopGradient, sub } from './arithmetic.ts';
import { allAxes, expand, normalAxis, reduce, reduceSum, reshape } from './broadcast.ts';
import { exp, log } from './functions.ts';
import { equalMask } from './masks.ts';

/** The mean over `axes` (all where left out). */
export function reduceMean(x: Tensor, axes: readonly number[] = allAxes(x)): Tensor {
  const count = axes.reduce((product, axis) => product * x.shape[normalAxis(x, axis)]!, 1);
  return reduce('ReduceMean', x, axes, (d) => expand(mul(d, 1 / count), x.shape));
}

/** The minimum over one axis; where several are equal they share the gradient. */
export function reduceMin(x: Tensor, axis: number): Tensor {
  return extreme('ReduceMin', x, axis);
}

/** The maximum over one axis; where several are equal they share the gradient. */
export function reduceMax(x: Tensor, axis: number): Tensor {
  return extreme('ReduceMax', x, axis);
}

/** √Σx² over all elements, [1]. One node, and not finite where an element is not. Its gradient where all are 0 is NaN. */
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
