/**
 * How shapes fit each other: broadcasting as in NumPy, and the three operations that undo one another in gradients,
 * sum, expand and reshape.
 */
import { type Graph, type Shape, sameShape, scopeOf, show, sizeOf, type Tensor } from '../engine/graph.ts';

/** A tensor, or a number that stands for a constant scalar. */
export type Operand = Tensor | number;

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

/** Both operands as tensors, with the graph where a node of both belongs and the shape that they broadcast to. */
export function align(op: string, a: Operand, b: Operand): [Graph, Tensor, Tensor, Shape] {
  const some = typeof a === 'number' ? b : a;
  if (typeof some === 'number') throw new TypeError(`${op} needs at least one tensor`);
  const x = typeof a === 'number' ? some.graph.constant(a) : a;
  const y = typeof b === 'number' ? some.graph.constant(b) : b;
  const shape = broadcast(x.shape, y.shape);
  const g = scopeOf(x, y);
  if (shape === undefined) throw g.mistake(`${op} of ${show(x.shape)} and ${show(y.shape)}: the sizes do not match`);
  return [g, x, y, shape];
}

/** The sum over `axes` (all where left out); the axes stay with size 1. */
export function reduceSum(x: Tensor, axes: readonly number[] = allAxes(x)): Tensor {
  return reduce('ReduceSum', x, axes, (d) => expand(d, x.shape));
}

/** Sums a gradient over the axes along which a value of `shape` was broadcast. */
export function sumTo(gradient: Tensor, shape: Shape): Tensor {
  if (sameShape(gradient.shape, shape)) return gradient;
  const lead = gradient.shape.length - shape.length;
  const axes = gradient.shape.flatMap((size, i) => (i < lead || (size !== 1 && shape[i - lead] === 1) ? [i] : []));
  const summed = axes.length === 0 ? gradient : reduceSum(gradient, axes);
  return sameShape(summed.shape, shape) ? summed : reshape(summed, shape);
}

/** The same elements in row-major order under another shape. */
export function reshape(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  if (sizeOf(shape) !== x.size) throw x.graph.mistake(`${show(x.shape)} cannot be reshaped to ${show(shape)}`);
  return x.graph.emit('Reshape', [x, x.graph.integers(shape)], shape, {
    type: x.type,
    backward: [(d) => reshape(d, x.shape)],
  });
}

/** Repeats `x` along its axes of size 1 to fill `shape`. */
export function expand(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const filled = broadcast(x.shape, shape);
  if (filled === undefined || !sameShape(filled, shape)) {
    throw x.graph.mistake(`${show(x.shape)} cannot be repeated to fill ${show(shape)}`);
  }
  return x.graph.emit('Expand', [x, x.graph.integers(shape)], shape, {
    type: x.type,
    backward: [(d) => sumTo(d, x.shape)],
  });
}

/** One of ONNX's reductions; the axes stay with size 1. */
export function reduce(op: string, x: Tensor, axes: readonly number[], backward: (gradient: Tensor) => Tensor): Tensor {
  const positive = axes.map((axis) => normalAxis(x, axis));
  const shape = x.shape.map((size, i) => (positive.includes(i) ? 1 : size));
  const attributes = [{ name: 'keepdims', kind: 'int', value: 1 } as const];
  return x.graph.emit(op, [x, x.graph.integers(positive)], shape, { attributes, backward: [backward] });
}

/** `[0, …, rank − 1]` */
export function allAxes(x: Tensor): number[] {
  return x.shape.map((_, i) => i);
}

/** `axis` counted from the front, checked. */
export function normalAxis(x: Tensor, axis: number): number {
  const positive = axis < 0 ? x.shape.length + axis : axis;
  if (positive < 0 || positive >= x.shape.length) throw x.graph.mistake(`${show(x.shape)} has no axis ${axis}`);
  return positive;
}
