/** What a run writes down and shows: metrics, recordings, summary, status. Monitors read it. */
export type { EpisodeRecord, EvaluationRecord, MetricKind, MetricRecord } from './metric-records.ts';
export { parseMetrics } from './metrics-reader.ts';
export { MetricsWriter } from './metrics-writer.ts';
export {
  DRAWN_SHAPES,
  type DrawnShape,
  decodeRecording,
  type EncodedRecording,
  type EpisodeRecording,
  encodeRecording,
  type RecordedGeom,
} from './recording.ts';
export { missedTargets, RUN_FILES, type RunSummary, restartsText, writeRecording } from './run-files.ts';
export { SafetyTally } from './safety-tally.ts';
export { createRunStatus, RUN_PHASES, type RunPhase, type RunStatus, type ToolView } from './status.ts';
export { perHourText, type Work, type WorkRates, workOf, workRates, workRatesText } from './work-rates.ts';
