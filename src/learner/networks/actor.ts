/** Policies: what they compute of an observation, before it becomes an action. */

import type { Tensor } from '../engine/graph.ts';
import type { ParameterLayout, Parameters } from '../engine/parameters.ts';
import { add, mul } from '../ops/arithmetic.ts';
import { tanh } from '../ops/functions.ts';
import type { Activation } from '../options/activation.ts';
import { dense, hidden, mlpLayout } from './mlp.ts';

/** The spread σ of the policy before tanh stays in [e⁻⁵, e²]. */
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
