/** The policy's distribution: a Gaussian squashed by tanh into (−1, 1). */

import type { Tensor } from '../engine/graph.ts';
import { add, mul, square, sub } from '../ops/arithmetic.ts';
import { reduceSum } from '../ops/broadcast.ts';
import { exp, softplus, tanh } from '../ops/functions.ts';

/**
 * A reparameterised draw: u = μ + σε, a = tanh u, and its log-density [B, 1]
 *
 *   log π(a) = Σᵢ [ −½εᵢ² − log σᵢ − ½ log 2π − 2(log 2 − uᵢ − softplus(−2uᵢ)) ]
 *
 * (Haarnoja et al., https://arxiv.org/abs/1812.05905, appendix C; the last term is the stable form of
 * log(1 − tanh² u)). `noise` = ε ~ N(0, 1), [B, A].
 */
export function sampleTanhGaussian(
  mean: Tensor,
  logStd: Tensor,
  noise: Tensor,
): { action: Tensor; logProbability: Tensor } {
  const u = add(mean, mul(exp(logStd), noise));
  const gaussian = sub(sub(mul(square(noise), -0.5), logStd), 0.5 * Math.log(2 * Math.PI));
  const squash = mul(sub(sub(Math.LN2, u), softplus(mul(u, -2))), 2);
  return { action: tanh(u), logProbability: reduceSum(sub(gaussian, squash), [-1]) };
}
