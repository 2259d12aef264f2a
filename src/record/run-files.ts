/** The files of a run's folder, and the summary in it. */
import { join } from 'node:path';
import { counted, makeFolder, percent, replaceFile } from '../core/index.ts';
import { type EpisodeRecording, encodeRecording } from './recording.ts';

/** Files in `runs/<id>/` that the report is made from. */
export const RUN_FILES = {
  metrics: 'metrics.jsonl',
  learnerMetrics: 'metrics-learner.jsonl',
  config: 'config.yaml',
  summary: 'summary.json',
  /** Folder of the learner's figures for TensorBoard, which follows one file a folder. */
  learnerEvents: 'learner',
  /** Folder of `EncodedRecording`s, shown in the order of their names. */
  recordings: 'recordings',
  report: 'report.html',
} as const;

/** What `--json` writes, and `summary.json` holds. Its keys are a public interface: only add. */
export interface RunSummary {
  readonly success_rate: number;
  readonly eval_episodes: number;
  /** Share of these episodes that the task's own rules call a success, where a classifier decides. */
  readonly own_success_rate?: number;
  readonly env_steps: number;
  readonly updates: number;
  readonly utd: number;
  readonly updates_per_s: number;
  readonly interventions: number;
  readonly intervention_steps: number;
  /** Successful evaluation episodes in an hour of the robot's time, resets included. */
  readonly successes_per_hour?: number;
  /** The same of the training episodes, with help and exploring. */
  readonly training_successes_per_hour?: number;
  /** Share of the training steps that a person or the scripted operator decided, 0..1; evaluation episodes have no help. */
  readonly human_step_share?: number;
  readonly wall_s: number;
  readonly seed: number;
  readonly safety: {
    readonly violations: number;
    readonly changed_ticks: number;
    readonly ticks: number;
    /** How often a simulated robot was started anew after a stop that wants a person; runs from before it was counted have none. */
    readonly restarts?: number;
    /** What stopped it before one of these: a message. */
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
  /** The success rate that the task's configuration asks for, 0..1. */
  readonly target_success_rate?: number;
  /** Wall time of the training alone, s. */
  readonly training_wall_s?: number;
  /** The training time that the task's configuration gives to compare with, s. */
  readonly target_training_wall_s?: number;
  /** Marks say what succeeded: no policy was validated, and the newest one is kept. */
  readonly judged_by?: 'people';
  /** Why training ended: a policy was confirmed, the steps were done, or the time was over that somebody gave it. */
  readonly ended_by?: 'confirmed' | 'steps' | 'wall';
  /** ISO 8601, UTC. */
  readonly started_at?: string;
  readonly versions?: Readonly<Record<string, string>>;
}

/** What a count of violations is followed by where a robot was started anew: `; robot started anew 2 times after … (why)`. */
export function restartsText(restarts = 0, why?: string): string {
  if (restarts === 0) return '';
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  return `; robot started anew ${times} after a stop of category 1${why === undefined ? '' : ` (${why})`}`;
}

/**
 * One message for each part of the target that a run missed, none where it met it: what exit codes and reports say. Time is no
 * part of it.
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
 * Writes one episode to `recordings/<name>.json`, from where the report takes it; gives its path.
 * Recordings are shown in the order of their names: `1-first`, `2-last`.
 */
export async function writeRecording(folder: string, name: string, recording: EpisodeRecording): Promise<string> {
  if (!/^[\w.-]+$/.test(name)) throw new RangeError(`"${name}" is not a plain file name`);
  makeFolder(join(folder, RUN_FILES.recordings));
  const path = join(folder, RUN_FILES.recordings, `${name}.json`);
  await replaceFile(path, JSON.stringify(encodeRecording(recording)));
  return path;
}
