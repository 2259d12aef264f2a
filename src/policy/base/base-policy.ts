/**
 * A base policy: an older policy whose action the learned one sees and improves on (residual learning; Ankile et al.,
 * "Residual Off-Policy RL for Finetuning Behavior Cloning Policies", 2025, https://arxiv.org/abs/2509.19301). It never
 * acts by itself: what it gives is a part of the observation.
 */
import { allFinite, clamp, firstLineOf, ReinError, Rng } from '../../core/index.ts';
import type { Inference, Tensors } from '../onnx/inference.ts';

/** Where an action comes from. */
export interface ChunkPlace {
  /** Number of the chunk, from 0; each one counts. −1 before the first. */
  readonly chunk: number;
  /** Place within it, from 0; −1 before the first. */
  readonly index: number;
}

export interface BasePolicy {
  /** Where the action that was given last comes from. */
  readonly place: ChunkPlace;
  /** An episode begins: what was planned in the one before is dropped. Noise, where it takes any, comes of `rng`. */
  reset(rng: Rng): void;
  /** What is planned is dropped, since something else was done. */
  drop(): void;
  /**
   * Writes the action at `state`, the observation without the base's own part, into `out` [A], within [−1, 1]. Asks the
   * network only where no action of the last chunk is left. Rejects with `ReinError` ('task') where it gives nothing usable.
   */
  act(state: Float32Array, out: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** What an input of the network gets at each query. */
export interface Feed {
  /** Memory of the input. */
  readonly data: Float32Array;
  /** Places in the state, as many as `data` has; or noise, drawn or always zero. */
  readonly from: Int32Array | 'drawn noise' | 'no noise';
}

export interface OnnxBaseOptions {
  /** How messages name it. */
  readonly name: string;
  readonly inference: Inference;
  readonly feeds: readonly Feed[];
  /** The memory of `feeds`, as the runtime reads it. */
  readonly inputs: Tensors;
  /** The chosen output, which runs write into `chunkActions`. */
  readonly outputs: Tensors;
  /** [H, A], H as the network gives it. */
  readonly chunkActions: Float32Array;
  /** Whether the output is the mean of a Gaussian before tanh. */
  readonly isBeforeTanh: boolean;
  readonly actionSize: number;
  readonly executeSteps: number;
}

/** A base policy on a network whose sizes are known to fit; `openBasePolicy` makes one. */
export class OnnxBase implements BasePolicy {
  readonly #options: OnnxBaseOptions;
  readonly #queue: ChunkQueue;
  #rng: Rng = new Rng(0);

  constructor(options: OnnxBaseOptions) {
    this.#options = options;
    this.#queue = new ChunkQueue(options.actionSize, options.executeSteps);
  }

  get place(): ChunkPlace {
    return this.#queue.place;
  }

  reset(rng: Rng): void {
    this.#rng = rng;
    this.#queue.clear();
  }

  drop(): void {
    this.#queue.clear();
  }

  async act(state: Float32Array, out: Float32Array): Promise<void> {
    if (this.#queue.isEmpty) this.#queue.fill(await this.#query(state));
    this.#queue.pop(out);
  }

  close(): Promise<void> {
    return this.#options.inference.close();
  }

  async #query(state: Float32Array): Promise<Float32Array> {
    const { name, inference, feeds, inputs, outputs, chunkActions, isBeforeTanh } = this.#options;
    fillFeeds(feeds, state, this.#rng);
    await inference.run(inputs, outputs).catch((error: unknown) => {
      throw unusable(`${name} could not be run: ${clauseOf(error)}`);
    });
    if (!allFinite(chunkActions)) throw unusable(`${name} gave an action that is not finite`);
    if (isBeforeTanh) for (let i = 0; i < chunkActions.length; i++) chunkActions[i] = Math.tanh(chunkActions[i]!);
    return chunkActions;
  }
}

/** The actions of a chunk, one a step: a policy that plans several steps at once is asked again when they are used up. */
export class ChunkQueue {
  readonly #actionSize: number;
  readonly #actions: Float32Array;
  #next: number;
  #chunk = -1;
  #index = -1;

  /** `executeSteps`: how many actions of each chunk are used, ≥ 1. */
  constructor(actionSize: number, executeSteps: number) {
    this.#actionSize = actionSize;
    this.#actions = new Float32Array(actionSize * executeSteps);
    this.#next = this.#actions.length;
  }

  /** Whether a new chunk is needed before the next `pop`. */
  get isEmpty(): boolean {
    return this.#next >= this.#actions.length;
  }

  /** Where the action of the last `pop` came from. Allocates. */
  get place(): ChunkPlace {
    return { chunk: this.#chunk, index: this.#index };
  }

  /** Drops what is left: at the start of an episode, or where what was planned is not what was done. */
  clear(): void {
    this.#next = this.#actions.length;
  }

  /** Takes over the beginning of `chunk` [H, A], H ≥ executeSteps, clipped to [−1, 1]; what was left is dropped. Copies. */
  fill(chunk: Float32Array): void {
    const actions = this.#actions;
    if (chunk.length < actions.length)
      throw new RangeError(`a chunk of ${chunk.length} numbers, ${actions.length} used`);
    for (let i = 0; i < actions.length; i++) actions[i] = clamp(chunk[i]!, -1, 1);
    this.#next = 0;
    this.#chunk++;
    this.#index = -1;
  }

  /** Writes the next action into `out` [A]. Throws `RangeError` when there is none. */
  pop(out: Float32Array): void {
    if (this.isEmpty) throw new RangeError('the chunk is used up');
    for (let i = 0; i < this.#actionSize; i++) out[i] = this.#actions[this.#next + i]!;
    this.#next += this.#actionSize;
    this.#index++;
  }
}

/** Puts the state's numbers, and noise, where the network reads them. */
export function fillFeeds(feeds: readonly Feed[], state: Float32Array, rng: Rng): void {
  for (const { data, from } of feeds) {
    if (from === 'drawn noise') rng.fillNormal(data);
    else if (from !== 'no noise') for (let i = 0; i < data.length; i++) data[i] = state[from[i]!]!;
  }
}

/** What onnxruntime said, as the end of a sentence: without a full stop. */
export function clauseOf(error: unknown): string {
  return firstLineOf(error).replace(/\.+$/, '');
}

function unusable(message: string): ReinError {
  return new ReinError('task', `The base policy ${message}.`, {
    remedy:
      "Look at what it was shown, and whether the task's observation is what it was trained on; then start again.",
  });
}
