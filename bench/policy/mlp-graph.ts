/** Small multilayer perceptron as an ONNX model, for benchmarks and tests of the policy runtime without a learner. */

import { encodeModel, type InitializerDef, type NodeDef, type ValueDef } from '../../src/learner/engine/onnx-proto.ts';
import type { TensorShape } from '../../src/model/index.ts';

/** Network and its parameters, as in a weights bundle. */
export interface MlpGraph {
  /** The ONNX model. */
  readonly graph: Uint8Array;
  /** Parameters in the order of `weights`; empty if they are baked in. */
  readonly shapes: readonly TensorShape[];
  /** All parameters one after another; empty if they are baked in. */
  readonly weights: Float32Array;
}

export interface MlpOptions {
  readonly observationSize: number;
  readonly hiddenSizes: readonly number[];
  readonly actionSize: number;
  /** Parameters as inputs of the graph (a weights bundle) or as constants inside it (`policy.onnx`). */
  readonly parameters: 'inputs' | 'baked';
  /** Value of parameter element `i` of all; weights and biases alike. */
  readonly valueAt: (i: number) => number;
  /** Default: `gaussian`. `unbounded` is an action head without its tanh. */
  readonly head?: 'gaussian' | 'action' | 'unbounded';
  /** Z of an action head; default 0: no noise input. */
  readonly noiseSize?: number;
  /** `open`: the file leaves the batch size open, as exporters do; default: it is 1. */
  readonly batch?: 'one' | 'open';
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
  const nodes: NodeDef[] = [];
  let last = 'observation';
  let width = observationSize;
  const gemm = (layer: string, size: number, output: string): void => {
    shapes.push({ name: `${layer}.weight`, shape: [width, size] }, { name: `${layer}.bias`, shape: [size] });
    nodes.push(node('Gemm', [last, `${layer}.weight`, `${layer}.bias`], output));
  };
  hiddenSizes.forEach((size, i) => {
    gemm(`hidden${i}`, size, `sum${i}`);
    nodes.push(node('Relu', [`sum${i}`], `relu${i}`));
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
      nodes.push(node('MatMul', ['noise', 'noise.weight'], 'shift'), node('Add', ['best', 'shift'], 'raw'));
    }
    const squashing = head === 'action' ? 'Tanh' : 'Identity';
    nodes.push(node(squashing, [noiseSize > 0 ? 'raw' : 'best'], 'action'));
  }
  const batch = options.batch === 'open' ? -1 : 1;
  const inputs = [value('observation', [batch, observationSize])];
  if (noiseSize > 0) inputs.push(value('noise', [1, noiseSize]));
  const outputs = (head === 'gaussian' ? ['mean', 'log_std'] : ['action']).map((name) =>
    value(name, [batch, actionSize]),
  );

  const weights = Float32Array.from({ length: shapes.reduce((n, s) => n + elements(s), 0) }, (_, i) => valueAt(i));
  const isBaked = parameters === 'baked';
  if (!isBaked) inputs.push(...shapes.map(({ name, shape }) => value(name, shape)));
  const initializers = isBaked ? initializersOf(shapes, weights) : [];
  const graph = encodeModel({ name: 'policy', nodes, initializers, inputs, outputs }, options.metadata);
  return isBaked ? { graph, shapes: [], weights: new Float32Array(0) } : { graph, shapes, weights };
}

function elements(tensor: TensorShape): number {
  return tensor.shape.reduce((n, size) => n * size, 1);
}

function initializersOf(shapes: readonly TensorShape[], weights: Float32Array): InitializerDef[] {
  let offset = 0;
  return shapes.map((tensor) => {
    const values = weights.slice(offset, offset + elements(tensor));
    offset += values.length;
    return { ...tensor, type: 'float32', data: new Uint8Array(values.buffer) };
  });
}

function node(op: string, inputs: readonly string[], output: string): NodeDef {
  return { op, name: output, inputs, outputs: [output], attributes: [] };
}

function value(name: string, shape: readonly number[]): ValueDef {
  return { name, type: 'float32', shape };
}
