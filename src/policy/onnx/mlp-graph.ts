/**
 * Writes a small multilayer perceptron as an ONNX model, by hand: what benchmarks and tests run the policy runtime
 * on, without needing a learner. Field numbers are those of `onnx.proto` (https://github.com/onnx/onnx, IR version 8).
 */
import type { TensorShape } from '../../core/index.ts';

/** A network and its parameters, as a weights bundle carries them. */
export interface MlpGraph {
  /** The ONNX model. */
  readonly graph: Uint8Array;
  /** Parameters in the order of `weights`; empty where they are baked in. */
  readonly shapes: readonly TensorShape[];
  /** All parameters one after the other; empty where they are baked in. */
  readonly weights: Float32Array;
}

export interface MlpOptions {
  readonly observationSize: number;
  readonly hiddenSizes: readonly number[];
  readonly actionSize: number;
  /** Whether parameters are inputs of the graph (a weights bundle) or constants inside it (`policy.onnx`). */
  readonly parameters: 'inputs' | 'baked';
  /** Value of parameter element `i` of all; weights and biases alike. */
  readonly valueAt: (i: number) => number;
  /** Default: `gaussian`. `unbounded` is an action head that forgot its tanh. */
  readonly head?: 'gaussian' | 'action' | 'unbounded';
  /** Z of an action head; 0, the default: none is taken. */
  readonly noiseSize?: number;
  /** Name of the batch size where the file leaves it open, as exporters do; default: it is 1. */
  readonly openBatch?: string;
  /** The model's metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Builds `observation` [1,O] → Gemm, Relu, … → `mean` and `log_std` [1,A]; or, as an action head, `observation` and
 * `noise` [1,Z] → `action` = tanh(Gemm(…) + noise · W) [1,A]. Allocates.
 */
export function writeMlpGraph(options: MlpOptions): MlpGraph {
  const { observationSize, hiddenSizes, actionSize, parameters, valueAt, head = 'gaussian', noiseSize = 0 } = options;
  const shapes: TensorShape[] = [];
  const nodes: Uint8Array[] = [];
  let last = 'observation';
  let width = observationSize;
  const gemm = (layer: string, size: number, output: string): void => {
    shapes.push({ name: `${layer}.weight`, shape: [width, size] }, { name: `${layer}.bias`, shape: [size] });
    nodes.push(nodeProto('Gemm', [last, `${layer}.weight`, `${layer}.bias`], output));
  };
  hiddenSizes.forEach((size, i) => {
    gemm(`hidden${i}`, size, `sum${i}`);
    nodes.push(nodeProto('Relu', [`sum${i}`], `relu${i}`));
    last = `relu${i}`;
    width = size;
  });
  if (head === 'gaussian') {
    gemm('mean', actionSize, 'mean');
    gemm('log_std', actionSize, 'log_std');
  } else {
    gemm('action', actionSize, 'best');
    if (noiseSize > 0) {
      shapes.push({ name: 'noise.weight', shape: [noiseSize, actionSize] });
      nodes.push(nodeProto('MatMul', ['noise', 'noise.weight'], 'shift'), nodeProto('Add', ['best', 'shift'], 'raw'));
    }
    const squashing = head === 'action' ? 'Tanh' : 'Identity';
    nodes.push(nodeProto(squashing, [noiseSize > 0 ? 'raw' : 'best'], 'action'));
  }
  const batch = options.openBatch ?? 1;
  const inputs: Port[] = [{ name: 'observation', shape: [batch, observationSize] }];
  if (noiseSize > 0) inputs.push({ name: 'noise', shape: [1, noiseSize] });
  const outputs = (head === 'gaussian' ? ['mean', 'log_std'] : ['action']).map((name) => ({
    name,
    shape: [batch, actionSize],
  }));

  const weights = Float32Array.from({ length: shapes.reduce((n, s) => n + elements(s), 0) }, (_, i) => valueAt(i));
  const isBaked = parameters === 'baked';
  const graph = modelProto(
    nodes,
    [...inputs, ...(isBaked ? [] : shapes)],
    outputs,
    isBaked ? initializers(shapes, weights) : [],
    options.metadata ?? {},
  );
  return isBaked ? { graph, shapes: [], weights: new Float32Array(0) } : { graph, shapes, weights };
}

function elements(tensor: TensorShape): number {
  return tensor.shape.reduce((n, size) => n * size, 1);
}

function initializers(shapes: readonly TensorShape[], weights: Float32Array): Uint8Array[] {
  let offset = 0;
  return shapes.map((tensor) => {
    const values = weights.slice(offset, offset + elements(tensor));
    offset += values.length;
    const dims = tensor.shape.map((size) => integer(1, size));
    return message(...dims, integer(2, FLOAT), text(8, tensor.name), bytes(9, new Uint8Array(values.buffer)));
  });
}

const FLOAT = 1;
const IR_VERSION = 8;
const OPSET = 17;

/** An input or output; a text is the name of a size that is left open. */
interface Port {
  readonly name: string;
  readonly shape: readonly (number | string)[];
}

function modelProto(
  nodes: readonly Uint8Array[],
  inputs: readonly Port[],
  outputs: readonly Port[],
  constants: readonly Uint8Array[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const graph = message(
    ...nodes.map((node) => bytes(1, node)),
    text(2, 'policy'),
    ...constants.map((tensor) => bytes(5, tensor)),
    ...inputs.map((tensor) => bytes(11, valueInfo(tensor))),
    ...outputs.map((tensor) => bytes(12, valueInfo(tensor))),
  );
  const opset = message(text(1, ''), integer(2, OPSET));
  const entries = Object.entries(metadata).map(([key, value]) => bytes(14, message(text(1, key), text(2, value))));
  return new Uint8Array(message(integer(1, IR_VERSION), text(2, 'rein'), bytes(7, graph), bytes(8, opset), ...entries));
}

function nodeProto(operator: string, inputs: readonly string[], output: string): Uint8Array {
  return message(...inputs.map((name) => text(1, name)), text(2, output), text(4, operator));
}

function valueInfo(tensor: Port): Uint8Array {
  const dimension = (size: number | string) => (typeof size === 'number' ? integer(1, size) : text(2, size));
  const shape = message(...tensor.shape.map((size) => bytes(1, dimension(size))));
  const type = bytes(1, message(integer(1, FLOAT), bytes(2, shape)));
  return message(text(1, tensor.name), bytes(2, type));
}

function message(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  while (rest > 127) {
    out.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return out;
}

function integer(field: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(field * 8), ...varint(value)]);
}

function bytes(field: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([...varint(field * 8 + 2), ...varint(content.length)]), content]);
}

function text(field: number, content: string): Uint8Array {
  return bytes(field, new TextEncoder().encode(content));
}
