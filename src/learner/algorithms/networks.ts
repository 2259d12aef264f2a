/** The networks: multilayer perceptrons for the actor and for an ensemble of critics. */
import type { Rng } from '../../core/index.ts';
import {
  add,
  concat,
  layerNorm,
  linear,
  mul,
  ParameterLayout,
  type Parameters,
  relu,
  type Tensor,
  tanh,
} from '../engine/index.ts';

/** Sizes of the two networks. */
export interface NetworkSpec {
  readonly observationSize: number;
  readonly actionSize: number;
  readonly actorHidden: readonly number[];
  readonly criticHidden: readonly number[];
  readonly layerNorm: boolean;
}

/** The spread σ of the policy before tanh stays in [e⁻⁵, e²]. */
export const LOG_STD_MIN = -5;
export const LOG_STD_MAX = 2;

/** Factor on the initial weights of the actor's heads: the first actions are near zero for every observation. */
const HEAD_SCALE = 0.01;

export function actorLayout(spec: NetworkSpec): ParameterLayout {
  const { shapes, width } = hiddenShapes(spec.observationSize, spec.actorHidden, false);
  return new ParameterLayout([
    ...shapes,
    ...linearShapes('mean', width, spec.actionSize),
    ...linearShapes('logStd', width, spec.actionSize),
  ]);
}

export function criticLayout(spec: NetworkSpec): ParameterLayout {
  const { shapes, width } = hiddenShapes(spec.observationSize + spec.actionSize, spec.criticHidden, spec.layerNorm);
  return new ParameterLayout([...shapes, ...linearShapes('value', width, 1)]);
}

/**
 * The policy's Gaussian before tanh. `observation` [B, O] gives `mean` and `logStd` [B, A]. log σ is bounded by a
 * scaled tanh, which has a gradient everywhere, unlike a clip.
 */
export function actor(
  parameters: Parameters,
  spec: NetworkSpec,
  observation: Tensor,
): { mean: Tensor; logStd: Tensor } {
  const g = observation.graph;
  return g.layer('actor', () => {
    const features = hidden(parameters, spec.actorHidden.length, observation, false);
    const mean = g.layer('mean', () => linear(features, at(parameters, 'mean.weight'), at(parameters, 'mean.bias')));
    const raw = g.layer('logStd', () =>
      linear(features, at(parameters, 'logStd.weight'), at(parameters, 'logStd.bias')),
    );
    const half = (LOG_STD_MAX - LOG_STD_MIN) / 2;
    return { mean, logStd: add(mul(tanh(raw), half), LOG_STD_MIN + half) };
  });
}

/** Q of every member: observation [B, O] and action [B, A] give [members, B, 1]. */
export function critics(parameters: Parameters, spec: NetworkSpec, observation: Tensor, action: Tensor): Tensor {
  const g = action.graph;
  return g.layer('critics', () => {
    const input = concat([observation, action], -1);
    const features = hidden(parameters, spec.criticHidden.length, input, spec.layerNorm);
    return g.layer('value', () => linear(features, at(parameters, 'value.weight'), at(parameters, 'value.bias')));
  });
}

/** Fresh parameters of one member: weights after Glorot and Bengio (2010, uniform), biases 0, norm scales 1. */
export function initialise(layout: ParameterLayout, rng: Rng, out: Float32Array): void {
  for (const { name, shape, offset, size } of layout.entries) {
    if (name.endsWith('.scale')) out.fill(1, offset, offset + size);
    else if (!name.endsWith('.weight')) out.fill(0, offset, offset + size);
    else {
      const isHead = name.startsWith('mean.') || name.startsWith('logStd.');
      const bound = Math.sqrt(6 / (shape[0]! + shape[1]!)) * (isHead ? HEAD_SCALE : 1);
      for (let i = 0; i < size; i++) out[offset + i] = rng.uniformIn(-bound, bound);
    }
  }
}

function hidden(parameters: Parameters, count: number, input: Tensor, isNormalised: boolean): Tensor {
  let x = input;
  for (let i = 0; i < count; i++) {
    const name = `hidden${i}`;
    x = x.graph.layer(name, () => {
      const y = linear(x, at(parameters, `${name}.weight`), at(parameters, `${name}.bias`));
      if (!isNormalised) return relu(y);
      return relu(add(mul(layerNorm(y), at(parameters, `${name}.scale`)), at(parameters, `${name}.shift`)));
    });
  }
  return x;
}

function hiddenShapes(inputs: number, widths: readonly number[], isNormalised: boolean) {
  let width = inputs;
  const shapes = widths.flatMap((next, i) => {
    const name = `hidden${i}`;
    const own = linearShapes(name, width, next);
    width = next;
    if (!isNormalised) return own;
    return [...own, { name: `${name}.scale`, shape: [1, next] }, { name: `${name}.shift`, shape: [1, next] }];
  });
  return { shapes, width };
}

function linearShapes(name: string, inputs: number, outputs: number): { name: string; shape: number[] }[] {
  return [
    { name: `${name}.weight`, shape: [inputs, outputs] },
    { name: `${name}.bias`, shape: [1, outputs] },
  ];
}

function at(parameters: Parameters, name: string): Tensor {
  const tensor = parameters[name];
  if (tensor === undefined) throw new RangeError(`the network has no parameter named "${name}"`);
  return tensor;
}
