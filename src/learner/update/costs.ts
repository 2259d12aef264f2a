/** Cost of the safety chain's interventions, as configured. */
import type { LearnerConfig } from '../options/learner-config.ts';

/** Weights of `LearnerConfig` that convert the chain's interventions to reward. */
export type CostWeights = Pick<
  LearnerConfig,
  'filterActivityCost' | 'tankDrainCostPerJ' | 'rewardScale' | 'rewardShift'
>;

/**
 * Reward as the critics learn it: the task's `reward`, minus `filterActivity` (fraction of the step's ticks changed by the filters,
 * 0..1) and `tankDrainJ` (energy that it took from the tank, J), each times its weight; then scaled and shifted. With
 * weights of 0, a scale of 1 and a shift of 0 it is the reward, bit for bit. `steps`: weight of the shift, Σ γⁱ over the steps
 * that the numbers are sums of.
 */
export function learnedReward(
  reward: number,
  filterActivity: number,
  tankDrainJ: number,
  { filterActivityCost, tankDrainCostPerJ, rewardScale, rewardShift }: CostWeights,
  steps = 1,
): number {
  return (
    (reward - filterActivityCost * filterActivity - tankDrainCostPerJ * tankDrainJ) * rewardScale + rewardShift * steps
  );
}
