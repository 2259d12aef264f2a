/**
 * Policies that make an action out of noise, in several passes of one network: they can hold several good actions for one
 * observation, where a Gaussian holds one. The network gives a direction, for an observation, an unfinished action and a time.
 */

import type { Tensor } from '../engine/graph.ts';
import type { ParameterLayout, Parameters } from '../engine/parameters.ts';
import { cos, mul, sin } from '../ops/elements.ts';
import { concat, expand, reshape } from '../ops/shape.ts';
import type { Activation } from '../options/activation.ts';
import { dense, hidden, mlpLayout } from './mlp.ts';

/** A way to train such a network and to act with it. */
export interface ActionModel {
  /** Numbers ~ N(0, 1) that one action takes. */
  readonly noiseSize: number;
  /**
   * What training makes small, [B, 1]: an error for each of the actions [B, A] taken at `observation` [B, inputs]. `noise` [B, A] is
   * ~ N(0, 1), `time` [B, 1] uniform in [0, 1).
   */
  readonly loss: (parameters: Parameters, sample: ActionSample, noise: Tensor, time: Tensor) => Tensor;
  /** Actions [B, A] in [−1, 1] at `observation` [B, inputs], from `noise` [B, noiseSize]. */
  readonly act: (parameters: Parameters, observation: Tensor, noise: Tensor) => Tensor;
}

/** Actions that were taken, and where. */
export interface ActionSample {
  readonly observation: Tensor;
  readonly action: Tensor;
}

/** Time is seen as sin kπt and cos kπt, k = 1 … 8. */
const FREQUENCIES = 8;

/** The network on `inputs` observation numbers. */
export function denoiserLayout(
  inputs: number,
  widths: readonly number[],
  actionSize: number,
  activation?: Activation,
): ParameterLayout {
  return mlpLayout(inputs + actionSize + 2 * FREQUENCIES, widths, { direction: actionSize }, false, activation);
}

/** The direction [B, A] at `x` [B, A], an unfinished action, at `time` in [0, 1]: [B, 1], or one for all rows. */
export function direction(parameters: Parameters, observation: Tensor, x: Tensor, time: Tensor | number): Tensor {
  return x.graph.layer('denoiser', () => {
    const features = timeFeatures(typeof time === 'number' ? x.graph.constant([time], [1, 1]) : time);
    const spread = expand(features, [x.shape[0]!, 2 * FREQUENCIES]);
    return dense(parameters, 'direction', hidden(parameters, concat([observation, x, spread], -1)));
  });
}

/** `observation` [B, inputs] for `count` candidates each: [B·count, inputs]. */
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
