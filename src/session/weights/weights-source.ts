/** Source of new weights, and the moment at which they begin to act. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PolicyWeights, Result } from '../../model/index.ts';
import type { ActingPolicy } from '../../policy/index.ts';

/** In real time: the newest weights received. In lock-step: those that the schedule assigns to a step. */
export interface WeightsSource {
  /** True if other weights may act in place of unusable ones. */
  readonly mayFallBack: boolean;
  /** Called between episodes and while nothing moves: takes over weights received. Never waits, never throws. */
  poll(): void;
  /** Called before each step of training: the step begins with the weights that are due at it. */
  beforeStep(): void | Promise<void>;
  /** Resolves when no weights are being taken over. */
  settled(): Promise<void>;
}

export interface ArrivingWeightsOptions {
  readonly policy: Pick<ActingPolicy, 'swap'>;
  /** Returns the newest weights received and not taken yet; `undefined` for none. */
  readonly take: () => PolicyWeights | undefined;
  /** Called when these weights begin to act. */
  readonly onTaken?: (weights: PolicyWeights) => void;
  /** Called when weights were refused; the old ones go on acting. One sentence. */
  readonly onRefused: (message: string) => void;
  /** Pause before a swap begins, ms: by then the step's command is on its way. */
  readonly pauseMs: number;
}

/**
 * Real time: weights are verified, tried and swapped in the part of a step in which the node only waits for the guard, so that they delay
 * no decision.
 */
export class ArrivingWeights implements WeightsSource {
  readonly mayFallBack = true;
  readonly #options: ArrivingWeightsOptions;
  #swapping: Promise<void> | undefined;

  constructor(options: ArrivingWeightsOptions) {
    this.#options = options;
  }

  /** Begins a swap if there are new weights and none is under way. */
  poll(): void {
    if (this.#swapping !== undefined) return;
    const weights = this.#options.take();
    if (weights === undefined) return;
    this.#swapping = this.#swap(weights).finally(() => {
      this.#swapping = undefined;
    });
  }

  beforeStep(): void {
    this.poll();
  }

  async settled(): Promise<void> {
    await this.#swapping;
  }

  async #swap(weights: PolicyWeights): Promise<void> {
    const { policy, onTaken, onRefused, pauseMs } = this.#options;
    await delay(pauseMs);
    let swapped: Result<unknown>;
    try {
      swapped = await policy.swap(weights);
    } catch (error) {
      onRefused(`Weights ${weights.manifest.version} could not be tried: ${(error as Error).message}`);
      return;
    }
    if (swapped.ok) onTaken?.(weights);
    else onRefused(swapped.error.message);
  }
}
