/** Critics: an ensemble of value functions, evaluated side by side. */
import { concat, type ParameterLayout, type Parameters, type Tensor } from '../engine/index.ts';
import { dense, hidden, mlpLayout } from './mlp.ts';

/** One member on `inputs` observation numbers; LayerNorm after every hidden linear layer where asked for. */
export function criticLayout(
  inputs: number,
  actionSize: number,
  widths: readonly number[],
  layerNorm: boolean,
): ParameterLayout {
  return mlpLayout(inputs + actionSize, widths, { value: 1 }, layerNorm);
}

/** Q of every member: observation [B, inputs] and action [B, A] give [members, B, 1]. */
export function critics(parameters: Parameters, observation: Tensor, action: Tensor): Tensor {
  return action.graph.layer('critics', () =>
    dense(parameters, 'value', hidden(parameters, concat([observation, action], -1))),
  );
}
