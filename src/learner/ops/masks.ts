/** Masks: tensors of the graph's floating type that hold 1 where something is so and 0 elsewhere. No gradient. */
import type { Tensor } from '../engine/graph.ts';
import { ELEMENT_TYPES, type ElementType } from '../engine/onnx-proto.ts';
import { align, type Operand } from './broadcast.ts';

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
 * that takes the smallest normal number to 1, in place of two casts. The node exists for float32 alone.
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
