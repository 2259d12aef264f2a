/** Compares gradients with central differences, in float64: the gate for every operation and every loss. */

import { gradients } from '../../../src/learner/engine/autodiff.ts';
import { Graph, type Shape, type Tensor } from '../../../src/learner/engine/graph.ts';
import { Bindings, Session } from '../../../src/learner/engine/session.ts';
import { mul } from '../../../src/learner/ops/elements.ts';
import { reduceSum } from '../../../src/learner/ops/shape.ts';
import type { Rng } from '../../../src/model/index.ts';

/** Best for a central difference of order h² against rounding at 2⁻⁵². */
const STEP = 1e-5;

/** One differentiated input, filled with `values` or with N(0, 1). */
export interface CheckedInput {
  readonly shape: Shape;
  readonly values?: ArrayLike<number>;
}

/**
 * The worst relative error, over the inputs, of the gradients of `build`'s result: the largest difference from a
 * central difference over the largest gradient. A result with several elements is summed with random weights.
 */
export async function gradientError(
  inputs: readonly CheckedInput[],
  rng: Rng,
  build: (inputs: readonly Tensor[], graph: Graph) => Tensor,
): Promise<number> {
  const g = new Graph('check', 'float64');
  const tensors = inputs.map(({ shape }, i) => g.input(`x${i}`, shape));
  const y = build(tensors, g);
  const loss = y.size === 1 ? y : reduceSum(mul(y, g.constant(normals(y.size, rng), y.shape)));
  gradients(loss, tensors).forEach((gradient, i) => {
    g.output(`dx${i}`, gradient);
  });
  g.output('loss', loss);

  const bindings = new Bindings();
  const data = inputs.map(({ shape, values }, i) => {
    const array = values === undefined ? normals(tensors[i]!.size, rng) : Float64Array.from(values);
    bindings.set(`x${i}`, array, shape);
    return array;
  });
  const session = await Session.create(g.serialize());
  const value = async () => Number((await session.evaluate(bindings))['loss']!.data[0]);
  const analytic = await session.evaluate(bindings);
  let worst = 0;
  for (const [i, array] of data.entries()) {
    const gradient = analytic[`dx${i}`]!.data;
    let [error, largest] = [0, 1e-9];
    for (let j = 0; j < array.length; j++) {
      const x = array[j]!;
      array[j] = x + STEP;
      const above = await value();
      array[j] = x - STEP;
      const below = await value();
      array[j] = x;
      const numeric = (above - below) / (2 * STEP);
      error = Math.max(error, Math.abs(numeric - Number(gradient[j])));
      largest = Math.max(largest, Math.abs(numeric));
    }
    worst = Math.max(worst, error / largest);
  }
  await session.close();
  return worst;
}

function normals(count: number, rng: Rng): Float64Array {
  const values = new Float64Array(count);
  rng.fillNormal(values);
  return values;
}
