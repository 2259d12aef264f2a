/** Everything that a report shows, as plain data, and where in a run's folder it comes from. */
import type { MetricRecord } from '../metrics/index.ts';
import type { EpisodeRecording } from './recording.ts';

/** Files in `runs/<id>/` that the report is made from. */
export const RUN_FILES = {
  metrics: 'metrics.jsonl',
  config: 'config.yaml',
  summary: 'summary.json',
  /** Folder of `EncodedRecording`s, shown in the order of their names. */
  recordings: 'recordings',
  report: 'report.html',
} as const;

/** What `--json` writes, and `summary.json` holds. Its keys are a public interface: only add. */
export interface RunSummary {
  readonly success_rate: number;
  readonly eval_episodes: number;
  readonly env_steps: number;
  readonly updates: number;
  readonly utd: number;
  readonly updates_per_s: number;
  readonly interventions: number;
  readonly intervention_steps: number;
  readonly wall_s: number;
  readonly seed: number;
  readonly safety: { readonly violations: number; readonly changed_ticks: number; readonly ticks: number };
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
  /** ISO 8601, UTC. */
  readonly started_at?: string;
  readonly versions?: Readonly<Record<string, string>>;
}

export interface ReportData {
  readonly runId: string;
  /** Null where the run ended before it could sum up. */
  readonly summary: RunSummary | null;
  /** The resolved configuration as it was written to the run's folder. */
  readonly configText: string;
  readonly records: readonly MetricRecord[];
  /** Lines of the metrics file that could not be read. */
  readonly skippedLines: number;
  readonly recordings: readonly EpisodeRecording[];
}
