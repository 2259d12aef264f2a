export { type MetricsText, parseMetrics } from './metrics/reader.ts';
export type {
  CalibrationRecord,
  EpisodeRecord,
  EvaluationRecord,
  HistogramRecord,
  LinkRecord,
  MetricKind,
  MetricRecord,
  SafetyRecord,
  StepRecord,
  UpdateRecord,
  ValidationRecord,
} from './metrics/records.ts';
export { MetricsWriter, type MetricsWriterOptions } from './metrics/writer.ts';
export { createRunStatus, RUN_PHASES, type RunPhase, type RunStatus } from './status.ts';
export { renderLine, renderStatus } from './terminal/render-status.ts';
export { type DisplayStream, TerminalDisplay, type TerminalDisplayOptions } from './terminal/terminal-display.ts';
