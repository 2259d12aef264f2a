/**
 * Writes ONNX model files: the subset of `onnx.proto` (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto)
 * that the learner emits, in protobuf wire format (https://protobuf.dev/programming-guides/encoding/).
 */

import { ProtoWriter } from '../../rows/index.ts';

/** Element types in use, with their numbers in `TensorProto.DataType`. */
export const ELEMENT_TYPES = { float32: 1, int64: 7, bool: 9, float64: 11 } as const;
export type ElementType = keyof typeof ELEMENT_TYPES;

export type AttributeDef =
  | { readonly name: string; readonly kind: 'int'; readonly value: number }
  | { readonly name: string; readonly kind: 'float'; readonly value: number }
  | { readonly name: string; readonly kind: 'ints'; readonly value: readonly number[] }
  | { readonly name: string; readonly kind: 'graph'; readonly value: GraphDef };

export interface NodeDef {
  readonly op: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly AttributeDef[];
}

/** A constant; `data` holds its elements in little-endian order. */
export interface InitializerDef {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** An input or output. A size of −1 is left open: the session accepts any size. */
export interface ValueDef {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

export interface GraphDef {
  readonly name: string;
  readonly nodes: readonly NodeDef[];
  readonly initializers: readonly InitializerDef[];
  readonly inputs: readonly ValueDef[];
  readonly outputs: readonly ValueDef[];
}

/** IR 8 and operator set 18: reductions take their axes as inputs, and LayerNormalization exists. */
const IR_VERSION = 8;
const OPSET_VERSION = 18;

/** Returns the bytes of a `.onnx` file. `metadata` becomes `metadata_props`. */
export function encodeModel(graph: GraphDef, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
  const w = new ProtoWriter();
  w.int(1, IR_VERSION);
  w.text(2, 'rein');
  w.message(7, (g) => writeGraph(g, graph));
  w.message(8, (o) => o.int(2, OPSET_VERSION));
  for (const [key, value] of Object.entries(metadata)) {
    w.message(14, (m) => {
      m.text(1, key);
      m.text(2, value);
    });
  }
  return w.finish();
}

function writeGraph(w: ProtoWriter, graph: GraphDef): void {
  for (const node of graph.nodes) w.message(1, (n) => writeNode(n, node));
  w.text(2, graph.name);
  for (const tensor of graph.initializers) w.message(5, (t) => writeTensor(t, tensor));
  for (const value of graph.inputs) w.message(11, (v) => writeValue(v, value));
  for (const value of graph.outputs) w.message(12, (v) => writeValue(v, value));
}

function writeNode(w: ProtoWriter, node: NodeDef): void {
  for (const name of node.inputs) w.text(1, name);
  for (const name of node.outputs) w.text(2, name);
  w.text(3, node.name);
  w.text(4, node.op);
  for (const attribute of node.attributes) w.message(5, (a) => writeAttribute(a, attribute));
}

function writeAttribute(w: ProtoWriter, attribute: AttributeDef): void {
  w.text(1, attribute.name);
  switch (attribute.kind) {
    case 'float':
      w.float(2, attribute.value);
      w.int(20, 1);
      return;
    case 'int':
      w.int(3, attribute.value);
      w.int(20, 2);
      return;
    case 'graph':
      w.message(6, (g) => writeGraph(g, attribute.value));
      w.int(20, 5);
      return;
    case 'ints':
      for (const value of attribute.value) w.int(8, value);
      w.int(20, 7);
  }
}

function writeTensor(w: ProtoWriter, tensor: InitializerDef): void {
  for (const size of tensor.shape) w.int(1, size);
  w.int(2, ELEMENT_TYPES[tensor.type]);
  w.text(8, tensor.name);
  w.bytes(9, tensor.data);
}

function writeValue(w: ProtoWriter, value: ValueDef): void {
  w.text(1, value.name);
  w.message(2, (type) => {
    type.message(1, (tensor) => {
      tensor.int(1, ELEMENT_TYPES[value.type]);
      tensor.message(2, (shape) => {
        for (const size of value.shape) {
          shape.message(1, (dim) => {
            if (size >= 0) dim.int(1, size);
          });
        }
      });
    });
  });
}
