/** Summary of an evaluation's episodes. */
import { wilsonInterval } from '../model/index.ts';
import { workRates } from '../record/index.ts';
import type { EpisodeReport, EvaluationReport } from './session-types.ts';

/** Summarises finished episodes, which took `robotS` seconds. Helped episodes are no successes. */
export function evaluationOf(done: readonly EpisodeReport[], robotS: number): EvaluationReport {
  const successes = successesOf(done);
  const { low, high } = done.length === 0 ? { low: 0, high: 1 } : wilsonInterval(successes, done.length);
  const steps = done.reduce((sum, report) => sum + report.steps, 0);
  const helpedSteps = done.reduce((sum, report) => sum + report.interventionSteps, 0);
  const rates = workRates({ successes, steps, helpedSteps, robotS });
  const per = Math.max(1, done.length);
  return {
    episodes: done.length,
    successes,
    successRate: successes / per,
    low,
    high,
    meanSteps: steps / per,
    successesPerHour: rates.successesPerHour ?? 0,
    humanStepShare: rates.humanStepShare,
  };
}

/** Number of episodes that succeeded without help. */
export function successesOf(done: readonly EpisodeReport[]): number {
  return done.filter(({ success, interventions }) => success && interventions === 0).length;
}
