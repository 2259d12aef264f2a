/** Services and actions that the node offers, as plain objects with the fields of their definitions in `srv/` and `action/`. */
import type { ActionType, ServiceType } from '../../port/index.ts';

export interface TriggerAnswer {
  readonly success: boolean;
  readonly message: string;
}
export const Trigger: ServiceType<Record<string, never>, TriggerAnswer> = { name: 'std_srvs/srv/Trigger' };

export interface MarkRequest {
  /** `MARK_SUCCESS` or `MARK_FAILURE`. */
  readonly mark: number;
  readonly note: string;
}
export const MARK_SUCCESS = 0;
export const MARK_FAILURE = 1;
export const Mark: ServiceType<MarkRequest, TriggerAnswer> = { name: 'rein/srv/Mark' };

export interface SavePolicyRequest {
  /** Empty: the run's folder. */
  readonly path: string;
}
export interface SavePolicyAnswer extends TriggerAnswer {
  readonly path: string;
  readonly version: bigint;
}
export const SavePolicy: ServiceType<SavePolicyRequest, SavePolicyAnswer> = { name: 'rein/srv/SavePolicy' };

export interface RunEpisodeGoal {
  /** `training` or `evaluation`. */
  readonly purpose: string;
  /** 0: the task's. */
  readonly max_steps: number;
}
export interface RunEpisodeFeedback {
  readonly step: number;
  readonly reward: number;
  readonly authority: string;
  readonly filter_bits: number;
}
export interface RunEpisodeResult {
  readonly success: boolean;
  readonly steps: number;
  readonly intervention_steps: number;
  readonly episode_return: number;
  readonly ended_by: string;
}
export const RunEpisode: ActionType<RunEpisodeGoal, RunEpisodeFeedback, RunEpisodeResult> = {
  name: 'rein/action/RunEpisode',
};

export interface EvaluateGoal {
  /** 0: the task's. */
  readonly episodes: number;
}
export interface EvaluateFeedback {
  readonly done: number;
  readonly successes: number;
}
export interface EvaluateResult {
  readonly episodes: number;
  readonly successes: number;
  readonly success_rate: number;
  readonly low: number;
  readonly high: number;
  readonly mean_steps: number;
  readonly successes_per_hour: number;
  readonly human_step_share: number;
}
export const Evaluate: ActionType<EvaluateGoal, EvaluateFeedback, EvaluateResult> = { name: 'rein/action/Evaluate' };
