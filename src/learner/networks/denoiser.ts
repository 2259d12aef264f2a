/**
 * Policies that generate an action from noise, in several passes of one network: they can represent several good actions for one
 * observation, unlike a Gaussian. The network maps an observation, an intermediate action and a time to a direction.
 */

import type { Tensor } from '../engine/graph.ts';
import type { ParameterLayout, Parameters } from '../engine/parameters.ts';
import { cos, mul, sin } from '../ops/elements.ts';
import { concat, expand, reshape } from '../ops/shape.ts';
import type { Activation } from '../options/activation.ts';
import { dense, hidden, mlpLayout } from './mlp.ts';

/** Training loss and sampler of such a network. */
export interface ActionModel {
  /** Numbers ~ N(0, 1) consumed by one action. */
  readonly noiseSize: number;
  /**
   * Training loss, [B, 1]: an error for each of the actions [B, A] taken at `observation` [B, inputs]. `noise` [B, A] is
   * ~ N(0, 1), `time` [B, 1] uniform in [0, 1).
   */
  readonly loss: (parameters: Parameters, sample: ActionSample, noise: Tensor, time: Tensor) => Tensor;
  /** Actions [B, A] in [−1, 1] at `observation` [B, inputs], from `noise` [B, noiseSize]. */
  readonly act: (parameters: Parameters, observation: Tensor, noise: Tensor) => Tensor;
}

/** Actions, with the observations at which they were taken. */
export interface ActionSample {
  readonly observation: Tensor;
  readonly action: Tensor;
}

/** Time is encoded as sin kπt and cos kπt, k = 1 … 8. */
const FREQUENCIES = 8;

/** Layout of the network on `inputs` observation numbers. */
export function denoiserLayout(
  inputs: number,
  widths: readonly number[],
  actionSize: number,
  activation?: Activation,
): ParameterLayout {
  return mlpLayout(inputs + actionSize + 2 * FREQUENCIES, widths, { direction: actionSize }, false, activation);
}

/** Direction [B, A] at `x` [B, A], an intermediate action, at `time` in [0, 1]: [B, 1], or one for all rows. */
export function direction(parameters: Parameters, observation: Tensor, x: Tensor, time: Tensor | number): Tensor {
  return x.graph.layer('denoiser', () => {
    const features = timeFeatures(typeof time === 'number' ? x.graph.constant([time], [1, 1]) : time);
    const spread = expand(features, [x.shape[0]!, 2 * FREQUENCIES]);
    return dense(parameters, 'direction', hidden(parameters, concat([observation, x, spread], -1)));
  });
}

/** Repeats `observation` [B, inputs] for `count` candidates each: [B·count, inputs]. */
export function repeated(observation: Tensor, count: number): Tensor {
  const [rows, inputs] = observation.shape as [number, number];
  return reshape(expand(reshape(observation, [rows, 1, inputs]), [rows, count, inputs]), [rows * count, inputs]);
}

function timeFeatures(time: Tensor): Tensor {
  const angles = mul(
    time,
    time.graph.constant(
      Float64Array.from({ length: FREQUENCIES }, (_, k) => (k + 1) * Math.PI),
      [1, FREQUENCIES],
    ),
  );
  return concat([sin(angles), cos(angles)], -1);
}
