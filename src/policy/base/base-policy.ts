/**
 * A base policy: an older policy whose action the learned one sees and improves on (residual learning; Ankile et al.,
 * "Residual Off-Policy RL for Finetuning Behavior Cloning Policies", 2025, https://arxiv.org/abs/2509.19301). It never
 * acts by itself: what it gives is a part of the observation.
 */
import { allFinite, ReinError, Rng } from '../../core/index.ts';
import type { PlainSession } from '../onnx/plain-session.ts';
import { type ChunkPlace, ChunkQueue } from './chunk-queue.ts';

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
  readonly session: PlainSession;
  readonly feeds: readonly Feed[];
  /** Whether the output is the mean of a Gaussian before tanh. */
  readonly isBeforeTanh: boolean;
  readonly actionSize: number;
  /** H, as the network gives it. */
  readonly chunk: number;
  readonly executeSteps: number;
}

/** A base policy on a session whose sizes are known to fit; `openBasePolicy` makes one. */
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
    return this.#options.session.close();
  }

  async #query(state: Float32Array): Promise<Float32Array> {
    const { name, session, feeds, isBeforeTanh, actionSize, chunk } = this.#options;
    fillFeeds(feeds, state, this.#rng);
    const { data } = await session.run();
    if (data.length !== chunk * actionSize) {
      throw unusable(`${name} gave ${data.length} numbers where it gave ${chunk * actionSize} when it was tried`);
    }
    if (!allFinite(data)) throw unusable(`${name} gave an action that is not finite`);
    if (isBeforeTanh) for (let i = 0; i < data.length; i++) data[i] = Math.tanh(data[i]!);
    return data;
  }
}

/** Puts the state's numbers, and noise, where the network reads them. */
export function fillFeeds(feeds: readonly Feed[], state: Float32Array, rng: Rng): void {
  for (const { data, from } of feeds) {
    if (from === 'drawn noise') rng.fillNormal(data);
    else if (from !== 'no noise') for (let i = 0; i < data.length; i++) data[i] = state[from[i]!]!;
  }
}

function unusable(sentence: string): ReinError {
  return new ReinError('task', `The base policy ${sentence}.`, {
    remedy:
      "Look at what it was shown, and whether the task's observation is what it was trained on; then start again.",
  });
}
