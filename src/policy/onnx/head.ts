/**
 * Which head a policy network has, read from the ONNX model itself:
 *
 * - `gaussian`: `observation` [1, O] → `mean`, `log_std` [1, A], before tanh. Its noise is drawn outside. Exported files give
 *   `action` = tanh(mean) too, for others.
 * - `action`: `observation` [1, O] and, where it takes one, `noise` [1, Z] from N(0, 1) → `action` [1, A] in [−1, 1].
 *
 * Exported files of either head also give `command` [1, A], the action in physical units, which nobody here reads.
 * The model's metadata may say `noise: always`: then noise is drawn when evaluating too. Field numbers:
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */

import { forEachField } from '../../core/index.ts';
import type { PolicyHead } from '../policy.ts';

const MODEL = { graph: 7, metadata: 14 } as const;
const GRAPH = { input: 11, output: 12 } as const;

/** The head of `model` for actions of `actionSize` numbers, or why there is none, in words that follow "because". */
export function headOf(model: Uint8Array, actionSize: number): PolicyHead | string {
  const { inputs, outputs, metadata } = readInterface(model);
  const noise = metadata.get('noise') ?? 'exploring';
  if (noise !== 'exploring' && noise !== 'always') {
    return `its metadata says noise: ${noise}, which is neither exploring nor always`;
  }
  const isGaussian = outputs.has('mean') && outputs.has('log_std');
  if (!isGaussian && !outputs.has('action')) {
    const given = [...outputs.keys()].map((name) => `'${name}'`).join(', ') || 'nothing';
    return `it gives ${given} where either 'action' or 'mean' and 'log_std' are needed`;
  }
  if (isGaussian) return { kind: 'gaussian', noiseSize: actionSize, noise };
  const shape = inputs.get('noise');
  if (shape === undefined) return { kind: 'action', noiseSize: 0, noise };
  const [batch, noiseSize] = shape;
  if (shape.length !== 2 || batch !== 1 || noiseSize === undefined || noiseSize < 1) {
    return `its 'noise' has the shape [${shape.join(', ')}] where [1, Z] is needed, with a number for Z`;
  }
  return { kind: 'action', noiseSize, noise };
}

/** What `model` says of itself, text by name; empty where it is no model. */
export function metadataOf(model: Uint8Array): ReadonlyMap<string, string> {
  return readInterface(model).metadata;
}

interface Interface {
  /** Shapes by name; 0 for a size that the model leaves open. */
  readonly inputs: Map<string, number[]>;
  readonly outputs: Map<string, number[]>;
  readonly metadata: Map<string, string>;
}

function readInterface(model: Uint8Array): Interface {
  const found: Interface = { inputs: new Map(), outputs: new Map(), metadata: new Map() };
  forEachField(model, (field, content) => {
    if (content === undefined) return true;
    if (field === MODEL.metadata) found.metadata.set(textOf(content, 1), textOf(content, 2));
    if (field !== MODEL.graph) return true;
    return forEachField(content, (inner, value) => {
      if (value === undefined) return true;
      if (inner === GRAPH.input) found.inputs.set(textOf(value, 1), shapeOf(value));
      if (inner === GRAPH.output) found.outputs.set(textOf(value, 1), shapeOf(value));
      return true;
    });
  });
  return found;
}

/** ValueInfoProto.type.tensor_type.shape.dim: one number each, 0 where it is not a number. */
function shapeOf(valueInfo: Uint8Array): number[] {
  const shape = child(child(child(valueInfo, 2), 1), 2);
  const sizes: number[] = [];
  forEachField(shape, (field, dimension) => {
    let size = 0;
    if (field !== 1 || dimension === undefined) return true;
    const isWhole = forEachField(dimension, (inner, _content, value) => {
      if (inner === 1) size = value;
      return true;
    });
    sizes.push(size);
    return isWhole;
  });
  return sizes;
}

function child(message: Uint8Array, wanted: number): Uint8Array {
  let found = new Uint8Array(0);
  forEachField(message, (field, content) => {
    if (field === wanted && content !== undefined) found = new Uint8Array(content);
    return true;
  });
  return found;
}

function textOf(message: Uint8Array, wanted: number): string {
  return new TextDecoder().decode(child(message, wanted));
}
