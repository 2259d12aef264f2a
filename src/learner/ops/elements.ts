/** Elementwise operations with broadcasting: arithmetic, masks, functions of one variable. */
import { Tensor } from '../engine/graph.ts';
import { ELEMENT_TYPES, type ElementType } from '../engine/onnx-proto.ts';
import { align, type Operand, sumTo } from './shape.ts';

export function add(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('add', a, b);
  return g.emit('Add', [x, y], shape, { backward: [(d) => sumTo(d, x.shape), (d) => sumTo(d, y.shape)] });
}

export function sub(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('sub', a, b);
  return g.emit('Sub', [x, y], shape, { backward: [(d) => sumTo(d, x.shape), (d) => sumTo(neg(d), y.shape)] });
}

export function mul(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('mul', a, b);
  return g.emit('Mul', [x, y], shape, {
    backward: [(d) => sumTo(mul(d, y), x.shape), (d) => sumTo(mul(d, x), y.shape)],
  });
}

export function div(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('div', a, b);
  return g.emit('Div', [x, y], shape, {
    backward: [(d) => sumTo(div(d, y), x.shape), (d) => sumTo(neg(div(mul(d, x), mul(y, y))), y.shape)],
  });
}

/** Minimum of two. If they are equal the gradient goes to `a`. */
export function minimum(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('minimum', a, b);
  const isY = () => less(y, x);
  return g.emit('Min', [x, y], shape, {
    backward: [(d) => sumTo(mul(d, sub(1, isY())), x.shape), (d) => sumTo(mul(d, isY()), y.shape)],
  });
}

/** Maximum of two. If they are equal the gradient goes to `a`. */
export function maximum(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('maximum', a, b);
  const isY = () => less(x, y);
  return g.emit('Max', [x, y], shape, {
    backward: [(d) => sumTo(mul(d, sub(1, isY())), x.shape), (d) => sumTo(mul(d, isY()), y.shape)],
  });
}

export function neg(x: Tensor): Tensor {
  return x.graph.emit('Neg', [x], x.shape, { backward: [(d) => neg(d)] });
}

export function abs(x: Tensor): Tensor {
  return x.graph.emit('Abs', [x], x.shape, { backward: [(d) => mul(d, x.graph.emit('Sign', [x], x.shape))] });
}

export function square(x: Tensor): Tensor {
  return mul(x, x);
}

/** Clips to [low, high]; the gradient is zero outside. */
export function clip(x: Tensor, low: number, high: number): Tensor {
  const g = x.graph;
  const inside = () => equalMask(x, clip(x, low, high));
  return g.emit('Clip', [x, g.constant(low), g.constant(high)], x.shape, { backward: [(d) => mul(d, inside())] });
}

/** Same value, without gradient. Adds no node. */
export function stopGradient(x: Tensor): Tensor {
  return new Tensor(x.graph, x.value, x.shape, x.type);
}

/** 1 where a < b, 0 elsewhere; broadcasts. */
export function less(a: Operand, b: Operand): Tensor {
  return compare('Less', a, b);
}

/** 1 where equal, 0 elsewhere; broadcasts. Compares integers (int64) with integers as well. */
export function equalMask(a: Operand, b: Operand): Tensor {
  return compare('Equal', a, b);
}

/** 1 where x is not 0, 0 elsewhere. Two casts: three times as fast as Sign in the runtime. */
export function nonZeroMask(x: Tensor): Tensor {
  return cast(cast(x, 'bool'), x.graph.real);
}

/**
 * 1 where x > 0, 0 elsewhere, for an x that is never negative. One vectorised node of the runtime, HardSigmoid with a slope
 * that maps the smallest normal number to 1, in place of two casts. The node exists for float32 only.
 */
export function positiveMask(x: Tensor): Tensor {
  if (x.graph.real === 'float64') return nonZeroMask(x);
  const attributes = [
    { name: 'alpha', kind: 'float', value: STEEPEST } as const,
    { name: 'beta', kind: 'float', value: 0 } as const,
  ];
  return x.graph.emit('HardSigmoid', [x], x.shape, { attributes });
}

/** Near the largest float32. */
const STEEPEST = 3e38;

/** `x` in another element type. */
export function cast(x: Tensor, type: Exclude<ElementType, 'int64'>): Tensor {
  return x.graph.emit('Cast', [x], x.shape, {
    attributes: [{ name: 'to', kind: 'int', value: ELEMENT_TYPES[type] }],
    type,
  });
}

function compare(op: 'Less' | 'Equal', a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align(op.toLowerCase(), a, b);
  return cast(g.emit(op, [x, y], shape, { type: 'bool' }), g.real);
}

export function exp(x: Tensor): Tensor {
  return unary('Exp', x, (d, y) => mul(d, y));
}

/** The natural logarithm. Slow in the runtime: for small tensors only. */
export function log(x: Tensor): Tensor {
  return unary('Log', x, (d) => div(d, x));
}

export function sqrt(x: Tensor): Tensor {
  return unary('Sqrt', x, (d, y) => div(mul(d, 0.5), y));
}

export function sin(x: Tensor): Tensor {
  return unary('Sin', x, (d) => mul(d, cos(x)));
}

export function cos(x: Tensor): Tensor {
  return unary('Cos', x, (d) => neg(mul(d, sin(x))));
}

export function tanh(x: Tensor): Tensor {
  return unary('Tanh', x, (d, y) => mul(d, sub(1, square(y))));
}

/** max(x, 0). */
export function relu(x: Tensor): Tensor {
  return unary('Relu', x, (d, y) => mul(d, positiveMask(y)));
}

/** log(1 + eˣ), without overflow. Scalar code in the runtime: for [batch, action] tensors only. */
export function softplus(x: Tensor): Tensor {
  return unary('Softplus', x, (d) => mul(d, sigmoid(x)));
}

/** 1/(1 + e⁻ˣ) */
export function sigmoid(x: Tensor): Tensor {
  return unary('Sigmoid', x, (d, y) => mul(d, mul(y, sub(1, y))));
}

/** x·sigmoid(x), also called swish (Ramachandran et al., https://arxiv.org/abs/1710.05941). */
export function silu(x: Tensor): Tensor {
  const s = sigmoid(stopGradient(x));
  const y = mul(stopGradient(x), s);
  return x.graph.withGradient(y, [x], [(d) => mul(d, add(s, mul(y, sub(1, s))))]);
}

/** 2√(2/π) and its product with 0.044715: coefficients of the tanh form of GELU. */
const GELU_SLOPE = 2 * Math.sqrt(2 / Math.PI);
const GELU_BEND = 0.044715 * GELU_SLOPE;

/**
 * ½x(1 + tanh(√(2/π)(x + 0.044715x³))), the tanh form of GELU (Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415,
 * section 2). It differs from xΦ(x) by less than 5e-4. Computed as x·sigmoid(u), which is equivalent.
 */
export function gelu(x: Tensor): Tensor {
  const input = stopGradient(x);
  const squared = square(input);
  const s = sigmoid(mul(input, add(mul(squared, GELU_BEND), GELU_SLOPE)));
  const y = mul(input, s);
  const slope = () => mul(mul(y, sub(1, s)), add(mul(squared, 3 * GELU_BEND), GELU_SLOPE));
  return x.graph.withGradient(y, [x], [(d) => mul(d, add(s, slope()))]);
}

/**
 * Huber's function: ½x² where |x| ≤ `delta`, `delta`·(|x| − ½`delta`) beyond (Huber, 1964,
 * https://doi.org/10.1214/aoms/1177703732). Its gradient is x limited to ±`delta`.
 */
export function huber(x: Tensor, delta: number): Tensor {
  if (!(delta > 0)) throw x.graph.mistake(`Huber's delta is greater than 0, got ${delta}`);
  const input = stopGradient(x);
  const limited = clip(input, -delta, delta);
  const y = mul(limited, sub(input, mul(limited, 0.5)));
  return x.graph.withGradient(y, [x], [(d) => mul(d, limited)]);
}

/** Adds one node; `derivative` maps the gradient of `y` to that of `x`. */
function unary(op: string, x: Tensor, derivative: (gradient: Tensor, y: Tensor) => Tensor): Tensor {
  const y: Tensor = x.graph.emit(op, [x], x.shape, { backward: [(d) => derivative(d, stopGradient(y))] });
  return y;
}
