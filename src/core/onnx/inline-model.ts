/**
 * One ONNX model inside another, as one file: a node of the outer model stands for the whole inner one and is replaced by its
 * nodes. Done on the protobuf fields, so that nothing of either model is lost.
 */
import { forEachField, ProtoWriter } from '../protobuf.ts';
import { ReinError } from '../result.ts';
import { readModelInfo } from './model-info.ts';
import { GRAPH, MODEL, NODE, OPSET, textOf } from './model-value.ts';
import { Renaming } from './renaming.ts';

/** The model that goes inside. */
export interface InnerModel {
  /** Name of its file, for people. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Its input and output that take the place of the node's. Other inputs than constants it must not have. */
  readonly input: string;
  readonly output: string;
}

/** The operation that stands for a frozen encoder in a policy's graph, until the encoder is put in its place. */
export const ENCODER_PLACE = 'FrozenEncoder';

/** Models of these opsets and later can be brought to a later one; before, Softmax, Squeeze and others meant something else. */
const OLDEST_OPSET = 13;

/**
 * `model` with its one node of the operation `op`, which has one input and one output, replaced by all of `inner`. Throws
 * `ReinError` ('config') where `inner` is too old, and `RangeError` where there is not one such node.
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

/** The opset of ONNX's own operations; 0 where it uses none. */
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

/** Opsets of other domains, and functions. */
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

/** Copies the outer graph, with the inner one in place of nodes of `op`. Gives how many there were. */
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

/** Nodes and constants of the inner graph under their new names; its inputs and outputs are nodes' values now. */
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
