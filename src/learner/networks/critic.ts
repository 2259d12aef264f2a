/** Critics: an ensemble of value functions, evaluated together. */

import type { Tensor } from '../engine/graph.ts';
import type { ParameterLayout, Parameters } from '../engine/parameters.ts';
import { softplus } from '../ops/elements.ts';
import { concat } from '../ops/shape.ts';
import type { Activation } from '../options/activation.ts';
import { dense, hidden, mlpLayout } from './mlp.ts';

/** Layout of one member on `inputs` observation numbers; with LayerNorm after every hidden linear layer if requested. */
export function criticLayout(
  inputs: number,
  actionSize: number,
  widths: readonly number[],
  layerNorm: boolean,
  activation?: Activation,
): ParameterLayout {
  return mlpLayout(inputs + actionSize, widths, { value: 1 }, layerNorm, activation);
}

/** Q of every member: observation [B, inputs] and action [B, A] give [members, B, 1]. */
export function critics(parameters: Parameters, observation: Tensor, action: Tensor): Tensor {
  return action.graph.layer('critics', () =>
    dense(parameters, 'value', hidden(parameters, concat([observation, action], -1))),
  );
}

/** Layout of one member with a distribution of the return: like `criticLayout`, with a head for its spread. */
export function returnCriticLayout(
  inputs: number,
  actionSize: number,
  widths: readonly number[],
  layerNorm: boolean,
  activation?: Activation,
): ParameterLayout {
  return mlpLayout(inputs + actionSize, widths, { value: 1, spread: 1 }, layerNorm, activation);
}

/** Every member's Gaussian estimate of the return: mean Q and standard deviation σ > 0, [members, B, 1] each. */
export function returnCritics(
  parameters: Parameters,
  observation: Tensor,
  action: Tensor,
): { mean: Tensor; spread: Tensor } {
  return action.graph.layer('critics', () => {
    const features = hidden(parameters, concat([observation, action], -1));
    return { mean: dense(parameters, 'value', features), spread: softplus(dense(parameters, 'spread', features)) };
  });
}
