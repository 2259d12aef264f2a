/** Gradients of whole networks. */
import { gradients, type ParameterLayout, type Parameters, pack, type Tensor } from '../engine/index.ts';

/** A network whose gradient is asked for. */
export interface Wanted {
  readonly parameters: Parameters;
  readonly layout: ParameterLayout;
  /** Names of parameters whose gradient is to be zero. */
  readonly frozen: readonly string[] | undefined;
}

/** The gradients of `loss` for all parameters of each network, as one flat vector each. */
export function gradientsOf(loss: Tensor, networks: readonly Wanted[]): Tensor[] {
  const trained = networks.map(({ layout, frozen = [] }) =>
    layout.entries.map((entry) => entry.name).filter((name) => !frozen.includes(name)),
  );
  const found = gradients(
    loss,
    networks.flatMap(({ parameters }, i) => trained[i]!.map((name) => parameters[name]!)),
  );
  let next = 0;
  return networks.map(({ parameters, layout }, i) => {
    const own = new Map(trained[i]!.map((name) => [name, found[next++]!]));
    const parts = layout.entries.map(({ name }) => own.get(name) ?? zero(parameters[name]!));
    return pack(parts, layout);
  });
}

function zero(tensor: Tensor): Tensor {
  return tensor.graph.constant(new Float32Array(tensor.size), tensor.shape);
}
