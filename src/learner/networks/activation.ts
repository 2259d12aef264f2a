/** What a hidden layer does to its numbers after its linear part. */

import type { Tensor } from '../engine/graph.ts';
import { gelu, relu, silu, tanh } from '../ops/functions.ts';
import { ACTIVATIONS, type Activation } from '../options/activation.ts';

/**
 * How the hidden layers of each activation are named: `hidden0`, `gelu0` and so on. The name travels with the parameters, so a
 * network cannot be evaluated with another activation than it was made for.
 */
const LAYER: Readonly<Record<Activation, string>> = { relu: 'hidden', gelu: 'gelu', silu: 'silu', tanh: 'tanh' };
const FUNCTION: Readonly<Record<Activation, (x: Tensor) => Tensor>> = { relu, gelu, silu, tanh };

/** The name of hidden layer `i`, counted from 0. */
export function hiddenName(activation: Activation, i: number): string {
  return `${LAYER[activation]}${i}`;
}

/** The activation of the network whose parameters are `named`, and its function. ReLU where there are no hidden layers. */
export function activationOf(named: Readonly<Record<string, unknown>>): {
  readonly activation: Activation;
  readonly activate: (x: Tensor) => Tensor;
} {
  const activation = ACTIVATIONS.find((name) => `${hiddenName(name, 0)}.weight` in named) ?? 'relu';
  return { activation, activate: FUNCTION[activation] };
}
