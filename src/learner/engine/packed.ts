/** Parameters in the form in which an optimiser walks over them. */
import type { Tensor } from './graph.ts';
import { ParameterLayout, type Parameters, pack, unpack } from './parameters.ts';

/** Numbers, of all members together, from which on a parameter is held by itself: 1 MB, where copies leave a core's own cache. */
const LARGE = 262_144;

/**
 * All parameters of a network: one flat vector, as a checkpoint has them, or, inside a loop, each large tensor by itself and
 * the small ones in one vector. The large ones then reach their layers, and their gradients the optimiser, without a copy.
 */
export class Packed {
  readonly layout: ParameterLayout;
  /** The flat vector alone; or large ones in their shapes, in the order of the layout, and after them the vector of small ones. */
  readonly tensors: readonly Tensor[];
  /** What lies in each of `tensors`; `undefined`: everything, in one vector. */
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

  /** Wraps `flat`, [size] or [members, size]. Without a layout: numbers that are no network's. */
  static flat(flat: Tensor, layout?: ParameterLayout): Packed {
    return new Packed(layout ?? new ParameterLayout([{ name: 'numbers', shape: flat.shape }]), [flat], undefined);
  }

  /** The same values with the large tensors by themselves, where there are any. */
  split(): Packed {
    if (this.#runs !== undefined) return this;
    const members = this.tensors[0]!.size / this.layout.size;
    if (!this.layout.entries.some(({ size }) => members * size >= LARGE)) return this;
    const runs = runsOf(this.layout, members);
    return new Packed(this.layout, inRuns(this.unpack(), runs), runs);
  }

  /** The values as one flat vector. */
  joined(): Tensor {
    return this.#runs === undefined ? this.tensors[0]! : whole(this.unpack(), this.layout);
  }

  unpack(): Parameters {
    if (this.#runs === undefined) return unpack(this.tensors[0]!, this.layout);
    return Object.assign({}, ...this.#runs.map((run, i) => fromRun(this.tensors[i]!, run)));
  }

  /** `parameters`, gradients for instance, in the form of these. */
  like(parameters: Parameters): Packed {
    const runs = this.#runs;
    return this.with(runs === undefined ? [whole(parameters, this.layout)] : inRuns(parameters, runs));
  }

  /** Other values in the same form: `tensors` one for each of `this.tensors`. */
  with(tensors: readonly Tensor[]): Packed {
    return new Packed(this.layout, tensors, this.#runs);
  }
}

/** The entries of `layout`: each large one alone, then all small ones together. */
function runsOf(layout: ParameterLayout, members: number): ParameterLayout[] {
  const isLarge = ({ size }: { readonly size: number }): boolean => members * size >= LARGE;
  const small = layout.entries.filter((entry) => !isLarge(entry));
  const runs = layout.entries.filter(isLarge).map((entry) => [entry]);
  return [...runs, ...(small.length > 0 ? [small] : [])].map((entries) => new ParameterLayout(entries));
}

/** One tensor a run: that of its only entry, in its shape, or a vector. */
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
