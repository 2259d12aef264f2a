/** Parameters in the form in which an optimiser walks over them. */
import type { Tensor } from './graph.ts';
import { ParameterLayout, type ParameterShape, type Parameters, pack, unpack } from './parameters.ts';

/** Numbers, of all members together, from which on a parameter is held by itself: copying them costs more than a dozen nodes. */
const LARGE = 65_536;

/** Which parameters are held by themselves, and the rest, which share one vector. */
interface Split {
  readonly large: readonly ParameterShape[];
  readonly small: ParameterLayout | undefined;
}

/**
 * All parameters of a network: one flat vector, as a checkpoint has them, or, inside a loop, each large tensor by itself and
 * the small ones in one vector. The large ones then reach their layers, and their gradients the optimiser, without a copy.
 */
export class Packed {
  readonly layout: ParameterLayout;
  /** The flat vector alone; or the large ones in their shapes and the vector of the small ones after them. */
  readonly tensors: readonly Tensor[];
  readonly #split: Split | undefined;

  private constructor(layout: ParameterLayout, tensors: readonly Tensor[], split: Split | undefined) {
    this.layout = layout;
    this.tensors = tensors;
    this.#split = split;
  }

  /** Wraps `flat`, [size] or [members, size]. Without a layout: numbers that are no network's. */
  static flat(flat: Tensor, layout?: ParameterLayout): Packed {
    return new Packed(layout ?? new ParameterLayout([{ name: 'numbers', shape: flat.shape }]), [flat], undefined);
  }

  /** The same values with the large tensors by themselves, where there are any. */
  split(): Packed {
    const [flat] = this.tensors as [Tensor];
    if (this.#split !== undefined) return this;
    const isLarge = ({ size }: { size: number }) => (flat.size / this.layout.size) * size >= LARGE;
    const large = this.layout.entries.filter(isLarge);
    if (large.length === 0) return this;
    const rest = this.layout.entries.filter((entry) => !isLarge(entry));
    const split = { large, small: rest.length === 0 ? undefined : new ParameterLayout(rest) };
    return new Packed(this.layout, inForm(this.unpack(), this.layout, split), split);
  }

  /** The values as one flat vector. */
  joined(): Tensor {
    return this.#split === undefined ? this.tensors[0]! : inForm(this.unpack(), this.layout, undefined)[0]!;
  }

  unpack(): Parameters {
    if (this.#split === undefined) return unpack(this.tensors[0]!, this.layout);
    const { large, small } = this.#split;
    const named = Object.fromEntries(large.map(({ name }, i) => [name, this.tensors[i]!]));
    return small === undefined ? named : { ...named, ...unpack(this.tensors.at(-1)!, small) };
  }

  /** `parameters`, gradients for instance, in the form of these. */
  like(parameters: Parameters): Packed {
    return this.with(inForm(parameters, this.layout, this.#split));
  }

  /** Other values in the same form: `tensors` one for each of `this.tensors`. */
  with(tensors: readonly Tensor[]): Packed {
    return new Packed(this.layout, tensors, this.#split);
  }
}

function inForm(parameters: Parameters, layout: ParameterLayout, split: Split | undefined): Tensor[] {
  const named = (shapes: readonly ParameterShape[]) => shapes.map(({ name }) => parameters[name]!);
  if (split === undefined) return [pack(named(layout.entries), layout)];
  const { large, small } = split;
  return [...named(large), ...(small === undefined ? [] : [pack(named(small.entries), small)])];
}
