/** Figures of a run, compared with the task's target. */
import type { RunSetup } from '../config/setup.ts';
import type { LearnerStatus } from '../link/index.ts';
import { missedTargets, type RunSummary, type Work, workRates } from '../record/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import type { RunStatus } from '../session/index.ts';
import { isJudgedByPeople } from '../tasks/index.ts';
import { type TrialResult, trialRates } from './evaluation-pool.ts';
import { addRestarts, type Restarts } from './simulated-robot.ts';
import type { TrainingResult } from './training-plan.ts';

export interface SummaryInput {
  readonly setup: RunSetup;
  readonly training: TrainingResult;
  readonly evaluation: TrialResult;
  /** Work of the training episodes, in simulated time, and the number of interventions. */
  readonly work: Work;
  readonly interventions: number;
  /** Final status of the learner; `undefined` if it sent none. */
  readonly learner: LearnerStatus | undefined;
  readonly link: RunStatus['link'];
  readonly startedAt: Date;
  /** Of demonstrations and training. */
  readonly trainingWallS: number;
  /** Of the whole command. */
  readonly wallS: number;
  /** The training robot: its guard's counters cover demonstrations and training. */
  readonly robot: {
    readonly guard: Pick<GuardFrame, 'violations' | 'changedTicks' | 'ticks'>;
    readonly restarts: Restarts;
  };
}

function safetyOf({ robot, training, evaluation }: SummaryInput): RunSummary['safety'] {
  const { guard } = robot;
  const restarts = addRestarts(addRestarts(robot.restarts, training.restarts), evaluation.restarts);
  return {
    violations: guard.violations + evaluation.violations,
    changed_ticks: guard.changedTicks + evaluation.changedTicks,
    ticks: guard.ticks + evaluation.ticks,
    restarts: restarts.count,
    ...(restarts.reason === undefined ? {} : { restarted_for: restarts.reason }),
  };
}

/** Returns the summary, and one sentence for each part of the target that was missed. */
export function summarise(input: SummaryInput): { summary: RunSummary; missed: string[] } {
  const { setup, training, evaluation, work, learner, trainingWallS, startedAt } = input;
  const { task, seed, versions } = setup.config;
  const { sent, acked, duplicated, lost } = input.link;
  const trained = workRates(work);
  const evaluated = trialRates(evaluation, setup.config.robot.controlHz).successesPerHour;
  const summary: RunSummary = {
    success_rate: evaluation.successes / Math.max(1, evaluation.episodes),
    eval_episodes: evaluation.episodes,
    ...(evaluation.ownSuccesses === undefined
      ? {}
      : { own_success_rate: evaluation.ownSuccesses / evaluation.episodes }),
    env_steps: work.steps,
    updates: learner?.updates ?? 0,
    utd: learner?.utd ?? 0,
    updates_per_s: (learner?.updates ?? 0) / trainingWallS,
    interventions: input.interventions,
    intervention_steps: work.helpedSteps,
    ...(evaluated === undefined ? {} : { successes_per_hour: evaluated }),
    ...(trained.successesPerHour === undefined ? {} : { training_successes_per_hour: trained.successesPerHour }),
    human_step_share: trained.humanStepShare,
    wall_s: input.wallS,
    seed,
    safety: safetyOf(input),
    link: { sent, acked, duplicated, lost },
    policy_version: training.kept.bundle.manifest.version,
    task: task.name,
    target_success_rate: task.target.successRate,
    training_wall_s: trainingWallS,
    ...(task.target.trainingWallS === undefined ? {} : { target_training_wall_s: task.target.trainingWallS }),
    ...(isJudgedByPeople(task) ? { judged_by: 'people' } : {}),
    ended_by: training.endedBy,
    started_at: startedAt.toISOString(),
    versions,
  };
  return { summary, missed: missedTargets(summary) };
}
