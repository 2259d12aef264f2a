/**
 * Metrics as TensorBoard event files: records framed as TFRecords
 * (https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details), each an `Event` of scalars
 * (https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto). A file truncated by a
 * crash is readable up to there.
 */
import { join } from 'node:path';
import { crc32c, ProtoWriter } from '../rows/index.ts';
import type { MetricKind, MetricRecord } from './metric-records.ts';

/** Kinds drawn as curves; with a field name, each value of that field, such as training and demonstration, has its own. */
const CURVES: Partial<Record<MetricKind, string | true>> = {
  episode: 'purpose',
  update: true,
  values: true,
  pretraining: 'phase',
  validation: true,
  evaluation: 'label',
  link: true,
  safety: true,
};

/** Fields that locate a record in the run. */
const STAMPS: readonly string[] = ['kind', 'tS', 'envStep', 'episode'];

let files = 0;

/** Path of a new file in `folder`: its name sorts after those of earlier starts, and is unique to the process. */
export function eventFile(folder: string): string {
  const startedS = String(Math.floor(Date.now() / 1e3)).padStart(10, '0');
  return join(folder, `events.out.tfevents.${startedS}.rein.${process.pid}.${files++}`);
}

/** Header of a file. */
export function eventFileHead(): Uint8Array {
  return event(0, (into) => into.text(3, 'brain.Event:2'));
}

/** Points of the curves of `record`, encoded for appending to a file; `undefined` if it has none. */
export function eventOf(record: MetricRecord): Uint8Array | undefined {
  const by = Object.hasOwn(CURVES, record.kind) ? CURVES[record.kind] : undefined;
  if (by === undefined) return undefined;
  const values = Object.entries(record).filter(([key]) => !STAMPS.includes(key) && key !== by);
  const part = by === true ? '' : `/${(record as unknown as Readonly<Record<string, string>>)[by]}`;
  const scalars = scalarsOf(`${record.kind}${part}`, values);
  if (record.kind === 'validation' || record.kind === 'evaluation') {
    scalars.push([`${record.kind}${part}/successRate`, record.successes / record.episodes]);
  }
  const told = scalars.filter(([, value]) => Number.isFinite(value));
  if (told.length === 0) return undefined;
  return event(stepOf(record), (into) =>
    into.message(5, (summary) => {
      for (const [tag, value] of told) {
        summary.message(1, (point) => {
          point.text(1, tag);
          point.float(2, value);
        });
      }
    }),
  );
}

/** Step axis: before there are training steps, the update or episode number. */
function stepOf(record: MetricRecord): number {
  if (record.kind === 'pretraining') return record.update;
  return record.kind === 'episode' && record.purpose === 'demonstration' ? record.episode : record.envStep;
}

/** Numbers, booleans as 1 or 0, and those of nested groups; lists are no curves. */
function scalarsOf(prefix: string, entries: readonly (readonly [string, unknown])[]): [string, number][] {
  return entries.flatMap(([key, value]): [string, number][] => {
    const tag = `${prefix}/${key}`;
    if (typeof value === 'number' || typeof value === 'boolean') return [[tag, Number(value)]];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return scalarsOf(tag, Object.entries(value));
  });
}

/** Event with the present time, framed. */
function event(step: number, write: (into: ProtoWriter) => void): Uint8Array {
  const content = new ProtoWriter();
  content.double(1, Date.now() / 1e3);
  content.int(2, step);
  write(content);
  return framed(content.finish());
}

/** Length and content, each with its checksum. */
function framed(content: Uint8Array): Uint8Array {
  const head = new Uint8Array(12);
  const view = new DataView(head.buffer);
  view.setBigUint64(0, BigInt(content.length), true);
  view.setUint32(8, masked(crc32c(head.subarray(0, 8))), true);
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, masked(crc32c(content)), true);
  return Buffer.concat([head, content, tail]);
}

/** Masking as in TFRecord, for checksums of data that contain checksums. */
function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
