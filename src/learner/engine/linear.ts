/** Matrix product, linear layer and layer normalisation, with their gradients. */
import { scopeOf, show, type Tensor } from './graph.ts';
import { add, broadcast, div, mul, reduceMean, sqrt, square, stopGradient, sub, sumTo, transpose } from './ops.ts';

/** Matrix product over the last two axes; the axes before them broadcast, so an ensemble is a leading axis. */
export function matmul(a: Tensor, b: Tensor): Tensor {
  const g = scopeOf(a, b);
  const inner = a.shape.at(-1);
  const [rows, columns] = [a.shape.at(-2), b.shape.at(-1)];
  const lead = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
  if (rows === undefined || columns === undefined || b.shape.length < 2 || lead === undefined) {
    throw g.mistake(`matmul of ${show(a.shape)} and ${show(b.shape)}: these are not matrices that fit`);
  }
  if (inner !== b.shape.at(-2)) {
    throw g.mistake(
      `matmul of ${show(a.shape)} and ${show(b.shape)}: the inner sizes ${inner} and ${b.shape.at(-2)} differ`,
    );
  }
  return g.emit('MatMul', [a, b], [...lead, rows, columns], {
    backward: [(d) => sumTo(matmul(d, transpose(b)), a.shape), (d) => sumTo(matmul(transpose(a), d), b.shape)],
  });
}

/** x·weight + bias. x [..., B, in], weight [..., in, out], bias [..., 1, out]. */
export function linear(x: Tensor, weight: Tensor, bias: Tensor): Tensor {
  return add(matmul(x, weight), bias);
}

const EPSILON = 1e-5;

/**
 * (x − mean)/√(variance + 1e-5) over the last axis, without scale and shift.
 * Ba, Kiros and Hinton, https://arxiv.org/abs/1607.06450.
 */
export function layerNorm(x: Tensor): Tensor {
  const { normalised, inverseStd } = x.graph.real === 'float32' ? fusedNorm(x) : plainNorm(x);
  const backward = (d: Tensor): Tensor => {
    const along = mul(normalised, reduceMean(mul(d, normalised), [-1]));
    return mul(inverseStd, sub(sub(d, reduceMean(d, [-1])), along));
  };
  return x.graph.withGradient(normalised, [x], [backward]);
}

interface Normalised {
  readonly normalised: Tensor;
  readonly inverseStd: Tensor;
}

/** One node: what training runs. */
function fusedNorm(x: Tensor): Normalised {
  const g = x.graph;
  const width = x.shape.at(-1)!;
  const attributes = [
    { name: 'axis', kind: 'int', value: -1 } as const,
    { name: 'epsilon', kind: 'float', value: EPSILON } as const,
  ];
  const column = [...x.shape.slice(0, -1), 1];
  const ones = g.constant(new Float32Array(width).fill(1), [width]);
  const outputs = g.emitMany('LayerNormalization', [x, ones], [x.shape, column, column], attributes);
  return { normalised: outputs[0]!, inverseStd: outputs[2]! };
}

/** The same in single steps: the node above keeps its statistics in float32, also in a float64 graph. */
function plainNorm(x: Tensor): Normalised {
  const input = stopGradient(x);
  const centred = sub(input, reduceMean(input, [-1]));
  const inverseStd = div(1, sqrt(add(reduceMean(square(centred), [-1]), EPSILON)));
  return { normalised: stopGradient(mul(centred, inverseStd)), inverseStd: stopGradient(inverseStd) };
}
