/**
 * Soft actor-critic with automatic temperature: Haarnoja et al., https://arxiv.org/abs/1812.05905, with the
 * ensemble target of REDQ (Chen et al., https://arxiv.org/abs/2101.05982). Each function is one equation.
 */
import {
  abs,
  add,
  clip,
  exp,
  mul,
  neg,
  reduceMean,
  reduceMin,
  reshape,
  square,
  stopGradient,
  sub,
  type Tensor,
} from '../engine/index.ts';

/**
 * y = r + d·( min over the subset of Q̄(s′, a′) − α·log π(a′|s′) ), [B, 1], with d = γ·m and m = 0 only where the
 * task itself ended the episode. Without `entropy` the last term is left out; with it, d multiplies it too.
 * `targetValues` [subset, B, 1].
 */
export function criticTarget(
  reward: Tensor,
  discount: Tensor,
  targetValues: Tensor,
  entropy?: { readonly temperature: Tensor; readonly logProbability: Tensor },
): Tensor {
  const least = reshape(reduceMin(targetValues, 0), targetValues.shape.slice(1));
  const value = entropy === undefined ? least : sub(least, mul(entropy.temperature, entropy.logProbability));
  return stopGradient(add(reward, mul(discount, value)));
}

/** L_Q = mean over critics and batch of (Q_j(s, a) − y)². `values` [critics, B, 1], `target` [B, 1]. */
export function criticLoss(values: Tensor, target: Tensor): { loss: Tensor; absoluteError: Tensor } {
  const error = sub(values, target);
  return { loss: reduceMean(square(error)), absoluteError: reduceMean(abs(error)) };
}

/** L_π = mean of α·log π(a|s) − Q(s, a), Q aggregated over the critics. α is held fixed. */
export function actorLoss(
  logProbability: Tensor,
  values: Tensor,
  temperature: Tensor,
  aggregation: 'mean' | 'min',
): { loss: Tensor; value: Tensor } {
  const value = aggregation === 'mean' ? reduceMean(values, [0]) : reduceMin(values, 0);
  const perSample = sub(mul(stopGradient(temperature), logProbability), reshape(value, logProbability.shape));
  return { loss: reduceMean(perSample), value: reduceMean(value) };
}

/** α = eᵖ. */
export function temperature(logTemperature: Tensor): Tensor {
  return exp(logTemperature);
}

/** L_α = α·(H − H*), with the entropy H = −mean log π held fixed: α rises while the policy is too certain. */
export function temperatureLoss(logTemperature: Tensor, entropy: Tensor, targetEntropy: number): Tensor {
  return reduceMean(mul(temperature(logTemperature), sub(stopGradient(entropy), targetEntropy)));
}

/** H = −mean log π, nats, summed over action dimensions. */
export function entropyOf(logProbability: Tensor): Tensor {
  return neg(reduceMean(logProbability));
}

/** Keeps log α at or above log of `minTemperature`. */
export function floorTemperature(logTemperature: Tensor, minTemperature: number): Tensor {
  return clip(logTemperature, Math.log(minTemperature), 10);
}
