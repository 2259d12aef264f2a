/**
 * All parameters of a network as one flat vector: the optimiser then needs a dozen nodes instead of a dozen per
 * tensor, and a checkpoint or a weights message is one array.
 */

import type { TensorShape } from '../../model/index.ts';
import { concat, reshape } from '../ops/shape.ts';
import { sizeOf, type Tensor } from './graph.ts';

/** Offsets of named tensors in one flat vector: parameters of one member of an ensemble, or parts of a state. */
export class ParameterLayout {
  readonly entries: readonly (TensorShape & { readonly offset: number; readonly size: number })[];
  /** Total size, of one member. */
  readonly size: number;

  constructor(shapes: readonly TensorShape[]) {
    let offset = 0;
    this.entries = shapes.map(({ name, shape }) => {
      const size = sizeOf(shape);
      const entry = { name, shape, offset, size };
      offset += size;
      return entry;
    });
    this.size = offset;
  }
}

/** Parameters of a network by name: [..shape], or [members, ..shape] of an ensemble. */
export type Parameters = Readonly<Record<string, Tensor>>;

/** Returns the parameter `name`. Throws `RangeError` if there is none. */
export function parameterOf(parameters: Parameters, name: string): Tensor {
  const tensor = parameters[name];
  if (tensor === undefined) throw new RangeError(`the network has no parameter named "${name}"`);
  return tensor;
}

/** Splits `flat`: [size] into the shapes of `layout`, [members, size] into the same with a leading axis. */
export function unpack(flat: Tensor, layout: ParameterLayout): Parameters {
  const g = flat.graph;
  const lead = flat.shape.slice(0, -1);
  if (flat.shape.at(-1) !== layout.size)
    throw g.mistake(`expected ${layout.size} parameters, got ${flat.shape.at(-1)}`);
  const sizes = layout.entries.map((entry) => entry.size);
  const parts = g.emitMany(
    'Split',
    [flat, g.integers(sizes)],
    sizes.map((size) => [...lead, size]),
    [{ name: 'axis', kind: 'int', value: lead.length }],
  );
  return Object.fromEntries(
    layout.entries.map((entry, i) => [entry.name, reshape(parts[i]!, [...lead, ...entry.shape])]),
  );
}

/** Inverse of `unpack`, for gradients: `tensors` in the order of `layout`. */
export function pack(tensors: readonly Tensor[], layout: ParameterLayout): Tensor {
  const first = tensors[0]!;
  const lead = first.shape.slice(0, first.shape.length - layout.entries[0]!.shape.length);
  return concat(
    tensors.map((tensor, i) => reshape(tensor, [...lead, layout.entries[i]!.size])),
    lead.length,
  );
}
