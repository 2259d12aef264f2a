/**
 * Shape operations: broadcasting as in NumPy, sums, expansion and reshaping (which undo one another in gradients), permutation
 * of axes, concatenation, slicing, padding, row selection.
 */
import { type Graph, type Shape, sameShape, scopeOf, show, sizeOf, type Tensor } from '../engine/graph.ts';

/** A tensor, or a number that becomes a constant scalar. */
export type Operand = Tensor | number;

/** Shape of `a` and `b` broadcast against each other, or `undefined` if they are incompatible. */
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

/** Both operands as tensors, with the graph for a node that uses both and the shape that they broadcast to. */
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

/** Sum over `axes` (default: all); the axes are kept with size 1. */
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

/** The same elements in row-major order in another shape. */
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

/** Adds one of ONNX's reductions; the axes are kept with size 1. */
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

/** `axis` counted from the front; throws if out of range. */
export function normalAxis(x: Tensor, axis: number): number {
  const positive = axis < 0 ? x.shape.length + axis : axis;
  if (positive < 0 || positive >= x.shape.length) throw x.graph.mistake(`${show(x.shape)} has no axis ${axis}`);
  return positive;
}

/** Swaps the last two axes. The runtime folds it into the MatMul that uses it. */
export function transpose(x: Tensor): Tensor {
  const rank = x.shape.length;
  if (rank < 2) throw x.graph.mistake(`${show(x.shape)} has no two axes to swap`);
  return permute(
    x,
    x.shape.map((_, i) => (i < rank - 2 ? i : i === rank - 2 ? rank - 1 : rank - 2)),
  );
}

/** Axis i of the result is axis `order[i]` of `x`. */
export function permute(x: Tensor, order: readonly number[]): Tensor {
  if (order.length !== x.shape.length || x.shape.some((_, i) => !order.includes(i))) {
    throw x.graph.mistake(`the axes of ${show(x.shape)} cannot be put in the order ${show(order)}`);
  }
  if (order.every((axis, i) => axis === i)) return x;
  const attributes = [{ name: 'perm', kind: 'ints', value: order } as const];
  const back = order.map((_, i) => order.indexOf(i));
  const shape = order.map((axis) => x.shape[axis]!);
  return x.graph.emit('Transpose', [x], shape, { type: x.type, attributes, backward: [(d) => permute(d, back)] });
}

/** Concatenates along `axis`; all other sizes must agree. */
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
  if (parts.length === 1) return first;
  const ends: number[] = [];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.shape[at]!);
  const shape = first.shape.map((n, i) => (i === at ? ends.at(-1)! : n));
  return g.emit('Concat', parts, shape, {
    type: first.type,
    attributes: [{ name: 'axis', kind: 'int', value: at }],
    backward: parts.map((part, i) => (d) => slice(d, at, ends[i]! - part.shape[at]!, ends[i]!)),
  });
}

/** The range [from, to) along `axis`. */
export function slice(x: Tensor, axis: number, from: number, to: number): Tensor {
  const at = normalAxis(x, axis);
  const size = x.shape[at]!;
  if (from < 0 || to > size || from >= to) {
    throw x.graph.mistake(`${show(x.shape)} has no part [${from}, ${to}) along axis ${axis}`);
  }
  return cut(
    x,
    x.shape.map((_, i) => (i === at ? from : 0)),
    x.shape.map((n, i) => (i === at ? to - from : n)),
  );
}

/** Pads with zeros: `before[i]` in front of and `after[i]` behind axis i; none is negative. */
export function padAll(x: Tensor, before: readonly number[], after: readonly number[]): Tensor {
  if ([...before, ...after].every((n) => n === 0)) return x;
  const g = x.graph;
  const shape = x.shape.map((n, i) => n + before[i]! + after[i]!);
  return g.emit('Pad', [x, g.integers([...before, ...after]), g.constant(0)], shape, {
    backward: [(d) => cut(d, before, x.shape)],
  });
}

/** The block of `shape` whose first element is at `from`. */
export function cut(x: Tensor, from: readonly number[], shape: Shape): Tensor {
  const to = from.map((n, i) => n + shape[i]!);
  if (x.shape.length !== shape.length || from.some((n, i) => n < 0 || to[i]! > x.shape[i]!)) {
    throw x.graph.mistake(`${show(x.shape)} has no block of ${show(shape)} at ${show(from)}`);
  }
  if (sameShape(x.shape, shape)) return x;
  const g = x.graph;
  const inputs = [x, g.integers(from), g.integers(to), g.integers(shape.map((_, i) => i))];
  const after = x.shape.map((n, i) => n - to[i]!);
  return g.emit('Slice', inputs, shape, { type: x.type, backward: [(d) => padAll(d, from, after)] });
}

/** Rows `indices` (int64 [m]) of `x` along the first axis. Not differentiable. */
export function gatherRows(x: Tensor, indices: Tensor): Tensor {
  const shape = [...indices.shape, ...x.shape.slice(1)];
  return scopeOf(x, indices).emit('Gather', [x, indices], shape, { type: x.type, backward: [undefined, undefined] });
}

/** Row `index` (int64 scalar) of `x`; removes the first axis. Not differentiable. */
export function rowAt(x: Tensor, index: Tensor): Tensor {
  return gatherRows(x, index);
}
