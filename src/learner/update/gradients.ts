/** Gradients of whole networks. */
import { gradients } from '../engine/autodiff.ts';
import type { Tensor } from '../engine/graph.ts';
import type { Packed } from '../engine/packed.ts';
import type { Parameters } from '../engine/parameters.ts';

/** A network whose gradient is wanted. */
export interface Wanted {
  /** Parameters from which the loss was computed. */
  readonly parameters: Parameters;
  /** Form of the gradient. */
  readonly packed: Packed;
  /** Names of parameters whose gradient is set to zero. */
  readonly frozen: readonly string[] | undefined;
}

/** Returns the gradients of `loss` for all parameters of each network. */
export function gradientsOf(loss: Tensor, networks: readonly Wanted[]): Packed[] {
  const trained = networks.map(({ packed, frozen = [] }) =>
    packed.layout.entries.map((entry) => entry.name).filter((name) => !frozen.includes(name)),
  );
  const found = gradients(
    loss,
    networks.flatMap(({ parameters }, i) => trained[i]!.map((name) => parameters[name]!)),
  );
  let next = 0;
  return networks.map(({ parameters, packed }, i) => {
    const own = new Map(trained[i]!.map((name) => [name, found[next++]!]));
    const all = packed.layout.entries.map(({ name }) => [name, own.get(name) ?? zero(parameters[name]!)]);
    return packed.like(Object.fromEntries(all));
  });
}

function zero(tensor: Tensor): Tensor {
  return tensor.graph.constant(new Float32Array(tensor.size), tensor.shape);
}

const SUFFIX = 'GradientNorm';

/** Name of the gradient norm metric of `network`; `cost_critic` gives `costCriticGradientNorm`. */
export function gradientNormName(network: string): string {
  return `${network.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}${SUFFIX}`;
}

/** True if the metric `name` is a gradient norm. */
export function isGradientNorm(name: string): boolean {
  return name.endsWith(SUFFIX);
}
