/** From a study's file to the spec of one of its runs. */
import type { EnvironmentStudy, StudyFile } from '../../config/index.ts';
import type { TrialSpec } from '../trial/spec.ts';

/** Evaluation episodes are drawn from this, whatever the seed: all seeds and variants are measured on the same. */
export const EVALUATION_SEED = 1;

/** The run of `variant` with `seed`. Of keys that study and variant both have, the variant's count; options are merged. */
export function trialSpecOf({ study, learners }: StudyFile, variant: string, seed: number): TrialSpec {
  const { environment, options, evaluation, steps, variants, ...shared } = study as EnvironmentStudy;
  const own = variants[variant]!;
  const learner = learners[variant]!;
  const demonstrations = own.demonstrations ?? shared.demonstrations ?? null;
  return {
    formatVersion: 1,
    environment: { name: environment, options: { ...options, ...own.options } },
    base: own.base ?? shared.base ?? null,
    overseer: own.overseer ?? shared.overseer ?? null,
    learner,
    seed,
    steps,
    randomSteps: own.randomSteps ?? shared.randomSteps ?? (demonstrations === null ? learner.warmupSteps : 0),
    evaluation: { ...evaluation, seed: EVALUATION_SEED },
    demonstrations,
    from: null,
  };
}
