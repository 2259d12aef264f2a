/** Input and output memory that onnxruntime reads and writes in place, so that a run leaves little garbage. */
import type { Tensor } from 'onnxruntime-node';
import { allFinite } from '../../core/index.ts';
import type { PolicyHead, PolicyNoise } from '../policy.ts';
import { squash } from '../squash.ts';
import type { TrialOutput } from './canary.ts';

/** All inputs but observation and noise, by name. Never changed once made. */
export type WeightTensors = Readonly<Record<string, Tensor>>;

/** Makes a tensor on `data`, which it does not copy. */
export type MakeTensor = (data: Float32Array, shape: readonly number[]) => Tensor;

/** The memory of one run at a time, for one head. */
export class NetworkBuffers {
  readonly fetches: Record<string, Tensor>;
  readonly #head: PolicyHead;
  readonly #observation: Float32Array;
  /** In double precision: a Gaussian head is squashed here, from the draws as they are. */
  readonly #noise: Float64Array;
  readonly #noiseInput: Float32Array;
  /** Mean or action, and the logarithm of the spread, [A] each; the latter is unused where the graph gives actions. */
  readonly #output: Float32Array;
  readonly #logStd: Float32Array;
  readonly #inputs: Record<string, Tensor>;
  #boundWeights: WeightTensors | undefined;
  #feeds: Record<string, Tensor> = {};

  constructor(head: PolicyHead, observationSize: number, actionSize: number, tensor: MakeTensor) {
    this.#head = head;
    this.#observation = new Float32Array(observationSize);
    this.#noise = new Float64Array(head.noiseSize);
    this.#noiseInput = new Float32Array(head.noiseSize);
    this.#output = new Float32Array(actionSize);
    this.#logStd = new Float32Array(actionSize);
    this.#inputs = { observation: tensor(this.#observation, [1, observationSize]) };
    const output = tensor(this.#output, [1, actionSize]);
    if (head.kind === 'gaussian') {
      this.fetches = { mean: output, log_std: tensor(this.#logStd, [1, actionSize]) };
      return;
    }
    this.fetches = { action: output };
    if (head.noiseSize > 0) this.#inputs['noise'] = tensor(this.#noiseInput, [1, head.noiseSize]);
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
    for (let i = 0; i < this.#noise.length; i++) this.#noise[i] = isDrawn ? rng.normal() : 0;
    this.#noiseInput.set(this.#noise);
  }

  /** Whether the graph's input `name` is one of these buffers, not a weight. */
  has(name: string): boolean {
    return this.#inputs[name] !== undefined;
  }

  /** The inputs for one run. A new object per set of weights: one that a run already holds is never changed. */
  feedsFor(weights: WeightTensors): Record<string, Tensor> {
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
