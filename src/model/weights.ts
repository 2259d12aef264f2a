/**
 * Weights as published by a learner, and the checks that they must pass before a robot may act on them: by the link on arrival, by
 * the policy before use. Pure: no inference happens here; the policy's canary follows these checks.
 * An ed25519 signature over the digest is to join the manifest with the security layer.
 */
import { sha256Hex } from './digest.ts';
import { asObject, isCount } from './json.ts';
import { err, ok, type Result } from './result.ts';
import { allFinite } from './units.ts';

/** Provenance and compatibility of a policy, both for weights on the wire and for a policy file. */
export interface PolicyOrigin {
  readonly runId: string;
  /** Increments with every publication of a run, from 1. */
  readonly version: number;
  /** Version from which training continued, or null for the first. */
  readonly parent: number | null;
  /** Online environment steps that its updates had seen, identical for the same seed; 0 before the first update on any. */
  readonly trainingStep: number;
  /** Number of gradient updates. */
  readonly updates: number;
  /** `schemaHash` of the observation and action of the network. */
  readonly schemaHash: string;
  /** ISO 8601, UTC. Informative only: no decision depends on it. */
  readonly createdAt: string;
  /** SHA-256 of the described content, hexadecimal. */
  readonly digest: string;
}

/** Name and shape of one parameter. */
export interface TensorShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Manifest of published weights. `digest` covers all other fields, the graph and the weights. */
export interface WeightsManifest extends PolicyOrigin {
  /** The parameters, in their order in the weights. */
  readonly shapes: readonly TensorShape[];
}

/** One version of a policy. Its arrays belong to the owner: do not write into received weights. */
export interface PolicyWeights {
  readonly manifest: WeightsManifest;
  /** ONNX model with `observation` and every parameter, by name, as inputs. */
  readonly graph: Uint8Array;
  /** All parameters concatenated, row-major. */
  readonly weights: Float32Array;
}

/** Requirements of a robot on new weights. */
export interface WeightsExpectation {
  readonly schemaHash: string;
  /** Run whose weights are accepted; absent: any run. */
  readonly runId?: string | undefined;
  /** Highest version of the run accepted so far, 0 for none: weights must be newer. */
  readonly newestVersion: number;
}

/** Reason for which weights are rejected. */
export interface WeightsDefect {
  readonly reason:
    | 'bad-value'
    | 'wrong-run'
    | 'wrong-schema'
    | 'old-version'
    | 'bad-length'
    | 'bad-digest'
    | 'not-finite';
  /** A clause that follows "the weights are refused:". */
  readonly message: string;
}

/** Completes weights with their digest. Throws `RangeError` if the sizes of shapes and weights differ. */
export function sealWeights(
  fields: Omit<WeightsManifest, 'digest'>,
  graph: Uint8Array,
  weights: Float32Array,
): PolicyWeights {
  const expected = countNumbers(fields.shapes);
  if (expected !== weights.length) throw new RangeError(`the shapes hold ${expected} numbers, got ${weights.length}`);
  return { manifest: { ...fields, digest: weightsDigest(fields, graph, weights) }, graph, weights };
}

/**
 * Checks everything about `candidate` that needs no inference: version, run, schema, shapes, digest, finite values. Returns
 * the first defect; defective weights must not act. About 1 ms per megabyte: not for the tick.
 */
export function verifyWeights(
  candidate: PolicyWeights,
  expected: WeightsExpectation,
): Result<PolicyWeights, WeightsDefect> {
  const { manifest, graph, weights } = candidate;
  const { runId, schemaHash, version, shapes } = manifest;
  if (!isCount(version) || version < 1) return defect('bad-value', 'the version is not a positive integer');
  if (expected.runId !== undefined && runId !== expected.runId) {
    return defect('wrong-run', `they are of run ${runId}, this is run ${expected.runId}`);
  }
  if (schemaHash !== expected.schemaHash) {
    return defect('wrong-schema', `they are for schema ${schemaHash}, this robot and task have ${expected.schemaHash}`);
  }
  if (version <= expected.newestVersion) {
    const taken = `version ${expected.newestVersion} of the same run was already taken`;
    return defect('old-version', `they are version ${version}, ${taken}, and versions only rise`);
  }
  if (!areWellFormed(shapes)) {
    return defect('bad-value', 'a shape in the manifest is not made of positive integers or a name repeats');
  }
  const size = countNumbers(shapes);
  if (size !== weights.length) {
    return defect('bad-length', `the shapes need ${size} numbers and ${weights.length} came`);
  }
  if (weightsDigest(manifest, graph, weights) !== manifest.digest) {
    return defect('bad-digest', 'the digest does not match the content');
  }
  if (!allFinite(weights)) return defect('not-finite', 'a weight is NaN or infinite');
  return ok(candidate);
}

/**
 * SHA-256, 64 hexadecimal digits, over the manifest's fields in a fixed order and both lengths as JSON, then the graph, then
 * the weights as little-endian bytes.
 */
function weightsDigest(fields: Omit<WeightsManifest, 'digest'>, graph: Uint8Array, weights: Float32Array): string {
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
  return sha256Hex(canonical, graph, weights);
}

/** True if the untrusted `fields` form a manifest. Its content is checked by `verifyWeights`. */
export function isWeightsManifest(fields: Record<string, unknown>): boolean {
  return originProblem(fields) === undefined && Array.isArray(fields['shapes']) && fields['shapes'].every(isShape);
}

const TEXTS = ['runId', 'schemaHash', 'createdAt', 'digest'] as const;
const COUNTS = ['version', 'trainingStep', 'updates'] as const;

/** Returns what `fields` lack of a `PolicyOrigin`, as a clause that follows the file's name; `undefined` if nothing. */
export function originProblem(fields: Record<string, unknown>): string | undefined {
  const badText = TEXTS.find((key) => typeof fields[key] !== 'string');
  if (badText !== undefined) return `has no text '${badText}'`;
  const badCount = COUNTS.find((key) => !isCount(fields[key]));
  if (badCount !== undefined) return `has no whole number '${badCount}'`;
  const isParent = fields['parent'] === null || isCount(fields['parent']);
  return isParent ? undefined : "has no whole number or null 'parent'";
}

/** Total number of elements in `shapes`. */
export function countNumbers(shapes: readonly TensorShape[]): number {
  return shapes.reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0);
}

function areWellFormed(shapes: readonly TensorShape[]): boolean {
  const areSizes = shapes.every(({ shape }) => shape.every((size) => Number.isSafeInteger(size) && size > 0));
  const names = new Set(shapes.map(({ name }) => name));
  return areSizes && names.size === shapes.length && Number.isSafeInteger(countNumbers(shapes));
}

function isShape(value: unknown): boolean {
  const { name, shape } = asObject(value) ?? {};
  return typeof name === 'string' && Array.isArray(shape) && shape.every(isCount);
}

function defect(reason: WeightsDefect['reason'], message: string): Result<never, WeightsDefect> {
  return err({ reason, message });
}
