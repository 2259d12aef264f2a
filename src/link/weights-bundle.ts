/**
 * Weights as they travel from learner to robot: a manifest, the ONNX graph that takes them as inputs, and the
 * numbers. Checked before use; what fails a check is never loaded. An ed25519 signature over the digest is to join
 * the manifest with the security layer.
 */
import { createHash } from 'node:crypto';
import { allFinite, ok, type Result } from '../core/index.ts';
import { fault, type LinkFault } from './fault.ts';
import { HEADER_BYTES, MAX_MESSAGE_BYTES } from './wire.ts';

/** Name and shape of one tensor in the flat weights, in their order. */
export interface WeightsShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Where weights come from and what they are for. */
export interface WeightsManifest {
  readonly runId: string;
  /** Rises by one per publication of a run, from 1. */
  readonly version: number;
  /** The version these were trained on from, or null for the first. */
  readonly parent: number | null;
  /** Environment steps the learner had accepted. */
  readonly trainingStep: number;
  /** Gradient updates done. */
  readonly updates: number;
  readonly schemaHash: string;
  /** ISO 8601. Informative only: nothing is decided on it. */
  readonly createdAt: string;
  readonly shapes: readonly WeightsShape[];
  /** SHA-256 in hexadecimal over the manifest without this field, the graph and the weights. */
  readonly digest: string;
}

/** One version of a policy. The arrays are the owner's: do not write into a received bundle. */
export interface WeightsBundle {
  readonly manifest: WeightsManifest;
  /** Serialised ONNX model whose inputs include the tensors named in `shapes`. */
  readonly graph: Uint8Array;
  /** All tensors one after another, row-major, in the order of `shapes`. */
  readonly weights: Float32Array;
}

/** What the receiver holds a bundle against. */
export interface WeightsExpectation {
  readonly runId: string;
  readonly schemaHash: string;
  /** The version in use, 0 for none: a bundle must be newer. */
  readonly currentVersion: number;
}

const PREFIX_BYTES = 16;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Completes a bundle with its digest. Throws `RangeError` when shapes and weights do not match in size. */
export function sealBundle(
  fields: Omit<WeightsManifest, 'digest'>,
  graph: Uint8Array,
  weights: Float32Array,
): WeightsBundle {
  const expected = countNumbers(fields.shapes);
  if (expected !== weights.length) throw new RangeError(`the shapes hold ${expected} numbers, got ${weights.length}`);
  return { manifest: { ...fields, digest: digestOf(fields, graph, weights) }, graph, weights };
}

/** A bundle as a frame's payload. Throws `RangeError` when it would not fit into a message. */
export function encodeBundle(bundle: WeightsBundle): Uint8Array {
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

/** Reads a bundle's structure; `verifyBundle` decides whether it may be used. Never throws; copies the arrays. */
export function decodeBundle(bytes: Uint8Array): Result<WeightsBundle, LinkFault> {
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
  const manifest = parseManifest(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + manifestLength));
  if (manifest === undefined) return fault('bad-message', 'the manifest of a weights bundle cannot be read');
  if (countNumbers(manifest.shapes) !== weightsLength) {
    return fault('bad-length', 'the shapes in a weights manifest do not match the weights');
  }
  const weights = new Float32Array(weightsLength);
  bytesOf(weights).set(bytes.subarray(weightsAt));
  return ok({ manifest, graph: new Uint8Array(bytes.subarray(graphAt, graphAt + graphLength)), weights });
}

/**
 * The checks before any use: run, schema, a version that rises, digest, every weight finite. The canary run on known
 * observations belongs to whoever loads it.
 */
export function verifyBundle(bundle: WeightsBundle, expected: WeightsExpectation): Result<WeightsBundle, LinkFault> {
  const { manifest, graph, weights } = bundle;
  if (manifest.runId !== expected.runId) {
    return fault('wrong-run', `the weights belong to run ${manifest.runId}, not ${expected.runId}`);
  }
  if (manifest.schemaHash !== expected.schemaHash) {
    return fault('wrong-schema', `the weights are for schema ${manifest.schemaHash}, not ${expected.schemaHash}`);
  }
  if (manifest.version <= expected.currentVersion) {
    return fault('old-version', `weights version ${manifest.version} is not newer than ${expected.currentVersion}`);
  }
  const { digest, ...fields } = manifest;
  if (digestOf(fields, graph, weights) !== digest) return fault('bad-digest', 'the digest of the weights differs');
  if (!allFinite(weights)) return fault('not-finite', 'the weights contain a number that is not finite');
  return ok(bundle);
}

/** SHA-256 over the manifest's fields in a fixed order, then graph and weights, each preceded by its length. */
function digestOf(fields: Omit<WeightsManifest, 'digest'>, graph: Uint8Array, weights: Float32Array): string {
  const canonical = JSON.stringify([
    fields.runId,
    fields.version,
    fields.parent,
    fields.trainingStep,
    fields.updates,
    fields.schemaHash,
    fields.createdAt,
    fields.shapes.map((s) => [s.name, s.shape]),
    graph.length,
    weights.length,
  ]);
  return createHash('sha256').update(canonical).update(graph).update(bytesOf(weights)).digest('hex');
}

function parseManifest(bytes: Uint8Array): WeightsManifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined; // the caller turns it into a fault with a sentence
  }
  return isManifest(value) ? value : undefined;
}

function isManifest(value: unknown): value is WeightsManifest {
  if (typeof value !== 'object' || value === null) return false;
  const m = value as Record<string, unknown>;
  const texts = ['runId', 'schemaHash', 'createdAt', 'digest'].every((key) => typeof m[key] === 'string');
  const counts = ['version', 'trainingStep', 'updates'].every((key) => isCount(m[key]));
  const parent = m['parent'] === null || isCount(m['parent']);
  return texts && counts && parent && Array.isArray(m['shapes']) && m['shapes'].every(isShape);
}

function isShape(value: unknown): value is WeightsShape {
  if (typeof value !== 'object' || value === null) return false;
  const { name, shape } = value as Record<string, unknown>;
  return typeof name === 'string' && Array.isArray(shape) && shape.every(isCount);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function countNumbers(shapes: readonly WeightsShape[]): number {
  return shapes.reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0);
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
