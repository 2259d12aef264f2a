/** What a run leaves on disk: files and metrics; the guard's log has a door of its own. */
export {
  type EpisodeRecord,
  type MetricKind,
  type MetricRecord,
  parseMetrics,
  type SafetyRecord,
} from './metric-records.ts';
export { MetricsWriter } from './metrics-writer.ts';
export {
  type DrawnShape,
  decodeRecording,
  type EncodedRecording,
  type EpisodeRecording,
  encodeRecording,
} from './recording.ts';
export {
  appendLabels,
  checkSameLabels,
  type LabelFile,
  type LabelHeader,
  type LabelledState,
  type LabelPlace,
  type LabelSource,
  openLabels,
  readLabels,
} from './reward-labels.ts';
export { missedTargets, RUN_FILES, type RunSummary, restartsText, writeRecording } from './run-files.ts';
export { perHourText, type Work, type WorkRates, workOf, workRates, workRatesText } from './work-rates.ts';
