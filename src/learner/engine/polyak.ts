/** Slowly moving copies of parameters. */
import type { Tensor } from './graph.ts';
import { add, mul, sub } from './ops/index.ts';

/** target ← target + rate·(online − target): the exponential average with 0 < rate ≤ 1. */
export function polyak(target: Tensor, online: Tensor, rate: number): Tensor {
  return add(target, mul(sub(online, target), rate));
}
