/** Multilayer perceptrons, the basis of actors and critics: layouts, forward passes and initialisation. */

import type { Rng, TensorShape } from '../../model/index.ts';
import type { Tensor } from '../engine/graph.ts';
import { scaledLayerNorm } from '../engine/layer-norm.ts';
import { linear } from '../engine/linear.ts';
import { ParameterLayout, type Parameters, parameterOf } from '../engine/parameters.ts';
import { gelu, relu, silu, tanh } from '../ops/elements.ts';
import { ACTIVATIONS, type Activation } from '../options/activation.ts';

/**
 * Scale of the initial weights of heads that should start near zero: initial actions are small for every observation, and critics
 * start with values near zero for every action, tried or not.
 */
const SMALL_HEAD_SCALE = 0.01;
const SMALL_HEADS = ['mean.', 'logStd.', 'value.'];

/** Shapes of hidden layers of `widths` on `inputs` numbers, each with a norm if requested, and the width of the last. */
export function hiddenShapes(
  inputs: number,
  widths: readonly number[],
  isNormalised: boolean,
  activation: Activation = 'relu',
): { shapes: TensorShape[]; width: number } {
  let width = inputs;
  const shapes = widths.flatMap((next, i) => {
    const name = hiddenName(activation, i);
    const own = linearShapes(name, width, next);
    width = next;
    if (!isNormalised) return own;
    return [...own, { name: `${name}.scale`, shape: [1, next] }, { name: `${name}.shift`, shape: [1, next] }];
  });
  return { shapes, width };
}

/** Shapes of a weight [inputs, outputs] and a bias [1, outputs]. */
export function linearShapes(name: string, inputs: number, outputs: number): TensorShape[] {
  return [
    { name: `${name}.weight`, shape: [inputs, outputs] },
    { name: `${name}.bias`, shape: [1, outputs] },
  ];
}

/** Layout of a perceptron with hidden layers of `widths` and one linear layer per head. */
export function mlpLayout(
  inputs: number,
  widths: readonly number[],
  heads: Readonly<Record<string, number>>,
  isNormalised = false,
  activation: Activation = 'relu',
): ParameterLayout {
  const { shapes, width } = hiddenShapes(inputs, widths, isNormalised, activation);
  return new ParameterLayout([
    ...shapes,
    ...Object.entries(heads).flatMap(([head, outputs]) => linearShapes(head, width, outputs)),
  ]);
}

/**
 * Applies the hidden layers of `parameters` to `input` [B, inputs]: linear layer, norm if it has one, and the activation that the
 * network was built with.
 */
export function hidden(parameters: Parameters, input: Tensor): Tensor {
  const { activation, activate } = activationOf(parameters);
  let x = input;
  for (let i = 0; `${hiddenName(activation, i)}.weight` in parameters; i++) {
    const name = hiddenName(activation, i);
    x = x.graph.layer(name, () => {
      const scale = parameters[`${name}.scale`];
      const y = dense(parameters, name, x);
      return activate(scale === undefined ? y : scaledLayerNorm(y, scale, parameterOf(parameters, `${name}.shift`)));
    });
  }
  return x;
}

/** Applies the linear layer `name` of `parameters` to `x`. */
export function dense(parameters: Parameters, name: string, x: Tensor): Tensor {
  return x.graph.layer(name, () =>
    linear(x, parameterOf(parameters, `${name}.weight`), parameterOf(parameters, `${name}.bias`)),
  );
}

/**
 * Initial parameters of one member: weights after Glorot and Bengio (2010, uniform), those of policy and value heads a hundredth of
 * that, biases 0, norm scales 1.
 */
export function initialise(layout: ParameterLayout, rng: Rng, out: Float32Array): void {
  for (const { name, shape, offset, size } of layout.entries) {
    if (name.endsWith('.scale')) out.fill(1, offset, offset + size);
    else if (!name.endsWith('.weight')) out.fill(0, offset, offset + size);
    else {
      const isSmall = SMALL_HEADS.some((head) => name.startsWith(head));
      const bound = Math.sqrt(6 / (shape[0]! + shape[1]!)) * (isSmall ? SMALL_HEAD_SCALE : 1);
      for (let i = 0; i < size; i++) out[offset + i] = rng.uniformIn(-bound, bound);
    }
  }
}

/**
 * Name prefix of the hidden layers of each activation: `hidden0`, `gelu0` and so on. The name is stored with the parameters, so a
 * network cannot be evaluated with another activation than it was built for.
 */
const LAYER: Readonly<Record<Activation, string>> = { relu: 'hidden', gelu: 'gelu', silu: 'silu', tanh: 'tanh' };
const FUNCTION: Readonly<Record<Activation, (x: Tensor) => Tensor>> = { relu, gelu, silu, tanh };

/** Name of hidden layer `i`, counted from 0. */
export function hiddenName(activation: Activation, i: number): string {
  return `${LAYER[activation]}${i}`;
}

/** Activation of the network with the parameters `named`, and its function. ReLU if there are no hidden layers. */
export function activationOf(named: Readonly<Record<string, unknown>>): {
  readonly activation: Activation;
  readonly activate: (x: Tensor) => Tensor;
} {
  const activation = ACTIVATIONS.find((name) => `${hiddenName(name, 0)}.weight` in named) ?? 'relu';
  return { activation, activate: FUNCTION[activation] };
}
