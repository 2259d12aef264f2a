/** Data of a point of a curve: quality of a policy, and metrics of the learner since the previous point. */

import type { UpdateMetrics } from '../../../../src/learner/index.ts';
import { type Environment, Rng } from '../../../../src/model/index.ts';
import type { Policy } from '../../../../src/policy/index.ts';

/** Sums over each evaluation episode, undiscounted, in the order of the episodes. */
export interface EvaluationResult {
  readonly returns: readonly number[];
  readonly costs: readonly number[];
  readonly lengths: readonly number[];
  /** Number of solved episodes; `null` if the task reports only returns. */
  readonly successes: number | null;
}

/** Runs `episodes` episodes without exploration, drawn from `seed` alone: equal for all methods. Leaves `environment` in the last one. */
export async function evaluatePolicy(
  environment: Environment,
  policy: Policy,
  episodes: number,
  seed: number,
): Promise<EvaluationResult> {
  const result = {
    returns: [] as number[],
    costs: [] as number[],
    lengths: [] as number[],
    successes: null as number | null,
  };
  const action = new Float32Array(environment.actionSize);
  for (let episode = 0; episode < episodes; episode++) {
    const rng = new Rng(seed).fork(`episode ${episode}`);
    const noise = { rng, purpose: 'evaluate' } as const;
    environment.reset(rng);
    let [reward, cost, length, isSuccess] = [0, 0, 0, false];
    while (length < environment.maxSteps) {
      await policy.decide(environment.observation, noise, action);
      environment.step(action);
      reward += environment.reward;
      cost += environment.cost;
      length++;
      isSuccess ||= environment.isSuccess === true;
      if (environment.isTerminated) break;
    }
    result.returns.push(reward);
    result.costs.push(cost);
    result.lengths.push(length);
    if (environment.isSuccess !== undefined) result.successes = (result.successes ?? 0) + (isSuccess ? 1 : 0);
  }
  return result;
}

/** Sums so far; plain data, for a checkpoint. */
export interface LearnedState {
  readonly calls: number;
  readonly refused: number;
  readonly sums: Readonly<Record<string, number>>;
}

/** Means of the learner's metrics between two evaluations. */
export class LearnedMeans {
  #calls = 0;
  #refused = 0;
  #sums: Record<string, number> = {};

  /** Continues from `state` if given. */
  constructor(state?: LearnedState) {
    if (state === undefined) return;
    this.#calls = state.calls;
    this.#refused = state.refused;
    this.#sums = { ...state.sums };
  }

  /** Adds one training call. Refused calls are counted, and excluded from the means. */
  add(metrics: UpdateMetrics): void {
    if (metrics.isRefused) {
      this.#refused++;
      return;
    }
    this.#calls++;
    for (const [name, value] of Object.entries(metrics.values)) this.#sums[name] = (this.#sums[name] ?? 0) + value;
  }

  /** Returns the means since the last `take`, and the number of refused calls. */
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
