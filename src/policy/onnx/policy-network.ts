/**
 * One onnxruntime session with the buffers it needs. The only file here that imports onnxruntime.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { allFinite, err, ok, ReinError, type Result } from '../../core/index.ts';
import type { PolicyOutput } from '../policy.ts';
import type { TensorShape } from '../weights.ts';
import { findBadConstant } from './onnx-constants.ts';

/** All inputs but the observation, by name. Never changed once made. */
export type WeightTensors = Readonly<Record<string, Tensor>>;

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  // More threads than one make a small network slower and its worst case 100 times worse.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 4,
};

/**
 * Opens `graph`, which must take `observation` [1,O] and give `mean` [1,A] and `log_std` [1,A], all float32. Throws
 * `ReinError` where it is not such a network or holds a constant that is not finite.
 */
export async function openNetwork(
  graph: Uint8Array,
  graphDigest: string,
  observationSize: number,
  actionSize: number,
): Promise<PolicyNetwork> {
  const bad = findBadConstant(graph);
  if (bad !== undefined) throw unusable(bad);
  let session: InferenceSession;
  try {
    session = await InferenceSession.create(graph, SESSION_OPTIONS);
  } catch (error) {
    throw unusable('onnxruntime cannot read it', error);
  }
  const reason =
    shapeProblem(session.inputMetadata, 'observation', [1, observationSize]) ??
    shapeProblem(session.outputMetadata, 'mean', [1, actionSize]) ??
    shapeProblem(session.outputMetadata, 'log_std', [1, actionSize]);
  if (reason !== undefined) {
    await session.release();
    throw unusable(reason);
  }
  return new PolicyNetwork(session, graphDigest, observationSize, actionSize);
}

/** A session; weights are bound to it and given to every run. */
export class PolicyNetwork {
  readonly graphDigest: string;
  readonly #session: InferenceSession;
  readonly #main: Buffers;
  readonly #trial: Buffers;
  #pending = 0;
  #isClosing = false;
  #isReleased = false;

  constructor(session: InferenceSession, graphDigest: string, observationSize: number, actionSize: number) {
    this.#session = session;
    this.graphDigest = graphDigest;
    this.#main = new Buffers(observationSize, actionSize);
    this.#trial = new Buffers(observationSize, actionSize);
  }

  /**
   * Makes the tensors for one set of weights from a copy of `data`; an error where names or shapes are not exactly the
   * graph's inputs.
   */
  bind(shapes: readonly TensorShape[], data: Float32Array): Result<WeightTensors> {
    const copy = data.slice();
    const tensors: Record<string, Tensor> = Object.create(null);
    let offset = 0;
    for (const { name, shape } of shapes) {
      const reason = shapeProblem(this.#session.inputMetadata, name, shape);
      if (reason !== undefined) return err(unusable(reason));
      const size = shape.reduce((n, length) => n * length, 1);
      tensors[name] = new Tensor('float32', copy.subarray(offset, offset + size), [...shape]);
      offset += size;
    }
    const missing = this.#session.inputNames.find((name) => name !== 'observation' && tensors[name] === undefined);
    return missing === undefined ? ok(tensors) : err(unusable(`the weight '${missing}' is missing`));
  }

  /** One inference into `out`. Rejects with `ReinError` where something is not finite. One at a time. */
  async run(weights: WeightTensors, observation: Float32Array, out: PolicyOutput): Promise<void> {
    if (!allFinite(observation)) throw new ReinError('policy', 'The observation holds a number that is not finite.');
    await this.#runOn(this.#main, weights, observation, out);
    if (!allFinite(out.mean) || !allFinite(out.logStd)) {
      throw new ReinError('policy', 'The policy gave an action that is not finite.', {
        remedy: 'Its weights or its observation are out of range: go back to earlier weights.',
      });
    }
  }

  /** Inferences on other buffers than `run`, finite or not, so that a trial never disturbs the policy that acts. */
  async runMany(weights: WeightTensors, observations: readonly Float32Array[]): Promise<PolicyOutput[]> {
    const outputs: PolicyOutput[] = [];
    for (const observation of observations) {
      const out = this.#trial.createOutput();
      await this.#runOn(this.#trial, weights, observation, out);
      outputs.push(out);
    }
    return outputs;
  }

  /** Frees the session as soon as no run is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#releaseIfIdle();
  }

  async #runOn(buffers: Buffers, weights: WeightTensors, observation: Float32Array, out: PolicyOutput): Promise<void> {
    this.#pending++;
    try {
      await this.#session.run(buffers.feedsFor(weights, observation), buffers.fetches);
      buffers.copyTo(out);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw unusable('onnxruntime could not run it', error);
    } finally {
      this.#pending--;
      if (this.#isClosing) await this.#releaseIfIdle();
    }
  }

  async #releaseIfIdle(): Promise<void> {
    if (this.#pending > 0 || this.#isReleased) return;
    this.#isReleased = true;
    await this.#session.release();
  }
}

/** Input and output memory that onnxruntime reads and writes in place, so that a run leaves little garbage. */
class Buffers {
  readonly fetches: Record<string, Tensor>;
  readonly #observation: Float32Array;
  readonly #observationTensor: Tensor;
  readonly #mean: Float32Array;
  readonly #logStd: Float32Array;
  #boundWeights: WeightTensors | undefined;
  #feeds: Record<string, Tensor> = {};

  constructor(observationSize: number, actionSize: number) {
    this.#observation = new Float32Array(observationSize);
    this.#mean = new Float32Array(actionSize);
    this.#logStd = new Float32Array(actionSize);
    this.#observationTensor = new Tensor('float32', this.#observation, [1, observationSize]);
    this.fetches = {
      mean: new Tensor('float32', this.#mean, [1, actionSize]),
      log_std: new Tensor('float32', this.#logStd, [1, actionSize]),
    };
  }

  /** The inputs for one run. A new object per set of weights: one that a run already holds is never changed. */
  feedsFor(weights: WeightTensors, observation: Float32Array): Record<string, Tensor> {
    if (observation.length !== this.#observation.length) {
      throw new RangeError(`an observation has ${this.#observation.length} numbers, got ${observation.length}`);
    }
    this.#observation.set(observation);
    if (this.#boundWeights !== weights) {
      this.#feeds = { ...weights, observation: this.#observationTensor };
      this.#boundWeights = weights;
    }
    return this.#feeds;
  }

  copyTo(out: PolicyOutput): void {
    out.mean.set(this.#mean);
    out.logStd.set(this.#logStd);
  }

  createOutput(): PolicyOutput {
    return { mean: new Float32Array(this.#mean.length), logStd: new Float32Array(this.#logStd.length) };
  }
}

/** Why the tensor `name` is not a float32 of `shape`, or undefined where it is. Symbolic dimensions fit anything. */
function shapeProblem(
  metadata: readonly InferenceSession.ValueMetadata[],
  name: string,
  shape: readonly number[],
): string | undefined {
  const found = metadata.find((value) => value.name === name);
  if (found === undefined) return `it has no '${name}'`;
  if (!found.isTensor || found.type !== 'float32') return `its '${name}' is not a float32 tensor`;
  const fits =
    found.shape.length === shape.length &&
    found.shape.every((size, i) => typeof size === 'string' || size === shape[i]);
  return fits
    ? undefined
    : `its '${name}' has the shape [${found.shape.join(', ')}] where [${shape.join(', ')}] is needed`;
}

function unusable(reason: string, cause?: unknown): ReinError {
  return new ReinError('policy', `The policy network cannot be used: ${reason}.`, {
    remedy: 'Use a policy.onnx or weights that this version of Rein exported for this robot and task.',
    ...(cause === undefined ? {} : { cause }),
  });
}
