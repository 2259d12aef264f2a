/** Behaviour cloning: the policy's noiseless action is drawn to the demonstrated one. */
import { div, maximum, mul, reduceMean, reduceSum, square, sub, type Tensor, tanh } from '../engine/index.ts';

/**
 * L_BC = mean over the chosen rows of mean over dimensions of (tanh μ(s) − a)². `mean` and `action` [B, A];
 * `chosen` [B, 1] is 1 for rows that come from demonstrations and 0 elsewhere; all rows where left out.
 */
export function cloningLoss(mean: Tensor, action: Tensor, chosen?: Tensor): Tensor {
  const error = square(sub(tanh(mean), action));
  if (chosen === undefined) return reduceMean(error);
  const count = maximum(reduceSum(chosen), 1);
  return div(reduceSum(mul(error, chosen)), mul(count, error.shape.at(-1)!));
}
