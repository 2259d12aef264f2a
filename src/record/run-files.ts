/** Files of a run's folder, and its summary. */
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../host/index.ts';
import { counted, percent } from '../model/index.ts';
import { type EpisodeRecording, encodeRecording } from './recording.ts';

/** Files in `runs/<id>/` that the report is made from. */
export const RUN_FILES = {
  metrics: 'metrics.jsonl',
  learnerMetrics: 'metrics-learner.jsonl',
  config: 'config.yaml',
  summary: 'summary.json',
  /** Folder of the learner's TensorBoard events; TensorBoard follows one file per folder. */
  learnerEvents: 'learner',
  /** Folder of `EncodedRecording`s, shown in the order of their names. */
  recordings: 'recordings',
  report: 'report.html',
} as const;

/** Output of `--json`, and content of `summary.json`. Its keys are a public interface: only add. */
export interface RunSummary {
  readonly success_rate: number;
  readonly eval_episodes: number;
  /** Share of these episodes that are a success by the task's own rules, if a classifier decides. */
  readonly own_success_rate?: number;
  readonly env_steps: number;
  readonly updates: number;
  readonly utd: number;
  readonly updates_per_s: number;
  readonly interventions: number;
  readonly intervention_steps: number;
  /** Successful evaluation episodes per hour of the robot's time, resets included. */
  readonly successes_per_hour?: number;
  /** The same for training episodes, with help and exploration. */
  readonly training_successes_per_hour?: number;
  /** Share of the training steps decided by an operator or the scripted operator, 0..1; evaluation episodes have no help. */
  readonly human_step_share?: number;
  readonly wall_s: number;
  readonly seed: number;
  readonly safety: {
    readonly violations: number;
    readonly changed_ticks: number;
    readonly ticks: number;
    /** Restarts of a simulated robot after a stop that requires an operator; absent in runs from before it was counted. */
    readonly restarts?: number;
    /** Message of a stop that caused such a restart. */
    readonly restarted_for?: string;
  };
  readonly link: {
    readonly sent: number;
    readonly acked: number;
    readonly duplicated: number;
    readonly lost: number;
  };
  readonly policy_version: number;
  readonly task?: string;
  /** Success rate requested by the task's configuration, 0..1. */
  readonly target_success_rate?: number;
  /** Wall time of the training alone, s. */
  readonly training_wall_s?: number;
  /** Reference training time in the task's configuration, s. */
  readonly target_training_wall_s?: number;
  /** Success is decided by marks: no policy was validated, and the newest one is kept. */
  readonly judged_by?: 'people';
  /** Reason for the end of training: a policy was confirmed, the steps were done, or a given time was over. */
  readonly ended_by?: 'confirmed' | 'steps' | 'wall';
  /** ISO 8601, UTC. */
  readonly started_at?: string;
  readonly versions?: Readonly<Record<string, string>>;
}

/** Suffix of a count of violations if a robot was restarted: `; robot started anew 2 times after … (why)`. */
export function restartsText(restarts = 0, why?: string): string {
  if (restarts === 0) return '';
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  return `; robot started anew ${times} after a stop of category 1${why === undefined ? '' : ` (${why})`}`;
}

/**
 * Messages for each missed part of the run's target, empty if met; used for exit codes and reports. Time is not part of
 * it.
 */
export function missedTargets(summary: RunSummary): string[] {
  const { success_rate, target_success_rate: wanted = 0, safety, link } = summary;
  const missed: string[] = [];
  if (success_rate < wanted) missed.push(`success was ${percent(success_rate)}, the target is ${percent(wanted)}`);
  if (safety.violations > 0) missed.push(`limits were broken in ${counted(safety.violations, 'tick')}`);
  if (link.lost > 0) missed.push(`${link.lost} transitions were lost`);
  if (link.duplicated > 0) missed.push(`${link.duplicated} transitions were learned from twice`);
  return missed;
}

/**
 * Writes one episode to `recordings/<name>.json` for the report; returns its path. Recordings are shown in the order of
 * their names: `1-first`, `2-last`.
 */
export async function writeRecording(folder: string, name: string, recording: EpisodeRecording): Promise<string> {
  if (!/^[\w.-]+$/.test(name)) throw new RangeError(`"${name}" is not a plain file name`);
  makeFolder(join(folder, RUN_FILES.recordings));
  const path = join(folder, RUN_FILES.recordings, `${name}.json`);
  await replaceFile(path, JSON.stringify(encodeRecording(recording)));
  return path;
}
