export {
  type CalibrationRecord,
  type EpisodeRecord,
  type EvaluationRecord,
  type HistogramRecord,
  type LinkRecord,
  type MetricKind,
  type MetricRecord,
  type MetricsText,
  MetricsWriter,
  type MetricsWriterOptions,
  parseMetrics,
  type SafetyRecord,
  type StepRecord,
  type UpdateRecord,
  type ValidationRecord,
} from './metrics/index.ts';
export { loadReportData } from './report/load-report-data.ts';
export { renderReport } from './report/page.ts';
export {
  decodeRecording,
  type EncodedRecording,
  type EpisodeRecording,
  encodeRecording,
  type RecordedGeom,
} from './report/recording.ts';
export { type ReportData, RUN_FILES, type RunSummary } from './report/report-data.ts';
export { renderStill, type StillOptions } from './report/still.ts';
export { writeRecording, writeReport } from './report/write-report.ts';
export { createRunStatus, RUN_PHASES, type RunPhase, type RunStatus } from './status.ts';
export { renderLine, renderStatus } from './terminal/render-status.ts';
export { type DisplayStream, TerminalDisplay, type TerminalDisplayOptions } from './terminal/terminal-display.ts';
