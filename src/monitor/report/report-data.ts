/** Everything that a report shows, as plain data. */
import type { EpisodeRecording, MetricRecord, RunSummary } from '../../record/index.ts';

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
