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
  // Against one column the gradient is an outer product, which the runtime multiplies faster element by element.
  const toA = (d: Tensor) => (columns === 1 ? mul(d, transpose(b)) : matmul(d, transpose(b)));
  return g.emit('MatMul', [a, b], [...lead, rows, columns], {
    backward: [(d) => sumTo(toA(d), a.shape), (d) => sumTo(matmul(transpose(a), d), b.shape)],
  });
}

/**
 * x·weight + bias. x [..., B, in], weight [..., in, out], bias [..., 1, out].
 *
 * In an ensemble's thin first layer, whose input all members share, the bias is one more row of the weights: the product
 * adds it, where a sum would go over all members' outputs once more, forwards and backwards.
 */
export function linear(x: Tensor, weight: Tensor, bias: Tensor): Tensor {
  if (isThin(weight) && weight.shape.length > x.shape.length) {
    return matmul(withOnes(x), concat([weight, bias], -2));
  }
  return add(matmul(x, weight), bias);
}

/** How many times fewer inputs than outputs a layer has at least for work on its weights to be little beside work on its outputs. */
const THIN = 4;

/** Whether work on `weight` [..., in, out] costs little beside work on what it gives. */
function isThin(weight: Tensor): boolean {
  return weight.shape.at(-2)! * THIN <= weight.shape.at(-1)!;
}

/** `x` with a last column of ones. */
function withOnes(x: Tensor): Tensor {
  const shape = [...x.shape.slice(0, -1), 1];
  return concat([x, x.graph.constant(new Float32Array(sizeOf(shape)).fill(1), shape)], -1);
}
