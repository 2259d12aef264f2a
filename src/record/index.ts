/** Files and metrics of a run, and their diagnosis; the guard's log has its own entry point. */
export { quantityText, type Row, type RowState } from './diagnosis/check.ts';
export { Diagnosis } from './diagnosis/diagnosis.ts';
export {
  type EpisodeRecord,
  type HelpRecord,
  type LearnerFigures,
  type MetricKind,
  type MetricRecord,
  type OnsetCause,
  parseMetrics,
  type ResetRecord,
  type SafetyRecord,
  type SegmentRecord,
  type SetupRecord,
  type UnstampedRecord,
} from './metric-records.ts';
export { MetricsWriter } from './metrics-writer.ts';
export {
  decodeRecording,
  type EncodedRecording,
  type EpisodeRecording,
  encodeRecording,
} from './recording.ts';
export {
  appendRelabels,
  type EpisodePlace,
  RELABEL_WORDS,
  type Relabel,
  Relabelling,
  type RelabelWord,
  readRelabelling,
  relabelOf,
  relabelText,
  undoOf,
} from './relabelling.ts';
export {
  appendLabels,
  checkSameLabels,
  episodeText,
  type LabelFile,
  type LabelHeader,
  type LabelledState,
  type LabelPlace,
  type LabelSource,
  openLabels,
  readLabels,
} from './reward-labels.ts';
export { missedTargets, RUN_FILES, type RunSummary, restartsText, writeRecording } from './run-files.ts';
export { RunMetrics } from './run-metrics.ts';
export {
  appendRung,
  type Ladder,
  type LadderSubject,
  ladderOf,
  RUNG_SPEED,
  RUNGS,
  type Rung,
  type RungRecord,
  readRungs,
  rungLogPath,
} from './rung-log.ts';
export { type MeasuredStop, readStops, recordStops } from './stop-record.ts';
export { perHourText, type Work, type WorkRates, workOf, workRates, workRatesText } from './work-rates.ts';
