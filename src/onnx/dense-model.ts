/**
 * Runs a small dense network from its ONNX file: synchronously, in place, without runtime, thread or promise, for decisions
 * between two steps of a robot. Files hold a chain of MatMul, Add, Sub, Mul, Relu, Tanh and Sigmoid with constants in float32.
 */
import { forEachField } from '../rows/index.ts';
import { GRAPH, MODEL, NODE, plainText, readValue, TENSOR } from './model-value.ts';

/** Code of float32 in `TensorProto.DataType`. */
const FLOAT32 = 1;

const FUNCTIONS: Readonly<Record<string, (x: number) => number>> = {
  Relu: (x) => Math.max(x, 0),
  Tanh: Math.tanh,
  Sigmoid: (x) => 1 / (1 + Math.exp(-x)),
};

const ARITHMETIC: Readonly<Record<string, (x: number, constant: number) => number>> = {
  Add: (x, constant) => x + constant,
  Sub: (x, constant) => x - constant,
  Mul: (x, constant) => x * constant,
};

interface Constant {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

interface Node {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Maps the previous layer's output to this layer's output buffer. No allocation. */
type Layer = (input: ArrayLike<number>) => Float32Array;

/** A loaded network. Not reentrant. */
export interface DenseModel {
  readonly inputSize: number;
  readonly outputSize: number;
  /** Returns the output [outputSize] for `input` [inputSize], reused by the next call. Tick-safe. */
  run(input: ArrayLike<number>): Float32Array;
}

/** Loads `model`, or returns why it cannot be run here, as a clause that follows the file's name. Never throws, whatever the bytes. */
export function readDenseModel(model: Uint8Array): DenseModel | string {
  const graph = readGraph(model);
  if (graph === undefined) return 'is not a complete ONNX model';
  const { nodes, constants, inputs } = graph;
  const [input, ...others] = inputs.filter(({ name }) => !constants.has(name));
  const inputSize = input?.shape?.at(-1);
  if (input === undefined || others.length > 0 || typeof inputSize !== 'number' || inputSize < 1) {
    return 'does not have exactly one input, of a fixed size';
  }
  const layers: Layer[] = [];
  let [name, size] = [input.name, inputSize];
  for (const {
    op,
    inputs: [from, by, ...more],
    outputs,
  } of nodes) {
    const constant = by === undefined ? undefined : constants.get(by);
    if (from !== name || outputs.length !== 1 || more.length > 0 || (by !== undefined && constant === undefined)) {
      return `has an operation ${op} that is not part of a chain of layers`;
    }
    const layer = layerOf(op, size, constant);
    if (layer === undefined) return `has an operation ${op} on ${size} numbers, which dense layers do not have`;
    layers.push(layer.run);
    [name, size] = [outputs[0]!, layer.size];
  }
  if (layers.length === 0) return 'has no layers';
  return new Chain(inputSize, size, layers);
}

class Chain implements DenseModel {
  readonly inputSize: number;
  readonly outputSize: number;
  readonly #layers: readonly Layer[];

  constructor(inputSize: number, outputSize: number, layers: readonly Layer[]) {
    this.inputSize = inputSize;
    this.outputSize = outputSize;
    this.#layers = layers;
  }

  run(input: ArrayLike<number>): Float32Array {
    let values = this.#layers[0]!(input);
    for (let i = 1; i < this.#layers.length; i++) values = this.#layers[i]!(values);
    return values;
  }
}

/** Returns the layer for `op` on `size` numbers, and its output size; `undefined` if not supported. */
function layerOf(op: string, size: number, constant: Constant | undefined): { size: number; run: Layer } | undefined {
  if (op === 'MatMul' && constant !== undefined) return productOf(size, constant);
  const out = new Float32Array(size);
  const act = FUNCTIONS[op];
  if (act !== undefined && constant === undefined) {
    const run: Layer = (input) => {
      for (let i = 0; i < size; i++) out[i] = act(input[i]!);
      return out;
    };
    return { size, run };
  }
  const combine = ARITHMETIC[op];
  if (combine === undefined || constant === undefined) return undefined;
  const { data } = constant;
  if (data.length !== 1 && data.length !== size) return undefined;
  const step = data.length === 1 ? 0 : 1;
  const run: Layer = (input) => {
    for (let i = 0; i < size; i++) out[i] = combine(input[i]!, data[i * step]!);
    return out;
  };
  return { size, run };
}

/** Returns the layer that multiplies by a matrix [size, width]. */
function productOf(size: number, { shape, data }: Constant): { size: number; run: Layer } | undefined {
  const [rows, width] = shape;
  if (shape.length !== 2 || rows !== size || width === undefined || width < 1) return undefined;
  const sums = new Float64Array(width);
  const out = new Float32Array(width);
  const run: Layer = (input) => {
    sums.fill(0);
    for (let i = 0; i < size; i++) {
      const x = input[i]!;
      for (let k = 0; k < width; k++) sums[k] = sums[k]! + x * data[i * width + k]!;
    }
    out.set(sums);
    return out;
  };
  return { size: width, run };
}

interface ReadGraph {
  readonly nodes: readonly Node[];
  readonly constants: ReadonlyMap<string, Constant>;
  readonly inputs: readonly NonNullable<ReturnType<typeof readValue>>[];
}

function readGraph(model: Uint8Array): ReadGraph | undefined {
  const nodes: Node[] = [];
  const constants = new Map<string, Constant>();
  const inputs: NonNullable<ReturnType<typeof readValue>>[] = [];
  const readPart = (field: number, content: Uint8Array | undefined): boolean => {
    if (content === undefined) return true;
    if (field === GRAPH.node) return readNode(content, nodes);
    if (field === GRAPH.initializer) return readConstant(content, constants);
    if (field !== GRAPH.input) return true;
    const value = readValue(content);
    if (value !== undefined) inputs.push(value);
    return value !== undefined;
  };
  const isWhole = forEachField(model, (field, content) =>
    field === MODEL.graph && content !== undefined ? forEachField(content, readPart) : true,
  );
  return isWhole && nodes.length > 0 ? { nodes, constants, inputs } : undefined;
}

function readNode(bytes: Uint8Array, out: Node[]): boolean {
  let op = '';
  const inputs: string[] = [];
  const outputs: string[] = [];
  const isWhole = forEachField(bytes, (field, content) => {
    if (content === undefined) return true;
    if (field === NODE.op) op = plainText(content);
    if (field === NODE.input) inputs.push(plainText(content));
    if (field === NODE.output) outputs.push(plainText(content));
    return true;
  });
  out.push({ op, inputs, outputs });
  return isWhole;
}

/** Tensors of another type are skipped: a layer that needs one is then rejected. */
function readConstant(bytes: Uint8Array, out: Map<string, Constant>): boolean {
  let [name, type] = ['', 0];
  let raw: Uint8Array | undefined;
  const shape: number[] = [];
  const isWhole = forEachField(bytes, (field, content, value) => {
    if (field === TENSOR.dims && content === undefined) shape.push(value);
    if (field === TENSOR.type) type = value;
    if (field === TENSOR.name && content !== undefined) name = plainText(content);
    if (field === TENSOR.raw && content !== undefined) raw = content;
    return true;
  });
  const count = shape.reduce((product, size) => product * size, 1);
  if (!isWhole || type !== FLOAT32 || raw === undefined || raw.length !== 4 * count) return isWhole;
  // Copied: its offset in the file need not be aligned.
  out.set(name, { shape, data: new Float32Array(new Uint8Array(raw).buffer) });
  return true;
}
