/**
 * Parts of an ONNX file shared by all its readers and writers: field numbers
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), texts, and one input or output with its name, element type and shape.
 */
import { forEachField } from '../rows/index.ts';

export const MODEL = {
  ir: 1,
  producer: 2,
  producerVersion: 3,
  graph: 7,
  opset: 8,
  metadata: 14,
  function: 25,
} as const;
export const OPSET = { domain: 1, version: 2 } as const;
export const GRAPH = {
  node: 1,
  initializer: 5,
  input: 11,
  output: 12,
  valueInfo: 13,
  annotation: 14,
  sparse: 15,
} as const;
export const NODE = { input: 1, output: 2, name: 3, op: 4, attribute: 5, domain: 7 } as const;
export const ATTRIBUTE = { name: 1, int: 3, tensor: 5, graph: 6, ints: 8, graphs: 11, type: 20 } as const;
export const TENSOR = { dims: 1, type: 2, name: 8, raw: 9, external: 13, location: 14 } as const;
export const ENTRY = { key: 1, value: 2 } as const;

/** A dimension: a number, the name of a dynamic size, or `undefined` if not stated. */
export type Dimension = number | string | undefined;

export interface ModelValue {
  readonly name: string;
  /** `float32`, `int64`, …; `something else` if it is no tensor. */
  readonly type: string;
  /** `undefined` if the rank is unknown. */
  readonly shape: readonly Dimension[] | undefined;
}

const VALUE = { name: 1, type: 2 } as const;
const TENSOR_TYPE = 1;
const TENSOR_TYPE_FIELDS = { elementType: 1, shape: 2 } as const;
const DIMENSION = { field: 1, value: 1, name: 2 } as const;

/** Codes of `TensorProto.DataType`. */
const TYPES: Readonly<Record<number, string>> = {
  1: 'float32',
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  6: 'int32',
  7: 'int64',
  8: 'string',
  9: 'bool',
  10: 'float16',
  11: 'float64',
  16: 'bfloat16',
};

/** Reads a `ValueInfoProto`; `undefined` if the bytes are truncated. */
export function readValue(bytes: Uint8Array): ModelValue | undefined {
  let name = '';
  let type = 'something else';
  let shape: Dimension[] | undefined;
  const readShape = (content: Uint8Array): boolean =>
    forEachField(content, (field, dimension) => {
      if (field !== DIMENSION.field || dimension === undefined) return true;
      return readDimension(dimension, (size) => shape?.push(size));
    });
  const readTensorType = (content: Uint8Array): boolean =>
    forEachField(content, (field, inner, value) => {
      if (field === TENSOR_TYPE_FIELDS.elementType) type = TYPES[value] ?? `type ${value}`;
      if (field !== TENSOR_TYPE_FIELDS.shape || inner === undefined) return true;
      shape = [];
      return readShape(inner);
    });
  const isWhole = forEachField(bytes, (field, content) => {
    if (field === VALUE.name && content !== undefined) name = plainText(content);
    if (field !== VALUE.type || content === undefined) return true;
    return forEachField(content, (kind, inner) =>
      kind === TENSOR_TYPE && inner !== undefined ? readTensorType(inner) : true,
    );
  });
  return isWhole ? { name, type, shape } : undefined;
}

/** Formats a shape: `[batch,3,128,128]`, `?` for an unknown size. */
export function showDimensions(shape: readonly Dimension[] | undefined): string {
  return shape === undefined ? '[…]' : `[${shape.map((size) => size ?? '?').join(',')}]`;
}

/** Text of the field `wanted` of `message`, the last if there are several; empty if absent. */
export function textOf(message: Uint8Array, wanted: number): string {
  let text = '';
  forEachField(message, (field, content) => {
    if (field === wanted && content !== undefined) text = plainText(content);
    return true;
  });
  return text;
}

export function plainText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function readDimension(bytes: Uint8Array, take: (size: Dimension) => void): boolean {
  let size: Dimension;
  const isWhole = forEachField(bytes, (field, content, value) => {
    // A negative size, which some exporters write for a dynamic one, decodes to a number above 2^53.
    if (field === DIMENSION.value && content === undefined && Number.isSafeInteger(value)) size = value;
    if (field === DIMENSION.name && content !== undefined) size = plainText(content);
    return true;
  });
  take(size);
  return isWhole;
}
