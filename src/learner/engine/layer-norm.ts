/**
 * Layer normalisation with scale and shift, as y = scale·(x − mean)/√(variance + 1e-5) + shift over the last axis.
 * Ba, Kiros and Hinton, https://arxiv.org/abs/1607.06450.
 */

import { add, div, mul, sqrt, square, stopGradient, sub } from '../ops/elements.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reshape, sumTo } from '../ops/shape.ts';
import type { Tensor } from './graph.ts';
import { matmul } from './linear.ts';

const EPSILON = 1e-5;

/** Normalises `x` [..., B, n] with `scale` and `shift` [..., 1, n]. Its three gradients share their passes over x. */
export function scaledLayerNorm(x: Tensor, scale: Tensor, shift: Tensor): Tensor {
  const { normalised, inverseStd } = normalise(x);
  const y = add(mul(normalised, scale), shift);
  const products = new Map<Tensor, Tensor>();
  const productWith = (d: Tensor): Tensor => {
    const product = products.get(d) ?? mul(d, normalised);
    products.set(d, product);
    return product;
  };
  const toX = (d: Tensor): Tensor => {
    const scaled = mul(d, scale);
    // The mean of scaled·normalised as a product with a column, so that the product is never materialised.
    const along = mul(normalised, matmul(productWith(d), meanColumn(scale)));
    return mul(inverseStd, sub(sub(scaled, reduceMean(scaled, [-1])), along));
  };
  const toScale = (d: Tensor): Tensor => sumTo(productWith(d), scale.shape);
  return x.graph.withGradient(y, [x, scale, shift], [toX, toScale, (d) => sumTo(d, shift.shape)]);
}

/**
 * Turns a row [..., 1, n] into the column [..., n, 1] of a weighted mean. Divided by a vector: the runtime would fold a scalar into
 * the following product, which then would miss the fast path for a single column.
 */
function meanColumn(row: Tensor): Tensor {
  const width = row.shape.at(-1)!;
  const column = reshape(row, [...row.shape.slice(0, -2), width, 1]);
  return mul(column, row.graph.constant(new Float32Array(width).fill(1 / width), [width, 1]));
}

interface Normalised {
  readonly normalised: Tensor;
  readonly inverseStd: Tensor;
}

function normalise(x: Tensor): Normalised {
  return x.graph.real === 'float32' ? fusedNorm(x) : plainNorm(x);
}

/** Single fused node, used in training. */
function fusedNorm(x: Tensor): Normalised {
  const g = x.graph;
  const width = x.shape.at(-1)!;
  const attributes = [
    { name: 'axis', kind: 'int', value: -1 } as const,
    { name: 'epsilon', kind: 'float', value: EPSILON } as const,
  ];
  const column = [...x.shape.slice(0, -1), 1];
  const ones = g.constant(new Float32Array(width).fill(1), [width]);
  const outputs = g.emitMany('LayerNormalization', [x, ones], [x.shape, column, column], attributes);
  return { normalised: outputs[0]!, inverseStd: outputs[2]! };
}

/** The same in single operations: the fused node keeps its statistics in float32, even in a float64 graph. */
function plainNorm(x: Tensor): Normalised {
  const input = stopGradient(x);
  const centred = sub(input, reduceMean(input, [-1]));
  const inverseStd = div(1, sqrt(add(reduceMean(square(centred), [-1]), EPSILON)));
  return { normalised: stopGradient(mul(centred, inverseStd)), inverseStd: stopGradient(inverseStd) };
}
