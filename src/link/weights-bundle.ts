/** Weights as the bytes that travel from learner to robot: lengths, manifest, graph, numbers. */
import {
  countNumbers,
  isWeightsManifest,
  ok,
  type PolicyWeights,
  parseObject,
  type Result,
  type WeightsManifest,
} from '../core/index.ts';
import { fault, type LinkFault } from './fault.ts';
import { HEADER_BYTES, MAX_MESSAGE_BYTES } from './wire.ts';

const PREFIX_BYTES = 16;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** A bundle as a frame's payload. Throws `RangeError` when it would not fit into a message. */
export function encodeBundle(bundle: PolicyWeights): Uint8Array {
  const manifest = Buffer.from(JSON.stringify(bundle.manifest), 'utf8');
  const graphAt = PREFIX_BYTES + padded(manifest.length);
  const weightsAt = graphAt + padded(bundle.graph.length);
  const total = weightsAt + bundle.weights.byteLength;
  if (total + HEADER_BYTES > MAX_MESSAGE_BYTES) throw new RangeError(`a weights bundle of ${total} bytes is too large`);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, manifest.length, true);
  view.setUint32(4, bundle.graph.length, true);
  view.setUint32(8, bundle.weights.length, true);
  bytes.set(manifest, PREFIX_BYTES);
  bytes.set(bundle.graph, graphAt);
  bytes.set(bytesOf(bundle.weights), weightsAt);
  return bytes;
}

/** Reads a bundle's structure; `verifyWeights` decides whether it may be used. Never throws; copies the arrays. */
export function decodeBundle(bytes: Uint8Array): Result<PolicyWeights, LinkFault> {
  if (bytes.length < PREFIX_BYTES) return fault('too-short', 'a weights bundle is shorter than its prefix');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const manifestLength = view.getUint32(0, true);
  const graphLength = view.getUint32(4, true);
  const weightsLength = view.getUint32(8, true);
  const graphAt = PREFIX_BYTES + padded(manifestLength);
  const weightsAt = graphAt + padded(graphLength);
  if (manifestLength > MAX_MANIFEST_BYTES || weightsAt + 4 * weightsLength !== bytes.length) {
    return fault('bad-length', 'the lengths in a weights bundle do not add up');
  }
  const fields = parseObject(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + manifestLength));
  if (fields === undefined || !isWeightsManifest(fields)) {
    return fault('bad-message', 'the manifest of a weights bundle cannot be read');
  }
  const manifest = fields as unknown as WeightsManifest;
  if (countNumbers(manifest.shapes) !== weightsLength) {
    return fault('bad-length', 'the shapes in a weights manifest do not match the weights');
  }
  const weights = new Float32Array(weightsLength);
  bytesOf(weights).set(bytes.subarray(weightsAt));
  return ok({ manifest, graph: new Uint8Array(bytes.subarray(graphAt, graphAt + graphLength)), weights });
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
