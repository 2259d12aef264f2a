/** Slowly moving copies of parameters. */

import { add, mul, sub } from '../ops/arithmetic.ts';
import type { Tensor } from './graph.ts';

/** target ← target + rate·(online − target): the exponential average with 0 < rate ≤ 1. */
export function polyak(target: Tensor, online: Tensor, rate: number): Tensor {
  return add(target, mul(sub(online, target), rate));
}
