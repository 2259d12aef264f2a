/**
 * Builds ONNX graphs with fixed shapes. Every value knows its shape on creation, so a mistake is reported where it is
 * made, with the name of the layer, and not later by the runtime.
 */
import {
  type AttributeDef,
  type ElementType,
  encodeModel,
  type GraphDef,
  type InitializerDef,
  type NodeDef,
  type ValueDef,
} from './onnx-proto.ts';

export type Shape = readonly number[];

/** Number of elements of a tensor of `shape`. */
export function sizeOf(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Floating-point type of a graph: float64 exists for gradient checks. */
export type RealType = 'float32' | 'float64';

/** Origin of a tensor, for reverse-mode differentiation. */
export interface TapeRecord {
  readonly op: string;
  readonly inputs: readonly Tensor[];
  /** One per input: maps the gradient of the output to that of the input. `undefined`: not differentiable. */
  readonly backward: readonly (((gradient: Tensor) => Tensor) | undefined)[];
}

/** A value in a graph. */
export class Tensor {
  readonly graph: Graph;
  readonly shape: Shape;
  readonly type: ElementType;
  readonly record: TapeRecord | undefined;
  /** Shared between a tensor and its `stopGradient` twin, so that naming one names both. */
  readonly value: { name: string; isNamed: boolean };

  constructor(
    graph: Graph,
    value: { name: string; isNamed: boolean },
    shape: Shape,
    type: ElementType,
    record?: TapeRecord,
  ) {
    this.graph = graph;
    this.value = value;
    this.shape = shape;
    this.type = type;
    this.record = record;
  }

  get name(): string {
    return this.value.name;
  }

  /** Number of elements. */
  get size(): number {
    return sizeOf(this.shape);
  }
}

interface Node {
  readonly op: string;
  readonly layer: string;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly attributes: readonly AttributeDef[];
  readonly body: Graph | undefined;
}

export interface EmitOptions {
  readonly attributes?: readonly AttributeDef[];
  readonly backward?: TapeRecord['backward'];
  readonly type?: ElementType;
}

/** Result of a loop body: new values of the carried tensors, and values stacked over iterations. */
export interface LoopResult {
  readonly carried: readonly Tensor[];
  readonly stacked: readonly Tensor[];
}

/** State shared by a graph and the loop bodies inside it. */
interface Context {
  names: number;
  readonly layers: string[];
  readonly constants: Map<string, Tensor>;
}

/** A graph under construction, or the body of a loop inside one. */
export class Graph {
  readonly name: string;
  readonly real: RealType;
  readonly root: Graph;
  readonly depth: number;
  readonly #context: Context;
  readonly #nodes: Node[] = [];
  readonly #inputs: Tensor[] = [];
  readonly #outputs: Tensor[] = [];
  readonly #initializers: { tensor: Tensor; data: Uint8Array }[] = [];

  constructor(name: string, real: RealType = 'float32', parent?: Graph) {
    this.name = name;
    this.real = parent?.real ?? real;
    this.root = parent?.root ?? this;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#context = parent === undefined ? { names: 0, layers: [], constants: new Map() } : parent.#context;
  }

  /** Names everything that `build` creates, for error messages and for tools that show the graph. */
  layer<T>(name: string, build: () => T): T {
    this.#context.layers.push(name);
    try {
      return build();
    } finally {
      this.#context.layers.pop();
    }
  }

  /** Creates the error for a mistake in the layer under construction. */
  mistake(message: string): RangeError {
    const where = this.#context.layers.join('.');
    return new RangeError(`${this.root.name}${where === '' ? '' : `: ${where}`}: ${message}`);
  }

  /** Adds a graph input. The first size may be −1: any length, to be indexed by `rowAt`. */
  input(name: string, shape: Shape, type: ElementType = this.real): Tensor {
    if (this.#inputs.some((input) => input.name === name)) throw this.mistake(`two inputs are named "${name}"`);
    const tensor = new Tensor(this, { name, isNamed: true }, shape, type);
    this.#inputs.push(tensor);
    return tensor;
  }

  /** Makes `tensor` an output named `name`. */
  output(name: string, tensor: Tensor): void {
    if (this.#outputs.some((output) => output.name === name)) throw this.mistake(`two outputs are named "${name}"`);
    // Values from other graphs, and values that already have a public name, need a node of their own.
    const own = tensor.graph === this && !tensor.value.isNamed;
    const result = own ? tensor : this.emit('Identity', [tensor], tensor.shape, { type: tensor.type });
    result.value.name = name;
    result.value.isNamed = true;
    this.#outputs.push(result);
  }

  /** Adds a constant of the graph's floating-point type. Equal small constants are shared. */
  constant(values: number | ArrayLike<number>, shape: Shape = []): Tensor {
    const array = typeof values === 'number' ? [values] : Array.from(values);
    const real = this.real === 'float64' ? Float64Array.from(array) : Float32Array.from(array);
    return this.#constant(array, new Uint8Array(real.buffer), shape, this.real);
  }

  /** Adds a constant of 64-bit integers: axes, sizes, indices. */
  integers(values: readonly number[], shape: Shape = [values.length]): Tensor {
    const data = new Uint8Array(BigInt64Array.from(values, (v) => BigInt(v)).buffer);
    return this.#constant(values, data, shape, 'int64');
  }

  /** Adds one node with one output. Inputs may come from this graph or from an enclosing one. */
  emit(op: string, inputs: readonly Tensor[], shape: Shape, options: EmitOptions = {}): Tensor {
    const record = options.backward && { op, inputs, backward: options.backward };
    const output = this.#fresh(op, shape, options.type ?? this.real, record);
    this.#push(op, inputs, [output], options.attributes ?? []);
    return output;
  }

  /** Adds one node with several outputs, through which no gradients flow. */
  emitMany(
    op: string,
    inputs: readonly Tensor[],
    shapes: readonly Shape[],
    attributes: readonly AttributeDef[] = [],
  ): Tensor[] {
    const outputs = shapes.map((shape) => this.#fresh(op, shape, this.real));
    this.#push(op, inputs, outputs, attributes);
    return outputs;
  }

  /** Adds a second tensor record over an existing node's output, by which an operation attaches a custom gradient. */
  withGradient(tensor: Tensor, inputs: readonly Tensor[], backward: TapeRecord['backward']): Tensor {
    return new Tensor(tensor.graph, tensor.value, tensor.shape, tensor.type, { op: 'custom', inputs, backward });
  }

  /**
   * Repeats `build` `tripCount` times (ONNX `Loop`). `build` receives the body's graph, the iteration number
   * (int64 scalar) and the carried values; it may use any outer tensor. Operations on outer tensors alone are placed outside,
   * and so run once.
   */
  loop(
    tripCount: Tensor,
    carried: readonly Tensor[],
    build: (body: Graph, iteration: Tensor, carried: readonly Tensor[]) => LoopResult,
  ): LoopResult {
    const body = new Graph(`${this.name}_body`, this.real, this);
    const iteration = body.input(this.#freshName('iteration'), [], 'int64');
    const condition = body.input(this.#freshName('condition'), [], 'bool');
    const inside = carried.map((tensor) => body.input(this.#freshName('carried'), tensor.shape, tensor.type));
    const result = build(body, iteration, inside);
    body.output(this.#freshName('continue'), condition);
    result.carried.forEach((tensor, i) => {
      if (!sameShape(tensor.shape, carried[i]!.shape)) {
        throw this.mistake(`loop value ${i} enters as ${show(carried[i]!.shape)} and leaves as ${show(tensor.shape)}`);
      }
      body.output(this.#freshName('next'), tensor);
    });
    for (const tensor of result.stacked) body.output(this.#freshName('stacked'), tensor);

    const outside = carried.map((tensor) => this.#fresh('Loop', tensor.shape, tensor.type));
    const stacked = result.stacked.map((tensor) => this.#fresh('Loop', [-1, ...tensor.shape], tensor.type));
    const always = this.#constant([1], Uint8Array.of(1), [], 'bool');
    this.#push('Loop', [tripCount, always, ...carried], [...outside, ...stacked], [], body);
    return { carried: outside, stacked };
  }

  /** Returns the bytes of the `.onnx` model. Nodes that no output needs are omitted. */
  serialize(metadata?: Readonly<Record<string, string>>): Uint8Array {
    if (this.root !== this) throw new TypeError('only a whole graph can be serialized, not a loop body');
    return encodeModel(this.#define(new Set()), metadata);
  }

  #define(neededOutside: Set<string>): GraphDef {
    const needed = new Set(this.#outputs.map((tensor) => tensor.name));
    const nodes: NodeDef[] = [];
    for (const node of this.#nodes.toReversed()) {
      if (!node.outputs.some((output) => needed.has(output.name))) continue;
      const attributes = [...node.attributes];
      if (node.body !== undefined) attributes.push({ name: 'body', kind: 'graph', value: node.body.#define(needed) });
      for (const input of node.inputs) needed.add(input.name);
      nodes.push({
        op: node.op,
        name: `${node.layer}/${node.outputs[0]!.name}`,
        inputs: node.inputs.map((tensor) => tensor.name),
        outputs: node.outputs.map((tensor) => tensor.name),
        attributes,
      });
    }
    for (const name of needed) neededOutside.add(name);
    const initializers: InitializerDef[] = this.#initializers
      .filter(({ tensor }) => needed.has(tensor.name))
      .map(({ tensor, data }) => ({ name: tensor.name, type: tensor.type, shape: tensor.shape, data }));
    return {
      name: this.name,
      nodes: nodes.reverse(),
      initializers,
      inputs: this.#inputs.map(describe),
      outputs: this.#outputs.map(describe),
    };
  }

  #constant(values: readonly number[], data: Uint8Array, shape: Shape, type: ElementType): Tensor {
    if (values.length !== sizeOf(shape))
      throw this.mistake(`a constant of shape ${show(shape)} was given ${values.length} values`);
    const key = values.length <= 8 ? `${type}${show(shape)}${values.join()}` : undefined;
    const known = key === undefined ? undefined : this.#context.constants.get(key);
    if (known !== undefined) return known;
    const root = this.root;
    const tensor = new Tensor(root, { name: this.#freshName('constant'), isNamed: true }, shape, type);
    root.#initializers.push({ tensor, data });
    if (key !== undefined) this.#context.constants.set(key, tensor);
    return tensor;
  }

  #push(
    op: string,
    inputs: readonly Tensor[],
    outputs: readonly Tensor[],
    attributes: readonly AttributeDef[],
    body?: Graph,
  ): void {
    this.#nodes.push({ op, layer: this.#context.layers.join('.'), inputs, outputs, attributes, body });
  }

  #fresh(op: string, shape: Shape, type: ElementType, record?: TapeRecord): Tensor {
    return new Tensor(this, { name: this.#freshName(op), isNamed: false }, shape, type, record);
  }

  #freshName(kind: string): string {
    return `${kind}_${this.#context.names++}`;
  }
}

/** Innermost graph among those of `tensors`: the place for a node that uses them all. */
export function scopeOf(...tensors: readonly Tensor[]): Graph {
  return tensors.reduce(
    (inner, tensor) => (tensor.graph.depth > inner.depth ? tensor.graph : inner),
    tensors[0]!.graph,
  );
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

/** Text of a shape: `[2,128,1]`. */
export function show(shape: Shape): string {
  return `[${shape.join(',')}]`;
}

function describe(tensor: Tensor): ValueDef {
  return { name: tensor.name, type: tensor.type, shape: tensor.shape };
}
