/**
 * Reads the constants of an ONNX model, to find what onnxruntime accepts in silence: a NaN inside the weights, which
 * need not show in the outputs of a trial. Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */
import { allFinite, forEachField } from '../../core/index.ts';

/**
 * Why `model` cannot be a policy network (not protobuf, no graph, a constant that is not finite), in words that follow
 * "because"; undefined where nothing is wrong. Never throws, whatever the bytes.
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

const GRAPH = 7;
const INITIALIZER = 5;
const TENSOR = { floatData: 4, name: 8, rawData: 9, dataType: 2, externalData: 13 } as const;
const FLOAT32 = 1;

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
    // A copy, since the payload may lie at any byte offset; not by slice(), which does not copy a Buffer.
    const floats = new Float32Array(new Uint8Array(payload).buffer, 0, payload.byteLength >> 2);
    if (!allFinite(floats)) return `its constant '${name}' holds a number that is not finite`;
  }
  return undefined;
}
