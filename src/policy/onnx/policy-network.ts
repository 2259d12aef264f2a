/** A policy's network: its head, its buffers, and the weights passed to every run. */
import type { Tensor } from 'onnxruntime-node';
import { allFinite, err, ok, ReinError, type Result, Rng, type TensorShape } from '../../model/index.ts';
import type { PolicyHead, PolicyNoise } from '../policy.ts';
import { squash } from '../squash.ts';
import type { TrialOutput } from './canary.ts';
import { findBadConstant, headOf } from './head.ts';
import { Inference, type TensorPort, type Tensors, tensorOn } from './inference.ts';

/** All inputs except observation and noise. Immutable. */
export type WeightTensors = Tensors;

/** Seed of the trial noise: identical draws for every version. */
const TRIAL_SEED = 20_260_102;

/**
 * Opens `graph`, which must take `observation` [1,O] and have one of the heads of `head.ts`, all float32. Throws
 * `ReinError` if it is not such a network or holds a constant that is not finite.
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
  const inference = await Inference.open(graph).catch((error: unknown) => {
    throw unusable('onnxruntime cannot read it', error);
  });
  const reason = interfaceProblem(inference, head, observationSize, actionSize);
  if (reason !== undefined) {
    await inference.close();
    throw unusable(reason);
  }
  return new PolicyNetwork(inference, graphDigest, head, observationSize, actionSize);
}

function interfaceProblem(
  { inputs, outputs }: Inference,
  head: PolicyHead,
  observationSize: number,
  actionSize: number,
): string | undefined {
  const takesNoise = head.kind === 'action' && head.noiseSize > 0;
  const given = head.kind === 'gaussian' ? ['mean', 'log_std'] : ['action'];
  return (
    shapeProblem(inputs, 'observation', [1, observationSize]) ??
    (takesNoise ? shapeProblem(inputs, 'noise', [1, head.noiseSize]) : undefined) ??
    given.map((name) => shapeProblem(outputs, name, [1, actionSize])).find((reason) => reason !== undefined)
  );
}

/** A loaded network with separate buffers for the acting policy and for trials. */
export class PolicyNetwork {
  readonly graphDigest: string;
  readonly head: PolicyHead;
  readonly #inference: Inference;
  readonly #main: NetworkBuffers;
  readonly #trial: NetworkBuffers;

  constructor(
    inference: Inference,
    graphDigest: string,
    head: PolicyHead,
    observationSize: number,
    actionSize: number,
  ) {
    this.#inference = inference;
    this.graphDigest = graphDigest;
    this.head = head;
    this.#main = new NetworkBuffers(head, observationSize, actionSize);
    this.#trial = new NetworkBuffers(head, observationSize, actionSize);
  }

  /**
   * Creates the tensors for one set of weights from a copy of `data`; an error if names or shapes do not exactly match the
   * graph's inputs.
   */
  bind(shapes: readonly TensorShape[], data: Float32Array): Result<WeightTensors> {
    const copy = data.slice();
    const tensors: Record<string, Tensor> = Object.create(null);
    let offset = 0;
    for (const { name, shape } of shapes) {
      const reason = shapeProblem(this.#inference.inputs, name, shape);
      if (reason !== undefined) return err(unusable(reason));
      const size = shape.reduce((n, length) => n * length, 1);
      tensors[name] = tensorOn(copy.subarray(offset, offset + size), shape);
      offset += size;
    }
    const missing = this.#inference.inputs.find(({ name }) => !this.#main.has(name) && tensors[name] === undefined);
    return missing === undefined ? ok(tensors) : err(unusable(`the weight '${missing.name}' is missing`));
  }

  /** Writes one decision into `out`. Rejects with `ReinError` if a value is not finite. Calls must not overlap. */
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

  /** Returns the outputs, finite or not. Uses buffers of its own, so a trial never disturbs the acting policy. */
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
      // The effect of noise on a Gaussian follows from its spread.
      const isTriedWithNoise = best.actions !== undefined && this.head.noiseSize > 0;
      if (!isTriedWithNoise) outputs.push(best);
      else outputs.push({ ...best, actions: [...best.actions, ...((await run('explore')).actions ?? [])] });
    }
    return outputs;
  }

  /** Releases the session as soon as no run is in progress. */
  close(): Promise<void> {
    return this.#inference.close();
  }

  async #runOn(buffers: NetworkBuffers, weights: WeightTensors): Promise<void> {
    try {
      await this.#inference.run(buffers.feedsFor(weights), buffers.fetches);
    } catch (error) {
      throw unusable('onnxruntime could not run it', error);
    }
  }
}

/** Buffers of one run at a time, for one head; onnxruntime reads and writes them in place, so a run allocates little. */
class NetworkBuffers {
  readonly fetches: Tensors;
  readonly #head: PolicyHead;
  readonly #observation: Float32Array;
  /** Noise of a Gaussian head, double precision: `squash` applies the draws here, unrounded. */
  readonly #noise: Float64Array;
  /** Noise input of an `action` head. */
  readonly #noiseInput: Float32Array;
  /** Mean or action, and the log standard deviation, [A] each; `#logStd` is unused with an `action` head. */
  readonly #output: Float32Array;
  readonly #logStd: Float32Array;
  readonly #inputs: Record<string, Tensor>;
  #boundWeights: WeightTensors | undefined;
  #feeds: Tensors = {};

  constructor(head: PolicyHead, observationSize: number, actionSize: number) {
    this.#head = head;
    this.#observation = new Float32Array(observationSize);
    this.#noise = new Float64Array(head.noiseSize);
    this.#noiseInput = new Float32Array(head.noiseSize);
    this.#output = new Float32Array(actionSize);
    this.#logStd = new Float32Array(actionSize);
    this.#inputs = { observation: tensorOn(this.#observation, [1, observationSize]) };
    const output = tensorOn(this.#output, [1, actionSize]);
    if (head.kind === 'gaussian') {
      this.fetches = { mean: output, log_std: tensorOn(this.#logStd, [1, actionSize]) };
      return;
    }
    this.fetches = { action: output };
    if (head.noiseSize > 0) this.#inputs['noise'] = tensorOn(this.#noiseInput, [1, head.noiseSize]);
  }

  get isObservationFinite(): boolean {
    return allFinite(this.#observation);
  }

  get isOutputFinite(): boolean {
    return allFinite(this.#output) && allFinite(this.#logStd);
  }

  /** Copies the first O numbers of `observation`. Throws `RangeError` if there are fewer. */
  setObservation(observation: Float32Array): void {
    const own = this.#observation;
    if (observation.length < own.length) {
      throw new RangeError(`an observation has ${own.length} numbers at least, got ${observation.length}`);
    }
    if (observation.length === own.length) own.set(observation);
    else for (let i = 0; i < own.length; i++) own[i] = observation[i]!;
  }

  /** Draws the noise of the next run, or zeroes it, depending on `purpose` and head. */
  drawNoise({ rng, purpose }: PolicyNoise): void {
    const isDrawn = purpose === 'explore' || this.#head.noise === 'always';
    if (this.#head.kind === 'gaussian') {
      for (let i = 0; i < this.#noise.length; i++) this.#noise[i] = isDrawn ? rng.normal() : 0;
    } else if (isDrawn) rng.fillNormal(this.#noiseInput);
    else this.#noiseInput.fill(0);
  }

  /** True if the graph's input `name` is one of these buffers, not a weight. */
  has(name: string): boolean {
    return this.#inputs[name] !== undefined;
  }

  /** Inputs for one run. A new object per set of weights: an object held by a pending run is never changed. */
  feedsFor(weights: WeightTensors): Tensors {
    if (this.#boundWeights !== weights) {
      this.#feeds = { ...weights, ...this.#inputs };
      this.#boundWeights = weights;
    }
    return this.#feeds;
  }

  /** Writes the action of the last run into `out`, within [−1, 1]. */
  writeAction(out: Float32Array): void {
    if (this.#head.kind === 'gaussian') squash(out, this.#output, this.#logStd, this.#noise);
    else for (let i = 0; i < out.length; i++) out[i] = Math.max(-1, Math.min(1, this.#output[i]!));
  }

  /** Copies the outputs of the last run for judging new weights. */
  trialOutput(): TrialOutput {
    const action = new Float32Array(this.#output.length);
    this.writeAction(action);
    if (this.#head.kind === 'action') return { action, actions: [this.#output.slice()] };
    return { action, gaussian: { mean: this.#output.slice(), logStd: this.#logStd.slice() } };
  }
}

/** Returns why the tensor `name` is not a float32 of `shape`, or undefined if it is. Symbolic dimensions match any size. */
function shapeProblem(ports: readonly TensorPort[], name: string, shape: readonly number[]): string | undefined {
  const found = ports.find((value) => value.name === name);
  if (found === undefined) return `it has no '${name}'`;
  if (found.type !== 'float32') return `its '${name}' is not a float32 tensor`;
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
