/**
 * Detects the head of a policy network from the ONNX model itself:
 *
 * - `gaussian`: `observation` [1, O] → `mean`, `log_std` [1, A], before tanh. Its noise is drawn outside the graph. Exported
 *   files also give `action` = tanh(mean), for third-party runtimes.
 * - `action`: `observation` [1, O] and optionally `noise` [1, Z] from N(0, 1) → `action` [1, A] in [−1, 1].
 *
 * Exported files of either head also give `command` [1, A], the action in physical units, which Rein itself does not read.
 * The model's metadata may contain `noise: always`: noise is then drawn when evaluating too. Field numbers:
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */
import { allFinite } from '../../model/index.ts';
import { readModelInfo, showDimensions } from '../../onnx/index.ts';
import { forEachField } from '../../rows/index.ts';
import type { PolicyHead } from '../policy.ts';

/** Returns the head of `model` for actions of `actionSize` numbers, or the reason for its absence, in words that follow "because". */
export function headOf(model: Uint8Array, actionSize: number): PolicyHead | string {
  const info = readModelInfo(model);
  if (info === undefined) return 'it is not a whole ONNX model';
  const noise = info.metadata.get('noise') ?? 'exploring';
  if (noise !== 'exploring' && noise !== 'always') {
    return `its metadata says noise: ${noise}, which is neither exploring nor always`;
  }
  const outputs = info.outputs.map(({ name }) => name);
  const isGaussian = outputs.includes('mean') && outputs.includes('log_std');
  if (!isGaussian && !outputs.includes('action')) {
    const given = outputs.map((name) => `'${name}'`).join(', ') || 'nothing';
    return `it gives ${given} where either 'action' or 'mean' and 'log_std' are needed`;
  }
  if (isGaussian) return { kind: 'gaussian', noiseSize: actionSize, noise };
  const drawn = info.inputs.find(({ name }) => name === 'noise');
  if (drawn === undefined) return { kind: 'action', noiseSize: 0, noise };
  const [batch, noiseSize] = drawn.shape ?? [];
  if (drawn.shape?.length !== 2 || batch !== 1 || typeof noiseSize !== 'number' || noiseSize < 1) {
    return `its 'noise' has the shape ${showDimensions(drawn.shape)} where [1, Z] is needed, with a number for Z`;
  }
  return { kind: 'action', noiseSize, noise };
}

/** True if the policy network `model` needs noise for every decision. */
export function hasNoiseAlways(model: Uint8Array, actionSize: number): boolean {
  const head = headOf(model, actionSize);
  return typeof head !== 'string' && head.noise === 'always';
}

/** Metadata of `model`, text by name; empty if it is no ONNX model. */
export function metadataOf(model: Uint8Array): ReadonlyMap<string, string> {
  return readModelInfo(model)?.metadata ?? new Map();
}

const GRAPH = 7;
const INITIALIZER = 5;
const TENSOR = { floatData: 4, name: 8, rawData: 9, dataType: 2, externalData: 13 } as const;
const FLOAT32 = 1;

/**
 * Returns the reason why `model` cannot be a policy network (not protobuf, no graph, a constant that is not finite), in words
 * that follow "because"; undefined if there is none. onnxruntime silently accepts NaN in the weights, and it need not show in
 * the outputs of a trial. Never throws, whatever the bytes.
 */
export function findBadConstant(model: Uint8Array): string | undefined {
  let graphs = 0;
  let bad: string | undefined;
  const isWhole = forEachField(model, (field, content) => {
    if (field !== GRAPH || content === undefined) return true;
    graphs++;
    return forEachField(content, (inner, tensor) => {
      if (inner === INITIALIZER && tensor !== undefined) {
        const reason = badTensor(tensor);
        bad ??= reason;
      }
      return true;
    });
  });
  if (!isWhole || graphs !== 1) return 'it is not a whole ONNX model';
  return bad;
}

function badTensor(tensor: Uint8Array): string | undefined {
  let name = '';
  let dataType = 0;
  let isExternal = false;
  const payloads: Uint8Array[] = [];
  const isWhole = forEachField(tensor, (field, content, value) => {
    if (field === TENSOR.dataType) dataType = value;
    if (field === TENSOR.externalData) isExternal = true;
    if (field === TENSOR.name && content !== undefined) name = new TextDecoder().decode(content);
    if ((field === TENSOR.rawData || field === TENSOR.floatData) && content !== undefined) payloads.push(content);
    return true;
  });
  if (!isWhole) return 'it is not a whole ONNX model';
  if (isExternal) return `its constant '${name}' points to another file`;
  if (dataType !== FLOAT32) return undefined;
  for (const payload of payloads) {
    // Copied, since the payload may lie at any byte offset; not by slice(), which does not copy a Buffer.
    const floats = new Float32Array(new Uint8Array(payload).buffer, 0, payload.byteLength >> 2);
    if (!allFinite(floats)) return `its constant '${name}' holds a number that is not finite`;
  }
  return undefined;
}
