export { parseMetrics } from './reader.ts';
export type { MetricKind, MetricRecord } from './records.ts';
export { MetricsWriter } from './writer.ts';
