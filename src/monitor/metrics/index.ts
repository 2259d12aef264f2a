export { type MetricsText, parseMetrics } from './reader.ts';
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
} from './records.ts';
export { MetricsWriter, type MetricsWriterOptions } from './writer.ts';
