/** Choosing among values: by a mask, by the largest, by an index. All without the runtime's slow scatter operations. */
import { scopeOf, show, type Tensor } from '../engine/graph.ts';
import { mul } from './arithmetic.ts';
import { broadcast, type Operand, reduceSum, reshape, sumTo } from './broadcast.ts';
import { cast, equalMask } from './masks.ts';

/** `a` where `mask` is not 0, `b` elsewhere. The side that is not taken may be infinite or NaN. Broadcasts. */
export function where(mask: Tensor, a: Operand, b: Operand): Tensor {
  const x = typeof a === 'number' ? mask.graph.constant(a) : a;
  const y = typeof b === 'number' ? mask.graph.constant(b) : b;
  const both = broadcast(x.shape, y.shape);
  const shape = both && broadcast(mask.shape, both);
  const g = scopeOf(mask, x, y);
  if (shape === undefined) {
    throw g.mistake(
      `where of the mask ${show(mask.shape)}, ${show(x.shape)} and ${show(y.shape)}: the sizes do not match`,
    );
  }
  return g.emit('Where', [cast(mask, 'bool'), x, y], shape, {
    backward: [undefined, (d) => sumTo(where(mask, d, 0), x.shape), (d) => sumTo(where(mask, 0, d), y.shape)],
  });
}

/** 1 at `indices` (int64 [...], each in [0, count)) and 0 elsewhere: [..., count]. No gradient. */
export function oneHot(indices: Tensor, count: number): Tensor {
  if (indices.type !== 'int64') throw indices.graph.mistake(`indices are int64, these are ${indices.type}`);
  const range = indices.graph.integers(Array.from({ length: count }, (_, i) => i));
  return equalMask(reshape(indices, [...indices.shape, 1]), range);
}

/** 1 at the largest along the last axis (the first of equals) and 0 elsewhere, in the shape of `x`. No gradient. */
export function argmaxOneHot(x: Tensor): Tensor {
  const count = x.shape.at(-1);
  if (count === undefined) throw x.graph.mistake('a scalar has no largest along an axis');
  const attributes = [
    { name: 'axis', kind: 'int', value: x.shape.length - 1 } as const,
    { name: 'keepdims', kind: 'int', value: 0 } as const,
  ];
  return oneHot(x.graph.emit('ArgMax', [x], x.shape.slice(0, -1), { attributes, type: 'int64' }), count);
}

/** The values of `x` [..., n] that `choice` (one-hot, [..., n]) picks: [..., 1]. The gradient goes to the picked ones. */
export function atOneHot(x: Tensor, choice: Tensor): Tensor {
  if (x.shape.at(-1) !== choice.shape.at(-1)) {
    throw x.graph.mistake(`a choice among ${choice.shape.at(-1)} cannot pick from ${show(x.shape)}`);
  }
  return reduceSum(mul(x, choice), [-1]);
}
