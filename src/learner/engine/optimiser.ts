/** Adam and AdamW on flat parameter vectors, and slow copies of parameters (Polyak averages). */

import { add, div, minimum, mul, sqrt, square, sub } from '../ops/elements.ts';
import { concat, reduceSum, reshape } from '../ops/shape.ts';
import type { Tensor } from './graph.ts';
import { matmul } from './linear.ts';

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/** Parameters with the optimiser's two moments, all of one shape. */
export interface AdamState {
  readonly parameters: Tensor;
  readonly first: Tensor;
  readonly second: Tensor;
}

/**
 * One step of Adam (Kingma and Ba, https://arxiv.org/abs/1412.6980); with `kept` < 1, with decoupled weight decay
 * (Loshchilov and Hutter, https://arxiv.org/abs/1711.05101).
 *
 * The moments are stored divided by (1 − β₁) and (1 − β₂): m' = β₁m + g, v' = β₂v + g², w' = w − s·m'/(√v' + e).
 * `step` and `epsilon` include the bias corrections, as `adamStep` computes them; `kept` is the factor of weight decay on the
 * parameters: 1 − learning rate·weight decay.
 */
export function adam(
  state: AdamState,
  gradient: Tensor,
  step: Tensor,
  epsilon: Tensor,
  kept: number | Tensor = 1,
): AdamState {
  const first = add(mul(state.first, BETA1), gradient);
  const second = add(mul(state.second, BETA2), square(gradient));
  const change = div(mul(first, step), add(sqrt(second), epsilon));
  const left = kept === 1 ? state.parameters : mul(state.parameters, kept);
  return { parameters: sub(left, change), first, second };
}

/** Step size and epsilon of `adam` at step `count` (from 1) and `learningRate`. */
export function adamStep(count: number, learningRate: number): { step: number; epsilon: number } {
  const spread = Math.sqrt((1 - BETA2 ** count) / (1 - BETA2));
  return { step: (learningRate * spread * (1 - BETA1)) / (1 - BETA1 ** count), epsilon: EPSILON * spread };
}

/**
 * Scales a gradient, in one or several tensors, down to the Euclidean norm `limit` if it is longer. Returns it with the
 * squared norm before, one number.
 */
export function clipNorm(
  gradient: readonly Tensor[],
  limit: number,
): { clipped: readonly Tensor[]; squaredNorm: Tensor } {
  const parts = gradient.map((part) => reshape(squaredNormOf(part), [1]));
  // Concatenated and summed rather than added: the runtime then computes the parts last to first, as a backward pass does.
  const squaredNorm = parts.length === 1 ? parts[0]! : reduceSum(concat(parts, 0));
  if (limit <= 0) return { clipped: gradient, squaredNorm };
  const factor = minimum(div(limit, add(sqrt(squaredNorm), 1e-6)), 1);
  return { clipped: gradient.map((part) => mul(part, factor)), squaredNorm };
}

/** Σ g², one number; for a stack of matrices by a product with a column, which is twice as fast in the runtime as one sum. */
function squaredNormOf(part: Tensor): Tensor {
  const squares = square(part);
  if (part.shape.length < 3) return reduceSum(squares);
  const width = part.shape.at(-1)!;
  const ones = part.graph.constant(new Float32Array(width).fill(1), [width, 1]);
  return reduceSum(matmul(squares, ones));
}

/** target ← target + rate·(online − target): exponential average with 0 < rate ≤ 1. */
export function polyak(target: Tensor, online: Tensor, rate: number): Tensor {
  return add(target, mul(sub(online, target), rate));
}
