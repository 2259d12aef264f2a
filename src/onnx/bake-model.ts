/** Turns inputs of an ONNX model into constants. */
import { forEachField, ProtoWriter } from '../rows/index.ts';
import { ENTRY, GRAPH, MODEL, readValue, TENSOR } from './model-value.ts';

/** A float32 tensor; `data` row-major. */
export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const FLOAT32 = 1;

/** Returns `model` with `tensors` as constants in place of the inputs of the same names, and `metadata` added. */
export function bakeModel(
  model: Uint8Array,
  tensors: readonly NamedTensor[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const w = new ProtoWriter();
  forEachField(model, (field, content, _, whole) => {
    if (field === MODEL.graph) w.message(MODEL.graph, (g) => writeGraph(g, content!, tensors));
    else w.raw(whole);
    return true;
  });
  for (const [key, value] of Object.entries(metadata)) {
    w.message(MODEL.metadata, (m) => {
      m.text(ENTRY.key, key);
      m.text(ENTRY.value, value);
    });
  }
  return w.finish().slice();
}

function writeGraph(w: ProtoWriter, graph: Uint8Array, tensors: readonly NamedTensor[]): void {
  const names = new Set(tensors.map(({ name }) => name));
  forEachField(graph, (field, content, _, whole) => {
    if (field !== GRAPH.input || !names.has(readValue(content!)?.name ?? '')) w.raw(whole);
    return true;
  });
  for (const { name, shape, data } of tensors) {
    w.message(GRAPH.initializer, (t) => {
      for (const size of shape) t.int(TENSOR.dims, size);
      t.int(TENSOR.type, FLOAT32);
      t.text(TENSOR.name, name);
      t.bytes(TENSOR.raw, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    });
  }
}
