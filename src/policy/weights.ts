/**
 * Weights as they arrive from a learner, and the checks that they pass before a robot may act on them. Pure: no
 * inference happens here. What comes after these checks is the canary of `onnx/onnx-policy.ts`.
 */
import { createHash } from 'node:crypto';
import { allFinite, err, ok, ReinError, type Result } from '../core/index.ts';

/** One named parameter. */
export interface TensorShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Where weights come from and what they fit. */
export interface WeightsManifest {
  readonly runId: string;
  /** Rises with every publication of a run, from 1. */
  readonly version: number;
  /** The version that training continued from, or null for the first. */
  readonly parent: number | null;
  /** Environment steps the learner had when it published. */
  readonly trainingStep: number;
  /** Gradient updates done so far. */
  readonly updates: number;
  /** `schemaHash` of the observation and action that the network was made for. */
  readonly schemaHash: string;
  /** `weightsDigest` of all the rest. */
  readonly digest: string;
  /** ISO 8601, UTC. Informative only. */
  readonly createdAt: string;
  /** The parameters, in the order in which they lie in the weights. */
  readonly shapes: readonly TensorShape[];
}

/**
 * A network and its weights. The graph takes `observation` and every parameter by name as inputs. Has the shape of the
 * bundle that the link delivers, so that one can be passed as the other.
 */
export interface PolicyWeights {
  readonly manifest: WeightsManifest;
  /** ONNX model. */
  readonly graph: Uint8Array;
  /** All parameters one after the other, row-major. */
  readonly weights: Float32Array;
}

/** What a robot holds new weights against. */
export interface WeightsExpectation {
  readonly schemaHash: string;
  /** Only weights of this run are taken; absent: of any run. */
  readonly runId?: string | undefined;
  /** The highest version of `manifest.runId` taken so far; 0 for none. */
  readonly newestVersion: number;
}

/**
 * SHA-256, 64 hexadecimal digits, over the manifest's fields in a fixed order and both lengths as JSON, then the graph,
 * then the weights as little-endian bytes. The learner's link computes the same.
 */
export function weightsDigest(
  fields: Omit<WeightsManifest, 'digest'>,
  graph: Uint8Array,
  weights: Float32Array,
): string {
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
  const bytes = new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength);
  return createHash('sha256').update(canonical).update(graph).update(bytes).digest('hex');
}

/** SHA-256 of `bytes`, as 64 hexadecimal digits. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Checks everything about `candidate` that needs no inference: digest, schema, run, version, shapes, finite values. The
 * first check that fails gives the error, one sentence; the weights then must not act. Cheap enough for the node's
 * thread (about 1 ms per megabyte), not for the tick.
 */
export function verifyWeights(candidate: PolicyWeights, expected: WeightsExpectation): Result<PolicyWeights> {
  const reason = rejectionOf(candidate, expected);
  return reason === undefined
    ? ok(candidate)
    : err(
        new ReinError('policy', `Weights version ${candidate.manifest.version} refused: ${reason}.`, {
          remedy: 'The robot goes on with the weights it has; check that learner and robot run the same configuration.',
        }),
      );
}

function rejectionOf({ manifest, graph, weights }: PolicyWeights, expected: WeightsExpectation): string | undefined {
  if (!Number.isSafeInteger(manifest.version) || manifest.version < 1) return 'the version is not a positive integer';
  if (manifest.schemaHash !== expected.schemaHash) {
    return `they are for schema ${manifest.schemaHash}, this robot and task have ${expected.schemaHash}`;
  }
  if (expected.runId !== undefined && manifest.runId !== expected.runId) {
    return `they are of run ${manifest.runId}, this is run ${expected.runId}`;
  }
  if (manifest.version <= expected.newestVersion) {
    return `version ${expected.newestVersion} of the same run was already taken, and versions only rise`;
  }
  const size = totalElements(manifest.shapes);
  if (size === undefined) return 'a shape in the manifest is not made of positive integers or a name repeats';
  if (size !== weights.length) return `the shapes need ${size} numbers and ${weights.length} came`;
  if (weightsDigest(manifest, graph, weights) !== manifest.digest) return 'the digest does not match the content';
  if (!allFinite(weights)) return 'a weight is NaN or infinite';
  return undefined;
}

/** How many numbers `shapes` need, or undefined where a shape is malformed or a name repeats. */
function totalElements(shapes: readonly TensorShape[]): number | undefined {
  const names = new Set<string>();
  let total = 0;
  for (const { name, shape } of shapes) {
    if (names.has(name) || !shape.every((size) => Number.isSafeInteger(size) && size > 0)) return undefined;
    names.add(name);
    total += shape.reduce((n, size) => n * size, 1);
  }
  return Number.isSafeInteger(total) ? total : undefined;
}
