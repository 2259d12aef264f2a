/**
 * Embeds one ONNX model in another, as one file: a placeholder node of the outer model is replaced by the nodes of the inner
 * one. Operates on the protobuf fields, so that nothing of either model is lost.
 */

import { ReinError } from '../model/index.ts';
import { forEachField, ProtoWriter } from '../rows/index.ts';
import { readModelInfo } from './model-info.ts';
import { GRAPH, MODEL, NODE, OPSET, textOf } from './model-value.ts';
import { Renaming } from './renaming.ts';

/** The embedded model. */
export interface InnerModel {
  /** Name of its file, for messages. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Input and output that replace those of the node. All other inputs must be constants. */
  readonly input: string;
  readonly output: string;
}

/** Placeholder operation for a frozen encoder in a policy's graph, until the encoder is embedded. */
export const ENCODER_PLACE = 'FrozenEncoder';

/** Oldest opset that can be converted to a later one; Softmax, Squeeze and others had other semantics before. */
const OLDEST_OPSET = 13;

/**
 * Returns `model` with its single node of the operation `op`, which has one input and one output, replaced by all of `inner`.
 * Throws `ReinError` ('config') if `inner` is too old, and `RangeError` unless there is exactly one such node.
 */
export function inlineModel(model: Uint8Array, op: string, inner: InnerModel): Uint8Array {
  const opset = Math.max(opsetOf(inner), readModelInfo(model)?.opsets.get('') ?? 0);
  const w = new ProtoWriter();
  let nodes = 0;
  forEachField(model, (field, content, value, whole) => {
    if (field === MODEL.ir) w.int(MODEL.ir, Math.max(value, irOf(inner.bytes)));
    else if (field === MODEL.graph) {
      w.message(MODEL.graph, (g) => {
        nodes = writeGraph(g, content!, op, inner);
      });
    } else if (field !== MODEL.opset) w.raw(whole);
    return true;
  });
  if (nodes !== 1) throw new RangeError(`the model has ${nodes} nodes of the operation ${op}, where one is replaced`);
  w.message(MODEL.opset, (o) => o.int(OPSET.version, opset));
  writeRest(w, inner);
  return w.finish().slice();
}

/** Opset of ONNX's own operations; 0 if it uses none. */
function opsetOf({ file, bytes }: InnerModel): number {
  const opset = readModelInfo(bytes)?.opsets.get('');
  if (opset === undefined || opset >= OLDEST_OPSET) return opset ?? 0;
  throw new ReinError(
    'config',
    `${file} is written in opset ${opset}, where ${OLDEST_OPSET} and later fit into one file with the policy.`,
    { remedy: 'Export it with opset 17.' },
  );
}

function irOf(model: Uint8Array): number {
  let version = 0;
  forEachField(model, (field, _, value) => {
    if (field === MODEL.ir) version = value;
    return true;
  });
  return version;
}

/** Copies opsets of other domains, and functions. */
function writeRest(w: ProtoWriter, { bytes }: InnerModel): void {
  for (const [domain, version] of readModelInfo(bytes)?.opsets ?? []) {
    if (domain === '') continue;
    w.message(MODEL.opset, (o) => {
      o.text(OPSET.domain, domain);
      o.int(OPSET.version, version);
    });
  }
  forEachField(bytes, (field, _, __, whole) => {
    if (field === MODEL.function) w.raw(whole);
    return true;
  });
}

/** Copies the outer graph, with the inner one in place of nodes of `op`. Returns the number of nodes replaced. */
function writeGraph(w: ProtoWriter, graph: Uint8Array, op: string, inner: InnerModel): number {
  let nodes = 0;
  forEachField(graph, (field, content, _, whole) => {
    if (field !== GRAPH.node || textOf(content!, NODE.op) !== op) w.raw(whole);
    else {
      nodes++;
      const names = {
        [inner.input]: textOf(content!, NODE.input),
        [inner.output]: textOf(content!, NODE.output),
      };
      writeInner(w, inner, new Renaming(op, names, inner.bytes));
    }
    return true;
  });
  return nodes;
}

/** Writes the inner graph's nodes and constants under their new names; its inputs and outputs become values between nodes. */
function writeInner(w: ProtoWriter, { bytes }: InnerModel, renaming: Renaming): void {
  forEachField(bytes, (field, graph) => {
    if (field !== MODEL.graph) return true;
    return forEachField(graph!, (part, content) => {
      if (part === GRAPH.node) w.message(GRAPH.node, (n) => renaming.node(n, content!));
      if (part === GRAPH.initializer) w.message(GRAPH.initializer, (t) => renaming.tensor(t, content!));
      if (part === GRAPH.sparse) w.message(GRAPH.sparse, (t) => renaming.sparseTensor(t, content!));
      return true;
    });
  });
  renaming.writeAxes(w);
}
