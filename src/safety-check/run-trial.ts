/** Runs a trial of the plan: once, or as a search for the most harmful actions. */
import { Rng } from '../model/index.ts';
import { Genome } from './attack/genome.ts';
import { actionSpecOf, type TrialPlan, VARIANT_WORDS } from './attack/plan.ts';
import type { TrialName } from './result.ts';
import { TrialRun, type TrialSetting } from './trial.ts';
import { merged, type TrialOutcome } from './trial-outcome.ts';

/** Runs `plan`; a climber's attempts run one after the other, each based on the best so far. */
export function runTrial(setting: TrialSetting, plan: TrialPlan): TrialOutcome {
  const rng = new Rng(setting.seed).fork(`trial ${plan.index}`);
  const name: TrialName = {
    index: plan.index,
    adversary: plan.adversary,
    space: plan.space,
    plant: VARIANT_WORDS[plan.variant],
  };
  if (plan.attempts === 1) return new TrialRun(setting, plan, name, rng, undefined).run(plan.ticks);
  return climb(setting, plan, name, rng);
}

/** (1 + 1) search: a child replaces the best if it came at least as near to harm. */
function climb(setting: TrialSetting, plan: TrialPlan, name: TrialName, rng: Rng): TrialOutcome {
  const ticks = Math.ceil(plan.ticks / plan.attempts);
  const size = actionSpecOf(setting.model, plan).dimensions.length;
  const stepS = plan.ticksPerStep / setting.model.controlHz;
  const knotS = Math.max(stepS, 0.04);
  const knots = Math.ceil(ticks / setting.model.controlHz / knotS);
  const start = rng.state();
  let best = Genome.random(knots, size, knotS, rng);
  let bestHarm = Number.NEGATIVE_INFINITY;
  let sum: TrialOutcome | undefined;
  for (let attempt = 0; attempt < plan.attempts; attempt++) {
    const isNew = attempt < 3;
    const genome = isNew ? Genome.random(knots, size, knotS, rng) : best.child(rng);
    // All attempts have the same start: only the actions differ.
    const outcome = new TrialRun(setting, plan, name, new Rng(start), genome).run(ticks);
    const harm = plan.adversary === 'climbMargin' ? -outcome.marginMin : outcome.peakKineticJ;
    if (harm >= bestHarm) [best, bestHarm] = [genome, harm];
    sum = sum === undefined ? outcome : merged(sum, outcome);
  }
  return sum!;
}
