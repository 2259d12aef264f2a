/** Functions of one variable, element by element. */
import type { Tensor } from '../engine/graph.ts';
import { add, clip, div, mul, neg, square, stopGradient, sub } from './arithmetic.ts';
import { positiveMask } from './masks.ts';

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

/** 2√(2/π) and its product with 0.044715: the slope and the bend of the tanh form of GELU. */
const GELU_SLOPE = 2 * Math.sqrt(2 / Math.PI);
const GELU_BEND = 0.044715 * GELU_SLOPE;

/**
 * ½x(1 + tanh(√(2/π)(x + 0.044715x³))), the tanh form of GELU (Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415,
 * section 2). It differs from xΦ(x) by less than 5e-4. Written as x·sigmoid(u), which is the same.
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

/** One node; `derivative` gives the gradient for `x` from that for `y`. */
function unary(op: string, x: Tensor, derivative: (gradient: Tensor, y: Tensor) => Tensor): Tensor {
  const y: Tensor = x.graph.emit(op, [x], x.shape, { backward: [(d) => derivative(d, stopGradient(y))] });
  return y;
}
