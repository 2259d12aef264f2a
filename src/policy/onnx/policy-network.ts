/** A policy's network: its head, its memory, and the weights that are given to every run. */
import type { Tensor } from 'onnxruntime-node';
import { allFinite, err, ok, ReinError, type Result, Rng, type TensorShape } from '../../core/index.ts';
import type { PolicyHead, PolicyNoise } from '../policy.ts';
import { squash } from '../squash.ts';
import type { TrialOutput } from './canary.ts';
import { findBadConstant, headOf } from './head.ts';
import { Inference, type TensorPort, type Tensors, tensorOn } from './inference.ts';

/** All inputs but observation and noise. Never changed once made. */
export type WeightTensors = Tensors;

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

/** A loaded network with memory for the policy that acts and for trials beside it. */
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
   * Makes the tensors for one set of weights from a copy of `data`; an error where names or shapes are not exactly the
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

/** The memory of one run at a time, for one head; onnxruntime reads and writes it in place, so that a run leaves little garbage. */
class NetworkBuffers {
  readonly fetches: Tensors;
  readonly #head: PolicyHead;
  readonly #observation: Float32Array;
  /** Of a Gaussian head, in double precision: it is squashed here, from the draws as they are. */
  readonly #noise: Float64Array;
  /** Of a graph that gives actions. */
  readonly #noiseInput: Float32Array;
  /** Mean or action, and the logarithm of the spread, [A] each; the latter is unused where the graph gives actions. */
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

  /** Whether the observation of the next run is finite. */
  get isObservationFinite(): boolean {
    return allFinite(this.#observation);
  }

  /** Whether what the last run gave is finite. */
  get isOutputFinite(): boolean {
    return allFinite(this.#output) && allFinite(this.#logStd);
  }

  /** Takes over the first O numbers of `observation`. Throws `RangeError` where there are fewer. */
  setObservation(observation: Float32Array): void {
    const own = this.#observation;
    if (observation.length < own.length) {
      throw new RangeError(`an observation has ${own.length} numbers at least, got ${observation.length}`);
    }
    if (observation.length === own.length) own.set(observation);
    else for (let i = 0; i < own.length; i++) own[i] = observation[i]!;
  }

  /** Draws the noise of the next run, or sets it to zero, as `noise` and the head want it. */
  drawNoise({ rng, purpose }: PolicyNoise): void {
    const isDrawn = purpose === 'explore' || this.#head.noise === 'always';
    if (this.#head.kind === 'gaussian') {
      for (let i = 0; i < this.#noise.length; i++) this.#noise[i] = isDrawn ? rng.normal() : 0;
    } else if (isDrawn) rng.fillNormal(this.#noiseInput);
    else this.#noiseInput.fill(0);
  }

  /** Whether the graph's input `name` is one of these buffers, not a weight. */
  has(name: string): boolean {
    return this.#inputs[name] !== undefined;
  }

  /** The inputs for one run. A new object per set of weights: one that a run already holds is never changed. */
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

  /** What the last run gave, as the trial of new weights wants it. Copies. */
  trialOutput(): TrialOutput {
    const action = new Float32Array(this.#output.length);
    this.writeAction(action);
    if (this.#head.kind === 'action') return { action, actions: [this.#output.slice()] };
    return { action, gaussian: { mean: this.#output.slice(), logStd: this.#logStd.slice() } };
  }
}

/** Why the tensor `name` is not a float32 of `shape`, or undefined where it is. Symbolic dimensions fit anything. */
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
