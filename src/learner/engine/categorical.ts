/**
 * A choice among n classes: the distribution of its logits, and how to draw from it. A choice is one-hot, [..., n]: an
 * index would need the runtime's slow scatter operations in gradients.
 */

import { mul, neg, sub } from '../ops/arithmetic.ts';
import { reduceSum } from '../ops/broadcast.ts';
import { exp, log } from '../ops/functions.ts';
import { logSoftmax } from '../ops/reduce.ts';
import { argmaxOneHot } from '../ops/select.ts';
import type { Tensor } from './graph.ts';

/** The distribution over the classes, one along the last axis of each tensor. */
export interface Categorical {
  /** log p, [..., n], nats. */
  readonly logProbability: Tensor;
  /** p, [..., n]. */
  readonly probability: Tensor;
  /** −Σ p log p, [..., 1], nats: 0 for a sure choice, log n for an even one. */
  readonly entropy: Tensor;
  /** The most probable class (the first of equals), one-hot [..., n]; no gradient. */
  readonly mode: Tensor;
}

/** The distribution with the unnormalised log-probabilities `logits` [..., n]. Differentiable but for the mode. */
export function categorical(logits: Tensor): Categorical {
  const logProbability = logSoftmax(logits);
  const probability = exp(logProbability);
  const entropy = neg(reduceSum(mul(probability, logProbability), [-1]));
  return { logProbability, probability, entropy, mode: argmaxOneHot(logits) };
}

/**
 * A draw from the distribution, one-hot [..., n]; no gradient. `uniform` [..., n]: independent numbers in [0, 1). The largest
 * of logit plus Gumbel number −log(−log u) is a draw (Maddison et al., https://arxiv.org/abs/1411.0030, section 2).
 */
export function sampleCategorical(logits: Tensor, uniform: Tensor): Tensor {
  return argmaxOneHot(sub(logits, log(neg(log(uniform)))));
}
