/** What the work of the safety chain costs a policy, where a run says that it costs something. */
import type { LearnerConfig } from '../options/learner-config.ts';

/** The weights of `LearnerConfig` that turn the chain's work into reward. */
export type CostWeights = Pick<
  LearnerConfig,
  'filterActivityCost' | 'tankDrainCostPerJ' | 'rewardScale' | 'rewardShift'
>;

/**
 * What the critics take for the reward of a step: the task's `reward`, less `filterActivity` (share of its ticks that the
 * filters changed, 0..1) and `tankDrainJ` (energy that it took from the tank, J), each times its weight; then scaled and shifted. With
 * weights of 0, a scale of 1 and a shift of 0 the reward, bit for bit. `steps`: how often the shift counts, Σ γⁱ over the steps that the
 * numbers are sums of.
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
