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
  /** The version that training continued from; 0 for none. */
  readonly parent: number;
  /** Environment steps the learner had when it published. */
  readonly trainingStep: number;
  /** Gradient updates done so far. */
  readonly updates: number;
  /** `schemaHash` of the observation and action that the network was made for. */
  readonly schemaHash: string;
  /** `weightsDigest(graph, data)`. */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** The parameters, in the order in which they lie in the data. */
  readonly shapes: readonly TensorShape[];
}

/** A network and its weights. The graph takes `observation` and every parameter by name as inputs. */
export interface PolicyWeights {
  readonly manifest: WeightsManifest;
  /** ONNX model. */
  readonly graph: Uint8Array;
  /** All parameters one after the other, row-major. */
  readonly data: Float32Array;
}

/** What a robot holds new weights against. */
export interface WeightsExpectation {
  readonly schemaHash: string;
  /** Only weights of this run are taken; absent: of any run. */
  readonly runId?: string | undefined;
  /** The highest version of `manifest.runId` taken so far; 0 for none. */
  readonly newestVersion: number;
}

/** SHA-256 of the graph's bytes followed by the data's little-endian bytes, as 64 hexadecimal digits. */
export function weightsDigest(graph: Uint8Array, data: Float32Array): string {
  const dataBytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return createHash('sha256').update(graph).update(dataBytes).digest('hex');
}

/** SHA-256 of `bytes`, as 64 hexadecimal digits. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Checks everything about `weights` that needs no inference: digest, schema, run, version, shapes, finite values. The
 * first check that fails gives the error, one sentence; the weights then must not act. Cheap enough for the node's
 * thread (about 1 ms per megabyte), not for the tick.
 */
export function verifyWeights(weights: PolicyWeights, expected: WeightsExpectation): Result<PolicyWeights> {
  const reason = rejectionOf(weights, expected);
  return reason === undefined
    ? ok(weights)
    : err(
        new ReinError('policy', `Weights version ${weights.manifest.version} refused: ${reason}.`, {
          remedy: 'The robot goes on with the weights it has; check that learner and robot run the same configuration.',
        }),
      );
}

function rejectionOf({ manifest, graph, data }: PolicyWeights, expected: WeightsExpectation): string | undefined {
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
  if (size !== data.length) return `the shapes need ${size} numbers and ${data.length} came`;
  if (weightsDigest(graph, data) !== manifest.digest) return 'the digest does not match the content';
  if (!allFinite(data)) return 'a weight is NaN or infinite';
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
