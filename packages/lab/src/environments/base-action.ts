/** Environment whose observation includes the next action of a frozen base policy, for residual learning on top of it. */
import {
  type ActionRange,
  type Environment,
  type ObservationParts,
  policyObservationSize,
  type Rng,
} from '../../../../src/model/index.ts';
import type { Demonstrator } from './demonstrator.ts';

/**
 * `inner` with the action of `base` in its observation, at the place given by `ObservationParts`. The base is queried once per
 * observation; its action is that of the observed state, whether or not it is followed.
 */
export class BaseActionEnvironment implements Environment {
  readonly name: string;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly actionRanges: readonly ActionRange[] | undefined;
  readonly maxSteps: number;
  readonly periodS: number;
  readonly observation: Float32Array;
  readonly #inner: Environment;
  readonly #base: Demonstrator;
  readonly #action: Float32Array;
  /** Index of the base's action in the observation: before the part for critics only. */
  readonly #at: number;

  constructor(inner: Environment, base: Demonstrator) {
    this.#inner = inner;
    this.#base = base;
    ({ name: this.name, actionSize: this.actionSize, maxSteps: this.maxSteps, periodS: this.periodS } = inner);
    this.actionRanges = inner.actionRanges;
    this.parts = { ...inner.parts, baseActionSize: inner.actionSize };
    this.#at = policyObservationSize(inner.parts);
    this.#action = new Float32Array(inner.actionSize);
    this.observation = new Float32Array(inner.observation.length + inner.actionSize);
  }

  get executedAction(): Float32Array {
    return this.#inner.executedAction;
  }

  get reward(): number {
    return this.#inner.reward;
  }

  get cost(): number {
    return this.#inner.cost;
  }

  get isTerminated(): boolean {
    return this.#inner.isTerminated;
  }

  get isSuccess(): boolean | undefined {
    return this.#inner.isSuccess;
  }

  reset(rng: Rng): void {
    this.#inner.reset(rng);
    // A separate generator: the number of draws by the base must not change the next episode.
    this.#base.begin(rng.fork('base'));
    this.#observe();
  }

  step(action: Float32Array): void {
    this.#inner.step(action);
    this.#observe();
  }

  close(): void {
    this.#inner.close();
  }

  #observe(): void {
    this.#base.act(this.#action);
    const { observation } = this.#inner;
    this.observation.set(observation.subarray(0, this.#at));
    this.observation.set(this.#action, this.#at);
    this.observation.set(observation.subarray(this.#at), this.#at + this.actionSize);
  }
}
