/** Parameters in the layout on which an optimiser works. */
import type { Tensor } from './graph.ts';
import { ParameterLayout, type Parameters, pack, unpack } from './parameters.ts';

/** Size, over all members, from which a parameter is held separately: 1 MB, beyond which copies exceed a core's own cache. */
const LARGE = 262_144;

/**
 * All parameters of a network: one flat vector, as in a checkpoint, or, inside a loop, each large tensor separately and the small
 * ones in one vector. Large tensors then reach their layers, and their gradients the optimiser, without a copy.
 */
export class Packed {
  readonly layout: ParameterLayout;
  /** The flat vector alone; or the large tensors in their shapes, in layout order, followed by the vector of the small ones. */
  readonly tensors: readonly Tensor[];
  /** Layout of each of `tensors`; `undefined`: everything is in one vector. */
  readonly #runs: readonly ParameterLayout[] | undefined;

  private constructor(
    layout: ParameterLayout,
    tensors: readonly Tensor[],
    runs: readonly ParameterLayout[] | undefined,
  ) {
    this.layout = layout;
    this.tensors = tensors;
    this.#runs = runs;
  }

  /** Wraps `flat`, [size] or [members, size]. Without a layout: numbers that belong to no network. */
  static flat(flat: Tensor, layout?: ParameterLayout): Packed {
    return new Packed(layout ?? new ParameterLayout([{ name: 'numbers', shape: flat.shape }]), [flat], undefined);
  }

  /** Returns the same values with large tensors separate, if there are any. */
  split(): Packed {
    if (this.#runs !== undefined) return this;
    const members = this.tensors[0]!.size / this.layout.size;
    if (!this.layout.entries.some(({ size }) => members * size >= LARGE)) return this;
    const runs = runsOf(this.layout, members);
    return new Packed(this.layout, inRuns(this.unpack(), runs), runs);
  }

  /** Returns the values as one flat vector. */
  joined(): Tensor {
    return this.#runs === undefined ? this.tensors[0]! : whole(this.unpack(), this.layout);
  }

  unpack(): Parameters {
    if (this.#runs === undefined) return unpack(this.tensors[0]!, this.layout);
    return Object.assign({}, ...this.#runs.map((run, i) => fromRun(this.tensors[i]!, run)));
  }

  /** Converts `parameters`, such as gradients, to the form of this instance. */
  like(parameters: Parameters): Packed {
    const runs = this.#runs;
    return this.with(runs === undefined ? [whole(parameters, this.layout)] : inRuns(parameters, runs));
  }

  /** Returns other values in the same form: `tensors`, one for each of `this.tensors`. */
  with(tensors: readonly Tensor[]): Packed {
    return new Packed(this.layout, tensors, this.#runs);
  }
}

/** Splits the entries of `layout`: each large one alone, then all small ones together. */
function runsOf(layout: ParameterLayout, members: number): ParameterLayout[] {
  const isLarge = ({ size }: { readonly size: number }): boolean => members * size >= LARGE;
  const small = layout.entries.filter((entry) => !isLarge(entry));
  const runs = layout.entries.filter(isLarge).map((entry) => [entry]);
  return [...runs, ...(small.length > 0 ? [small] : [])].map((entries) => new ParameterLayout(entries));
}

/** One tensor per run: its only entry in its shape, or a vector. */
function inRuns(parameters: Parameters, runs: readonly ParameterLayout[]): Tensor[] {
  return runs.map((run) => (run.entries.length === 1 ? parameters[run.entries[0]!.name]! : whole(parameters, run)));
}

function fromRun(tensor: Tensor, run: ParameterLayout): Parameters {
  return run.entries.length === 1 ? { [run.entries[0]!.name]: tensor } : unpack(tensor, run);
}

function whole(parameters: Parameters, layout: ParameterLayout): Tensor {
  return pack(
    layout.entries.map(({ name }) => parameters[name]!),
    layout,
  );
}
