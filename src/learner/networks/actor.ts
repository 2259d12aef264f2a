/** Policy networks, and the distribution from which an action is sampled. */
import type { Tensor } from '../engine/graph.ts';
import type { ParameterLayout, Parameters } from '../engine/parameters.ts';
import { add, exp, mul, softplus, square, sub, tanh } from '../ops/elements.ts';
import { reduceSum } from '../ops/shape.ts';
import type { Activation } from '../options/activation.ts';
import { dense, hidden, mlpLayout } from './mlp.ts';

/** The standard deviation σ of the policy before tanh is limited to [e⁻⁵, e²]. */
export const LOG_STD_MIN = -5;
export const LOG_STD_MAX = 2;

/** A Gaussian policy on `inputs` numbers. */
export function gaussianActorLayout(
  inputs: number,
  widths: readonly number[],
  actionSize: number,
  activation?: Activation,
): ParameterLayout {
  return mlpLayout(inputs, widths, { mean: actionSize, logStd: actionSize }, false, activation);
}

/**
 * The policy's Gaussian before tanh. `observation` [B, inputs] gives `mean` and `logStd` [B, A]. log σ is bounded by a
 * scaled tanh, which has a gradient everywhere, unlike a clip.
 */
export function gaussianActor(parameters: Parameters, observation: Tensor): { mean: Tensor; logStd: Tensor } {
  return observation.graph.layer('actor', () => {
    const features = hidden(parameters, observation);
    const half = (LOG_STD_MAX - LOG_STD_MIN) / 2;
    const raw = tanh(dense(parameters, 'logStd', features));
    return { mean: dense(parameters, 'mean', features), logStd: add(mul(raw, half), LOG_STD_MIN + half) };
  });
}

/** A deterministic policy on `inputs` numbers. */
export function deterministicActorLayout(
  inputs: number,
  widths: readonly number[],
  actionSize: number,
  activation?: Activation,
): ParameterLayout {
  return mlpLayout(inputs, widths, { mean: actionSize }, false, activation);
}

/** The policy's action in (−1, 1): tanh of the last layer, [B, A]. */
export function deterministicActor(parameters: Parameters, observation: Tensor): Tensor {
  return observation.graph.layer('actor', () => tanh(dense(parameters, 'mean', hidden(parameters, observation))));
}

/**
 * A reparameterised sample: u = μ + σε, a = tanh u, and its log-density [B, 1]
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
