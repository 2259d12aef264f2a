/** Tensors for comparing gradients with central differences. For tests. */

import type { Graph, Tensor } from '../../../src/learner/engine/graph.ts';
import type { ParameterLayout, Parameters } from '../../../src/learner/engine/parameters.ts';
import { reshape, slice } from '../../../src/learner/ops/shape.ts';
import { Rng } from '../../../src/model/index.ts';

/** A constant of `shape`, drawn from N(0, 1) with `seed`. */
export function gaussian(g: Graph, shape: readonly number[], seed: number): Tensor {
  const values = new Float64Array(shape.reduce((a, b) => a * b, 1));
  new Rng(seed).fillNormal(values);
  return g.constant(values, [...shape]);
}

/** The parameters that lie in `flat`, [size] or [members, size]. `unpack` makes leaves; this is the same, differentiably. */
export function takeApart(flat: Tensor, layout: ParameterLayout): Parameters {
  const lead = flat.shape.slice(0, -1);
  return Object.fromEntries(
    layout.entries.map(({ name, shape, offset, size }) => [
      name,
      reshape(slice(flat, -1, offset, offset + size), [...lead, ...shape]),
    ]),
  );
}
