/** Reads JSON-lines metrics back, as far as they are readable. */
import { parseObject } from '../core/index.ts';
import type { MetricKind, MetricRecord } from './metric-records.ts';

const KINDS: ReadonlySet<string> = new Set<MetricKind>([
  'step',
  'episode',
  'update',
  'validation',
  'evaluation',
  'calibration',
  'link',
  'safety',
  'histogram',
]);

export interface MetricsText {
  readonly records: readonly MetricRecord[];
  /** Lines that were cut, broken or of an unknown kind. */
  readonly skipped: number;
}

/**
 * The records of a `metrics.jsonl`, in order. A line that a crash cut, or that a newer version wrote, is
 * skipped and counted. Fields are not checked one by one: consumers treat a missing number as unknown.
 */
export function parseMetrics(text: string): MetricsText {
  const records: MetricRecord[] = [];
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const record = parseLine(line);
    if (record === undefined) skipped++;
    else records.push(record);
  }
  return { records, skipped };
}

function parseLine(line: string): MetricRecord | undefined {
  const value = parseObject(line);
  const kind = value?.['kind'];
  return typeof kind === 'string' && KINDS.has(kind) ? (value as unknown as MetricRecord) : undefined;
}
