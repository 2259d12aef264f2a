export { type MetricRecord, MetricsWriter } from './metrics/index.ts';
export { loadReportData } from './report/load-report-data.ts';
export type { EpisodeRecording } from './report/recording.ts';
export { RUN_FILES, type RunSummary } from './report/report-data.ts';
export { writeRecording, writeReport } from './report/write-report.ts';
export { createRunStatus, type RunPhase, type RunStatus } from './status.ts';
export { TerminalDisplay } from './terminal/terminal-display.ts';
