/** Means of what the learner reports between two evaluations. */
import type { UpdateMetrics } from '../../learner/index.ts';

/** Sums so far; plain data, for a checkpoint. */
export interface LearnedState {
  readonly calls: number;
  readonly refused: number;
  readonly sums: Readonly<Record<string, number>>;
}

export class LearnedMeans {
  #calls = 0;
  #refused = 0;
  #sums: Record<string, number> = {};

  /** Continues from `state` where one is given. */
  constructor(state?: LearnedState) {
    if (state === undefined) return;
    this.#calls = state.calls;
    this.#refused = state.refused;
    this.#sums = { ...state.sums };
  }

  /** Takes in one training call. What was refused counts, and does not spoil the means. */
  add(metrics: UpdateMetrics): void {
    if (metrics.isRefused) {
      this.#refused++;
      return;
    }
    this.#calls++;
    for (const [name, value] of Object.entries(metrics.values)) this.#sums[name] = (this.#sums[name] ?? 0) + value;
  }

  /** The means since the last `take`, and how many calls were refused. */
  take(): { readonly refused: number; readonly means: Readonly<Record<string, number>> } {
    const calls = Math.max(1, this.#calls);
    const means = Object.fromEntries(Object.entries(this.#sums).map(([name, sum]) => [name, sum / calls]));
    const refused = this.#refused;
    this.#calls = 0;
    this.#refused = 0;
    this.#sums = {};
    return { refused, means };
  }

  state(): LearnedState {
    return { calls: this.#calls, refused: this.#refused, sums: { ...this.#sums } };
  }
}
