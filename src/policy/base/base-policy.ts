/**
 * Base policy: an older policy whose action the learned policy observes and improves on (residual learning; Ankile et al.,
 * "Residual Off-Policy RL for Finetuning Behavior Cloning Policies", 2025, https://arxiv.org/abs/2509.19301). It never
 * acts by itself: its action is a part of the observation.
 */
import { allFinite, clamp, ReinError, Rng } from '../../model/index.ts';
import { firstLineOf } from '../../onnx/index.ts';
import type { Inference, Tensors } from '../onnx/inference.ts';

/** Position of an action within the chunks. */
export interface ChunkPlace {
  /** Index of the chunk, from 0, over all chunks; −1 before the first. */
  readonly chunk: number;
  /** Index within the chunk, from 0; −1 before the first. */
  readonly index: number;
}

export interface BasePolicy {
  /** Position of the most recent action. */
  readonly place: ChunkPlace;
  /** Starts an episode: drops what remains of the plan. Noise, if the network takes any, is drawn from `rng`. */
  reset(rng: Rng): void;
  /** Drops the planned actions, since a different action was executed. */
  drop(): void;
  /**
   * Writes the action at `state`, the observation without the base's own part, into `out` [A], within [−1, 1]. Runs the network
   * only if no action of the last chunk is left. Rejects with `ReinError` ('task') if the output is unusable.
   */
  act(state: Float32Array, out: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** Source of one network input, read at each query. */
export interface Feed {
  /** Buffer of the input. */
  readonly data: Float32Array;
  /** Indices into the state, one per element of `data`; or noise, drawn or always zero. */
  readonly from: Int32Array | 'drawn noise' | 'no noise';
}

export interface OnnxBaseOptions {
  /** Name in messages. */
  readonly name: string;
  readonly inference: Inference;
  readonly feeds: readonly Feed[];
  /** Tensors over the buffers of `feeds`. */
  readonly inputs: Tensors;
  /** The chosen output; runs write it into `chunkActions`. */
  readonly outputs: Tensors;
  /** [H, A]; H is fixed by the network. */
  readonly chunkActions: Float32Array;
  /** True if the output is the mean of a Gaussian before tanh. */
  readonly isBeforeTanh: boolean;
  readonly actionSize: number;
  readonly executeSteps: number;
}

/** A base policy on a network whose sizes have been checked; created by `openBasePolicy`. */
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

/** Actions of a chunk, one per step; a policy that plans several steps is queried again when they are used up. */
export class ChunkQueue {
  readonly #actionSize: number;
  readonly #actions: Float32Array;
  #next: number;
  #chunk = -1;
  #index = -1;

  /** `executeSteps`: number of actions used from each chunk, ≥ 1. */
  constructor(actionSize: number, executeSteps: number) {
    this.#actionSize = actionSize;
    this.#actions = new Float32Array(actionSize * executeSteps);
    this.#next = this.#actions.length;
  }

  /** True if a new chunk is needed before the next `pop`. */
  get isEmpty(): boolean {
    return this.#next >= this.#actions.length;
  }

  /** Position of the action returned by the last `pop`. Allocates. */
  get place(): ChunkPlace {
    return { chunk: this.#chunk, index: this.#index };
  }

  /** Drops the remaining actions: at the start of an episode, or if another action was executed than planned. */
  clear(): void {
    this.#next = this.#actions.length;
  }

  /** Copies the beginning of `chunk` [H, A], H ≥ executeSteps, clipped to [−1, 1]; drops remaining actions. */
  fill(chunk: Float32Array): void {
    const actions = this.#actions;
    if (chunk.length < actions.length)
      throw new RangeError(`a chunk of ${chunk.length} numbers, ${actions.length} used`);
    for (let i = 0; i < actions.length; i++) actions[i] = clamp(chunk[i]!, -1, 1);
    this.#next = 0;
    this.#chunk++;
    this.#index = -1;
  }

  /** Writes the next action into `out` [A]. Throws `RangeError` if there is none. */
  pop(out: Float32Array): void {
    if (this.isEmpty) throw new RangeError('the chunk is used up');
    for (let i = 0; i < this.#actionSize; i++) out[i] = this.#actions[this.#next + i]!;
    this.#next += this.#actionSize;
    this.#index++;
  }
}

/** Copies the state's numbers, or noise, into the network's input buffers. */
export function fillFeeds(feeds: readonly Feed[], state: Float32Array, rng: Rng): void {
  for (const { data, from } of feeds) {
    if (from === 'drawn noise') rng.fillNormal(data);
    else if (from !== 'no noise') for (let i = 0; i < data.length; i++) data[i] = state[from[i]!]!;
  }
}

/** First line of onnxruntime's error as the end of a sentence: without a full stop. */
export function clauseOf(error: unknown): string {
  return firstLineOf(error).replace(/\.+$/, '');
}

function unusable(message: string): ReinError {
  return new ReinError('task', `The base policy ${message}.`, {
    remedy:
      "Check its observation, and whether the task's observation is the one that it was trained on; then start again.",
  });
}
