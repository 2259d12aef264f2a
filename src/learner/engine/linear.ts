/** Matrix product and linear layer, with their gradients. */

import { add, mul } from '../ops/elements.ts';
import { broadcast, concat, sumTo, transpose } from '../ops/shape.ts';
import { scopeOf, show, sizeOf, type Tensor } from './graph.ts';

/** Matrix product over the last two axes; the axes before them broadcast, so an ensemble is a leading axis. */
export function matmul(a: Tensor, b: Tensor): Tensor {
  const g = scopeOf(a, b);
  const inner = a.shape.at(-1);
  const [rows, columns] = [a.shape.at(-2), b.shape.at(-1)];
  const lead = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
  if (rows === undefined || columns === undefined || b.shape.length < 2 || lead === undefined) {
    throw g.mistake(`matmul of ${show(a.shape)} and ${show(b.shape)}: these are not matrices that fit`);
  }
  if (inner !== b.shape.at(-2)) {
    throw g.mistake(
      `matmul of ${show(a.shape)} and ${show(b.shape)}: the inner sizes ${inner} and ${b.shape.at(-2)} differ`,
    );
  }
  // With a single column the gradient is an outer product, for which elementwise multiplication is faster in the runtime.
  const toA = (d: Tensor) => (columns === 1 ? mul(d, transpose(b)) : matmul(d, transpose(b)));
  return g.emit('MatMul', [a, b], [...lead, rows, columns], {
    backward: [(d) => sumTo(toA(d), a.shape), (d) => sumTo(matmul(transpose(a), d), b.shape)],
  });
}

/**
 * x·weight + bias. x [..., B, in], weight [..., in, out], bias [..., 1, out].
 *
 * In an ensemble's thin first layer, whose input all members share, the bias is one more row of the weights: the product
 * adds it, which saves a pass over all members' outputs, forwards and backwards.
 */
export function linear(x: Tensor, weight: Tensor, bias: Tensor): Tensor {
  if (isThin(weight) && weight.shape.length > x.shape.length) {
    return matmul(withOnes(x), concat([weight, bias], -2));
  }
  return add(matmul(x, weight), bias);
}

/** Smallest ratio of outputs to inputs at which work on a layer's weights is negligible beside work on its outputs. */
const THIN = 4;

/** True if work on `weight` [..., in, out] is cheap compared with work on its outputs. */
function isThin(weight: Tensor): boolean {
  return weight.shape.at(-2)! * THIN <= weight.shape.at(-1)!;
}

/** Appends a column of ones to `x`. */
function withOnes(x: Tensor): Tensor {
  const shape = [...x.shape.slice(0, -1), 1];
  return concat([x, x.graph.constant(new Float32Array(sizeOf(shape)).fill(1), shape)], -1);
}
