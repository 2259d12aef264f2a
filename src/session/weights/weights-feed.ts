/**
 * New weights, taken over while the robot moves: verified, tried and swapped in the part of a step in which the node
 * only waits for the guard, so that no decision comes later because of them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { PolicyWeights, Result } from '../../core/index.ts';
import type { OnnxPolicy } from '../../policy/index.ts';

export interface WeightsFeedOptions {
  readonly policy: Pick<OnnxPolicy, 'swap'>;
  /** The newest weights that have come and not been taken; `undefined` for none. */
  readonly take: () => PolicyWeights | undefined;
  /** The weights taken last act from now on. */
  readonly onTaken?: () => void;
  /** Weights were refused; the old ones go on acting. One sentence. */
  readonly onRefused: (sentence: string) => void;
  /** Pause before the work begins, ms: by then the step's command is on its way. */
  readonly pauseMs: number;
}

export class WeightsFeed {
  readonly #options: WeightsFeedOptions;
  #swapping: Promise<void> | undefined;

  constructor(options: WeightsFeedOptions) {
    this.#options = options;
  }

  /** Called between steps: begins a swap where there are new weights and none is under way. Never waits, never throws. */
  poll(): void {
    if (this.#swapping !== undefined) return;
    const weights = this.#options.take();
    if (weights === undefined) return;
    this.#swapping = this.#swap(weights).finally(() => {
      this.#swapping = undefined;
    });
  }

  /** Resolves when no swap is under way. */
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
    if (swapped.ok) onTaken?.();
    else onRefused(swapped.error.message);
  }
}
