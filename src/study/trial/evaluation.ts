/** How good a policy is: episodes without exploring, the same for every seed and every method. */
import { type Environment, Rng } from '../../core/index.ts';
import type { Actor } from './actor.ts';

/** Sums over each evaluation episode, undiscounted, in the order of the episodes. */
export interface EvaluationResult {
  readonly returns: readonly number[];
  readonly costs: readonly number[];
  readonly lengths: readonly number[];
  /** Episodes that were solved; `null` where the task knows only returns. */
  readonly successes: number | null;
}

/** Runs `episodes` episodes that are drawn from `seed` alone. Leaves `environment` in the last one. */
export async function evaluatePolicy(
  environment: Environment,
  actor: Actor,
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
    environment.reset(rng);
    let [reward, cost, length, isSuccess] = [0, 0, 0, false];
    while (length < environment.maxSteps) {
      await actor.act(environment.observation, action, rng, false);
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
