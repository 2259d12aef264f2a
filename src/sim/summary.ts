/** What came of a run, in numbers, held against what the task asks for. */
import type { GuardFrame } from '../core/index.ts';
import type { LearnerStatus } from '../link/index.ts';
import { missedTargets, type RunSummary, workRates } from '../record/index.ts';
import { type TrialResult, trialRates } from './evaluation-pool.ts';
import type { Rig } from './rig.ts';
import type { TrainingResult } from './training.ts';

export interface SummaryInput {
  readonly rig: Rig;
  readonly training: TrainingResult;
  readonly evaluation: TrialResult;
  /** What the learner came to; `undefined` where it did not say. */
  readonly learner: LearnerStatus | undefined;
  readonly trainingWallS: number;
  readonly startedAt: Date;
  /** The training guard's newest frame: its counters cover demonstrations and training. */
  readonly guard: GuardFrame;
}

/** The summary, and one sentence for each part of the target that was missed. */
export function summarise(input: SummaryInput): { summary: RunSummary; missed: string[] } {
  const { rig, training, evaluation, learner, trainingWallS, startedAt, guard } = input;
  const { log, setup } = rig;
  const { task, seed, versions } = setup.config;
  const { sent, acked, duplicated, lost } = log.status.link;
  const trained = workRates(training.work);
  const evaluated = trialRates(evaluation, setup.config.robot.controlHz).successesPerHour;
  const restartedFor = evaluation.restartedFor ?? training.validationRestartedFor ?? rig.robot.restartedFor;
  const summary: RunSummary = {
    success_rate: evaluation.successes / evaluation.episodes,
    eval_episodes: evaluation.episodes,
    env_steps: training.steps,
    updates: learner?.updates ?? 0,
    utd: learner?.utd ?? 0,
    updates_per_s: (learner?.updates ?? 0) / trainingWallS,
    interventions: training.interventions,
    intervention_steps: training.interventionSteps,
    ...(evaluated === undefined ? {} : { successes_per_hour: evaluated }),
    ...(trained.successesPerHour === undefined ? {} : { training_successes_per_hour: trained.successesPerHour }),
    human_step_share: trained.humanStepShare,
    wall_s: log.elapsedS,
    seed,
    safety: {
      violations: guard.violations + evaluation.violations,
      changed_ticks: guard.changedTicks + evaluation.changedTicks,
      ticks: guard.ticks + evaluation.ticks,
      restarts: rig.robot.restarts + training.validationRestarts + evaluation.restarts,
      ...(restartedFor === undefined ? {} : { restarted_for: restartedFor }),
    },
    link: { sent, acked, duplicated, lost },
    policy_version: training.kept.bundle.manifest.version,
    task: task.name,
    target_success_rate: task.target.successRate,
    training_wall_s: trainingWallS,
    ...(task.target.trainingWallS === undefined ? {} : { target_training_wall_s: task.target.trainingWallS }),
    ended_by: training.endedBy,
    started_at: startedAt.toISOString(),
    versions,
  };
  return { summary, missed: missedTargets(summary) };
}
