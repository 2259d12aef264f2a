/** Reverse-mode differentiation: adds the nodes of the gradient to the graph of the loss. */

import { add } from '../ops/elements.ts';
import { sameShape, show, type Tensor } from './graph.ts';

/**
 * Returns the gradients of `loss` (one element) for each of `parameters`, in their shapes. Only the operations between a
 * parameter and the loss are differentiated. Throws `RangeError` if a parameter does not reach the loss or an operation in
 * between has no gradient.
 */
export function gradients(loss: Tensor, parameters: readonly Tensor[]): Tensor[] {
  if (loss.size !== 1) throw loss.graph.mistake(`a loss has one element, this one has the shape ${show(loss.shape)}`);
  const wanted = new Set(parameters);
  const order: Tensor[] = [];
  const depends = new Map<Tensor, boolean>();
  visit(loss, wanted, depends, order);

  const collected = new Map<Tensor, Tensor>();
  collected.set(loss, loss.graph.constant([1], loss.shape));
  for (const tensor of order.toReversed()) {
    const gradient = collected.get(tensor);
    if (gradient === undefined || tensor.record === undefined || wanted.has(tensor)) continue;
    tensor.record.inputs.forEach((input, i) => {
      if (depends.get(input) !== true) return;
      const backward = tensor.record!.backward[i];
      if (backward === undefined) throw loss.graph.mistake(`${tensor.record!.op} has no gradient for its input ${i}`);
      const part = backward(gradient);
      if (!sameShape(part.shape, input.shape)) {
        throw loss.graph.mistake(
          `${tensor.record!.op} gives its input ${i}, ${show(input.shape)}, a gradient of ${show(part.shape)}`,
        );
      }
      const sum = collected.get(input);
      collected.set(input, sum === undefined ? part : add(sum, part));
    });
  }
  return parameters.map((parameter) => {
    const gradient = collected.get(parameter);
    if (gradient === undefined) throw loss.graph.mistake(`the loss does not depend on ${parameter.name}`);
    return gradient;
  });
}

/** Sorts tensors topologically, inputs first, and records for each whether it depends on a wanted tensor. */
function visit(tensor: Tensor, wanted: ReadonlySet<Tensor>, depends: Map<Tensor, boolean>, order: Tensor[]): boolean {
  const known = depends.get(tensor);
  if (known !== undefined) return known;
  let below = wanted.has(tensor);
  if (!below) {
    for (const input of tensor.record?.inputs ?? []) {
      if (visit(input, wanted, depends, order)) below = true;
    }
  }
  depends.set(tensor, below);
  order.push(tensor);
  return below;
}
