/**
 * The differentiable operations. Each adds one ONNX node and knows the nodes of its gradient, which are
 * written only if they are asked for. Element-wise operations broadcast as in NumPy.
 */
import { type Graph, type Shape, sameShape, scopeOf, show, Tensor } from './graph.ts';

/** A tensor, or a number that stands for a constant scalar. */
export type Operand = Tensor | number;

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
  const isY = () => toReal(compare('Less', y, x));
  return g.emit('Min', [x, y], shape, {
    backward: [(d) => sumTo(mul(d, sub(1, isY())), x.shape), (d) => sumTo(mul(d, isY()), y.shape)],
  });
}

/** The larger of two. Where they are equal the gradient goes to `a`. */
export function maximum(a: Operand, b: Operand): Tensor {
  const [g, x, y, shape] = align('maximum', a, b);
  const isY = () => toReal(compare('Greater', y, x));
  return g.emit('Max', [x, y], shape, {
    backward: [(d) => sumTo(mul(d, sub(1, isY())), x.shape), (d) => sumTo(mul(d, isY()), y.shape)],
  });
}

export function neg(x: Tensor): Tensor {
  return unary('Neg', x, () => (d) => neg(d));
}

export function exp(x: Tensor): Tensor {
  return unary('Exp', x, (y) => (d) => mul(d, y()));
}

/** The natural logarithm. Slow in the runtime: for small tensors only. */
export function log(x: Tensor): Tensor {
  return unary('Log', x, () => (d) => div(d, x));
}

export function sqrt(x: Tensor): Tensor {
  return unary('Sqrt', x, (y) => (d) => div(mul(d, 0.5), y()));
}

export function tanh(x: Tensor): Tensor {
  return unary('Tanh', x, (y) => (d) => mul(d, sub(1, square(y()))));
}

/** max(x, 0). The mask of its gradient is two casts, three times as fast as Sign in the runtime. */
export function relu(x: Tensor): Tensor {
  return unary('Relu', x, (y) => (d) => mul(d, toReal(cast(y(), 'bool'))));
}

/** log(1 + eˣ), without overflow. Scalar code in the runtime: for [batch, action] tensors only. */
export function softplus(x: Tensor): Tensor {
  return unary('Softplus', x, () => (d) => mul(d, sigmoid(x)));
}

export function sigmoid(x: Tensor): Tensor {
  return unary('Sigmoid', x, (y) => (d) => mul(d, mul(y(), sub(1, y()))));
}

export function abs(x: Tensor): Tensor {
  return unary('Abs', x, () => (d) => mul(d, x.graph.emit('Sign', [x], x.shape)));
}

export function square(x: Tensor): Tensor {
  return mul(x, x);
}

/** Limits to [low, high]; the gradient is zero outside. */
export function clip(x: Tensor, low: number, high: number): Tensor {
  const g = x.graph;
  const inside = () => toReal(compare('Equal', x, clip(x, low, high)));
  return g.emit('Clip', [x, g.constant(low), g.constant(high)], x.shape, { backward: [(d) => mul(d, inside())] });
}

/** The same value with no gradient through it. Costs no node. */
export function stopGradient(x: Tensor): Tensor {
  return new Tensor(x.graph, x.value, x.shape, x.type);
}

/** 1 where equal, 0 elsewhere; no gradient. */
export function equalMask(a: Tensor, b: Tensor): Tensor {
  return toReal(compare('Equal', a, b));
}

/** The shape of `a` and `b` broadcast against each other, or `undefined` where they do not fit. */
export function broadcast(a: Shape, b: Shape): Shape | undefined {
  const rank = Math.max(a.length, b.length);
  const shape: number[] = [];
  for (let i = 0; i < rank; i++) {
    const x = a[a.length - rank + i] ?? 1;
    const y = b[b.length - rank + i] ?? 1;
    if (x !== y && x !== 1 && y !== 1) return undefined;
    shape.push(Math.max(x, y));
  }
  return shape;
}

/** The sum over `axes` (all where left out); the axes stay with size 1. */
export function reduceSum(x: Tensor, axes: readonly number[] = allAxes(x)): Tensor {
  return reduce('ReduceSum', x, axes, (d) => expand(d, x.shape));
}

/** The mean over `axes` (all where left out); the axes stay with size 1. */
export function reduceMean(x: Tensor, axes: readonly number[] = allAxes(x)): Tensor {
  const count = axes.reduce((product, axis) => product * x.shape[normal(x, axis)]!, 1);
  return reduce('ReduceMean', x, axes, (d) => expand(mul(d, 1 / count), x.shape));
}

/** The minimum over one axis; where several are equal they share the gradient. */
export function reduceMin(x: Tensor, axis: number): Tensor {
  const y: Tensor = reduce('ReduceMin', x, [axis], (d) => {
    const mask = equalMask(x, y);
    return div(mul(d, mask), reduceSum(mask, [axis]));
  });
  return y;
}

/** The sum of squares of all elements, shape of ones. */
export function sumOfSquares(x: Tensor): Tensor {
  return reduceSum(square(x));
}

/** Sums a gradient over the axes along which a value of `shape` was broadcast. */
export function sumTo(gradient: Tensor, shape: Shape): Tensor {
  if (sameShape(gradient.shape, shape)) return gradient;
  const lead = gradient.shape.length - shape.length;
  const axes = gradient.shape.flatMap((size, i) => (i < lead || (size !== 1 && shape[i - lead] === 1) ? [i] : []));
  const summed = axes.length === 0 ? gradient : reduceSum(gradient, axes);
  return sameShape(summed.shape, shape) ? summed : reshape(summed, shape);
}

export function reshape(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const size = shape.reduce((product, n) => product * n, 1);
  if (size !== x.size) throw x.graph.mistake(`${show(x.shape)} cannot be reshaped to ${show(shape)}`);
  return x.graph.emit('Reshape', [x, x.graph.integers(shape)], shape, { backward: [(d) => reshape(d, x.shape)] });
}

/** Repeats `x` along its axes of size 1 to fill `shape`. */
export function expand(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  return x.graph.emit('Expand', [x, x.graph.integers(shape)], shape, { backward: [(d) => sumTo(d, x.shape)] });
}

/** Swaps the last two axes. The runtime folds it into the MatMul that uses it. */
export function transpose(x: Tensor): Tensor {
  const rank = x.shape.length;
  if (rank < 2) throw x.graph.mistake(`${show(x.shape)} has no two axes to swap`);
  const perm = x.shape.map((_, i) => (i < rank - 2 ? i : i === rank - 2 ? rank - 1 : rank - 2));
  const shape = perm.map((i) => x.shape[i]!);
  const attributes = [{ name: 'perm', kind: 'ints', value: perm } as const];
  return x.graph.emit('Transpose', [x], shape, { attributes, backward: [transpose] });
}

/** Joins along `axis`; all other sizes must agree. */
export function concat(parts: readonly Tensor[], axis: number): Tensor {
  const first = parts[0]!;
  const g = scopeOf(...parts);
  const at = axis < 0 ? first.shape.length + axis : axis;
  for (const part of parts) {
    if (part.shape.length !== first.shape.length || part.shape.some((n, i) => i !== at && n !== first.shape[i])) {
      throw g.mistake(
        `concat of ${parts.map((p) => show(p.shape)).join(' and ')} along axis ${axis}: the other sizes differ`,
      );
    }
  }
  const ends: number[] = [];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.shape[at]!);
  const shape = first.shape.map((n, i) => (i === at ? ends.at(-1)! : n));
  return g.emit('Concat', parts, shape, {
    attributes: [{ name: 'axis', kind: 'int', value: at }],
    backward: parts.map((part, i) => (d) => slice(d, at, ends[i]! - part.shape[at]!, ends[i]!)),
  });
}

/** The part [from, to) along `axis`. */
export function slice(x: Tensor, axis: number, from: number, to: number): Tensor {
  const at = axis < 0 ? x.shape.length + axis : axis;
  const size = x.shape[at];
  if (size === undefined || from < 0 || to > size || from >= to) {
    throw x.graph.mistake(`${show(x.shape)} has no part [${from}, ${to}) along axis ${axis}`);
  }
  const g = x.graph;
  const shape = x.shape.map((n, i) => (i === at ? to - from : n));
  return g.emit('Slice', [x, g.integers([from]), g.integers([to]), g.integers([at])], shape, {
    backward: [(d) => pad(d, at, from, size - to)],
  });
}

/** Zeros before and after along `axis`. */
export function pad(x: Tensor, axis: number, before: number, after: number): Tensor {
  const g = x.graph;
  const pads = [
    ...x.shape.map((_, i) => (i === axis ? before : 0)),
    ...x.shape.map((_, i) => (i === axis ? after : 0)),
  ];
  const shape = x.shape.map((n, i) => (i === axis ? n + before + after : n));
  return g.emit('Pad', [x, g.integers(pads), g.constant(0)], shape, {
    backward: [(d) => slice(d, axis, before, before + x.shape[axis]!)],
  });
}

/** Rows `indices` (int64 [m]) of `x` along the first axis. Not differentiable. */
export function gatherRows(x: Tensor, indices: Tensor): Tensor {
  const shape = [...indices.shape, ...x.shape.slice(1)];
  return scopeOf(x, indices).emit('Gather', [x, indices], shape, { type: x.type, backward: [undefined, undefined] });
}

/** Row `index` (int64 scalar) of `x`: the first axis goes. Not differentiable. */
export function rowAt(x: Tensor, index: Tensor): Tensor {
  return gatherRows(x, index);
}

function unary(op: string, x: Tensor, derivative: (y: () => Tensor) => (gradient: Tensor) => Tensor): Tensor {
  const y: Tensor = x.graph.emit(op, [x], x.shape, { backward: [(d) => derivative(() => stopGradient(y))(d)] });
  return y;
}

function align(op: string, a: Operand, b: Operand): [Graph, Tensor, Tensor, Shape] {
  const some = typeof a === 'number' ? b : a;
  if (typeof some === 'number') throw new TypeError(`${op} needs at least one tensor`);
  const x = typeof a === 'number' ? some.graph.constant(a) : a;
  const y = typeof b === 'number' ? some.graph.constant(b) : b;
  const shape = broadcast(x.shape, y.shape);
  const g = scopeOf(x, y);
  if (shape === undefined) throw g.mistake(`${op} of ${show(x.shape)} and ${show(y.shape)}: the sizes do not match`);
  return [g, x, y, shape];
}

function compare(op: 'Less' | 'Greater' | 'Equal', a: Tensor, b: Tensor): Tensor {
  return scopeOf(a, b).emit(op, [a, b], broadcast(a.shape, b.shape) ?? [], { type: 'bool' });
}

function toReal(x: Tensor): Tensor {
  return cast(x, x.graph.real);
}

function cast(x: Tensor, type: 'bool' | 'float32' | 'float64'): Tensor {
  const to = { bool: 9, float32: 1, float64: 11 }[type];
  return x.graph.emit('Cast', [x], x.shape, { attributes: [{ name: 'to', kind: 'int', value: to }], type });
}

function reduce(op: string, x: Tensor, axes: readonly number[], backward: (gradient: Tensor) => Tensor): Tensor {
  const positive = axes.map((axis) => normal(x, axis));
  const shape = x.shape.map((size, i) => (positive.includes(i) ? 1 : size));
  const attributes = [{ name: 'keepdims', kind: 'int', value: 1 } as const];
  return x.graph.emit(op, [x, x.graph.integers(positive)], shape, { attributes, backward: [backward] });
}

function allAxes(x: Tensor): number[] {
  return x.shape.map((_, i) => i);
}

function normal(x: Tensor, axis: number): number {
  const positive = axis < 0 ? x.shape.length + axis : axis;
  if (positive < 0 || positive >= x.shape.length) throw x.graph.mistake(`${show(x.shape)} has no axis ${axis}`);
  return positive;
}
