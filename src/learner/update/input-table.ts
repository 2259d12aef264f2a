/** Inputs of a training graph besides its state: declared while the graph is written, filled in every call. */
import type { Graph, Shape, Tensor } from '../engine/graph.ts';
import type { Replay } from '../replay/replay.ts';

/** Computes a number from the rows of `replay` visible at `visibleCount` online transitions. */
export type Measure = (replay: Replay, visibleCount: number) => number;

/** Source of an input's numbers. */
export type InputKind =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'normal' }
  | { readonly kind: 'uniform' }
  | { readonly kind: 'subset'; readonly of: number }
  | { readonly kind: 'planned'; readonly plan: (updates: number) => number }
  | { readonly kind: 'measured'; readonly measure: Measure }
  | {
      readonly kind: 'adam';
      /** `live`: 1 once the parameters are updated, 0 before. */
      readonly number: 'step' | 'epsilon' | 'kept' | 'live';
      readonly rate: number;
      /** Updates before the first one that changes the parameters; absent: 0. */
      readonly after?: number;
      /** For `kept`. */
      readonly weightDecay?: number;
    };

export interface DeclaredInput {
  readonly name: string;
  /** A leading −1: one row for each update of a call. */
  readonly shape: Shape;
  readonly type: 'real' | 'int64';
  readonly source: InputKind;
}

/** Declares inputs of one graph, each once. */
export class InputTable {
  readonly declared: DeclaredInput[] = [];
  readonly #graph: Graph;
  readonly #tensors: Map<string, Tensor> = new Map();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Returns the input `name`, created at its first use. Throws `RangeError` if two uses disagree about its shape. */
  declare(name: string, shape: Shape, type: 'real' | 'int64', source: InputKind): Tensor {
    const known = this.#tensors.get(name);
    if (known !== undefined) {
      if (String(known.shape) === String(shape)) return known;
      throw new RangeError(`the input "${name}" is used as [${known.shape}] and as [${shape}]`);
    }
    const tensor = this.#graph.input(name, shape, type === 'real' ? this.#graph.real : 'int64');
    this.#tensors.set(name, tensor);
    this.declared.push({ name, shape, type, source });
    return tensor;
  }
}
