/**
 * One onnxruntime session with the buffers it needs.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { err, ok, ReinError, type Result, Rng, type TensorShape } from '../../core/index.ts';
import type { PolicyHead, PolicyNoise } from '../policy.ts';
import type { TrialOutput } from './canary.ts';
import { headOf } from './head.ts';
import { NetworkBuffers, type WeightTensors } from './network-buffers.ts';
import { findBadConstant } from './onnx-constants.ts';

const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  // More threads than one make a small network slower and its worst case 100 times worse.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 4,
};

/** Seed of the noise in trials: the same draws for every version. */
const TRIAL_SEED = 20_260_102;

/**
 * Opens `graph`, which must take `observation` [1,O] and have one of the heads of `head.ts`, all float32. Throws
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
  const head = headOf(graph, actionSize);
  if (typeof head === 'string') throw unusable(head);
  let session: InferenceSession;
  try {
    session = await InferenceSession.create(graph, SESSION_OPTIONS);
  } catch (error) {
    throw unusable('onnxruntime cannot read it', error);
  }
  const reason = interfaceProblem(session, head, observationSize, actionSize);
  if (reason !== undefined) {
    await session.release();
    throw unusable(reason);
  }
  return new PolicyNetwork(session, graphDigest, head, observationSize, actionSize);
}

function interfaceProblem(
  { inputMetadata, outputMetadata }: InferenceSession,
  head: PolicyHead,
  observationSize: number,
  actionSize: number,
): string | undefined {
  const takesNoise = head.kind === 'action' && head.noiseSize > 0;
  const outputs = head.kind === 'gaussian' ? ['mean', 'log_std'] : ['action'];
  return (
    shapeProblem(inputMetadata, 'observation', [1, observationSize]) ??
    (takesNoise ? shapeProblem(inputMetadata, 'noise', [1, head.noiseSize]) : undefined) ??
    outputs.map((name) => shapeProblem(outputMetadata, name, [1, actionSize])).find((reason) => reason !== undefined)
  );
}

/** A session; weights are bound to it and given to every run. */
export class PolicyNetwork {
  readonly graphDigest: string;
  readonly head: PolicyHead;
  readonly #session: InferenceSession;
  readonly #main: NetworkBuffers;
  readonly #trial: NetworkBuffers;
  #pending = 0;
  #isClosing = false;
  #isReleased = false;

  constructor(
    session: InferenceSession,
    graphDigest: string,
    head: PolicyHead,
    observationSize: number,
    actionSize: number,
  ) {
    this.#session = session;
    this.graphDigest = graphDigest;
    this.head = head;
    const tensor = (data: Float32Array, shape: readonly number[]): Tensor => new Tensor('float32', data, shape);
    this.#main = new NetworkBuffers(head, observationSize, actionSize, tensor);
    this.#trial = new NetworkBuffers(head, observationSize, actionSize, tensor);
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
    const missing = this.#session.inputNames.find((name) => !this.#main.has(name) && tensors[name] === undefined);
    return missing === undefined ? ok(tensors) : err(unusable(`the weight '${missing}' is missing`));
  }

  /** One decision into `out`. Rejects with `ReinError` where something is not finite. One at a time. */
  async decide(
    weights: WeightTensors,
    observation: Float32Array,
    noise: PolicyNoise,
    out: Float32Array,
  ): Promise<void> {
    const buffers = this.#main;
    buffers.setObservation(observation);
    if (!buffers.isObservationFinite) {
      throw new ReinError('policy', 'The observation holds a number that is not finite.');
    }
    buffers.drawNoise(noise);
    await this.#runOn(buffers, weights);
    if (!buffers.isOutputFinite) {
      throw new ReinError('policy', 'The policy gave an action that is not finite.', {
        remedy: 'Its weights or its observation are out of range: go back to earlier weights.',
      });
    }
    buffers.writeAction(out);
  }

  /** Runs on other buffers than `decide`, finite or not, so that a trial never disturbs the policy that acts. */
  async tryOn(weights: WeightTensors, observations: readonly Float32Array[]): Promise<TrialOutput[]> {
    const outputs: TrialOutput[] = [];
    const rng = new Rng(TRIAL_SEED);
    const run = async (purpose: PolicyNoise['purpose']): Promise<TrialOutput> => {
      this.#trial.drawNoise({ rng, purpose });
      await this.#runOn(this.#trial, weights);
      return this.#trial.trialOutput();
    };
    for (const observation of observations) {
      this.#trial.setObservation(observation);
      const best = await run('evaluate');
      // What noise does to a Gaussian is known from its spread.
      const isTriedWithNoise = best.actions !== undefined && this.head.noiseSize > 0;
      if (!isTriedWithNoise) outputs.push(best);
      else outputs.push({ ...best, actions: [...best.actions, ...((await run('explore')).actions ?? [])] });
    }
    return outputs;
  }

  /** Frees the session as soon as no run is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#releaseIfIdle();
  }

  async #runOn(buffers: NetworkBuffers, weights: WeightTensors): Promise<void> {
    this.#pending++;
    try {
      await this.#session.run(buffers.feedsFor(weights), buffers.fetches);
    } catch (error) {
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
