/** Arithmetic, element by element, with broadcasting. */
import { Tensor } from '../engine/graph.ts';
import { align, type Operand, sumTo } from './broadcast.ts';
import { equalMask, less } from './masks.ts';

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

/** The smaller of two. Where they are equal the gradient goes to `a`. */
export function minimum(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('minimum', a, b);
  const isY = () => less(y, x);
  return g.emit('Min', [x, y], shape, {
    backward: [(d) => sumTo(mul(d, sub(1, isY())), x.shape), (d) => sumTo(mul(d, isY()), y.shape)],
  });
}

/** The larger of two. Where they are equal the gradient goes to `a`. */
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

/** Limits to [low, high]; the gradient is zero outside. */
export function clip(x: Tensor, low: number, high: number): Tensor {
  const g = x.graph;
  const inside = () => equalMask(x, clip(x, low, high));
  return g.emit('Clip', [x, g.constant(low), g.constant(high)], x.shape, { backward: [(d) => mul(d, inside())] });
}

/** The same value with no gradient through it. Costs no node. */
export function stopGradient(x: Tensor): Tensor {
  return new Tensor(x.graph, x.value, x.shape, x.type);
}
