/** Gradients of whole networks. */
import { gradients, type ParameterLayout, type Parameters, pack, type Tensor } from '../engine/index.ts';

/** The gradient for all of a network's parameters, as one flat vector; zero for those named in `frozen`. */
export function gradientOf(
  loss: Tensor,
  parameters: Parameters,
  layout: ParameterLayout,
  frozen: readonly string[] = [],
): Tensor {
  const names = layout.entries.map((entry) => entry.name);
  const trained = names.filter((name) => !frozen.includes(name));
  const found = gradients(
    loss,
    trained.map((name) => parameters[name]!),
  );
  const zero = (tensor: Tensor) => tensor.graph.constant(new Float32Array(tensor.size), tensor.shape);
  return pack(
    names.map((name) => found[trained.indexOf(name)] ?? zero(parameters[name]!)),
    layout,
  );
}
