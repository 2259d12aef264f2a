/** The actions of a chunk, one a step: a policy that plans several steps at once is asked again when they are used up. */
import { clamp } from '../../core/index.ts';

/** Where an action comes from. */
export interface ChunkPlace {
  /** Number of the chunk, from 0; each one counts. −1 before the first. */
  readonly chunk: number;
  /** Place within it, from 0; −1 before the first. */
  readonly index: number;
}

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
