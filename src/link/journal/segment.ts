/**
 * One journal file: a header, then records of one size, each followed by its CRC-32C. Append only. A run's journal consists of all
 * segments of all epochs in the order of their names.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../../model/index.ts';
import { crc32c, type Transition } from '../../rows/index.ts';
import { encodeRecord, RECORD_VERSION, type RecordSizes, recordBytes } from '../record.ts';
import { fault, hashBytes, hexOf, type LinkFault } from '../wire.ts';

export const SEGMENT_HEADER_BYTES = 128;
const MAX_RUN_ID_BYTES = 64;
const MAGIC = 'REINJRNL';
const NAME = /^epoch-(\d{6,})-(\d{4,})\.journal$/;
const CHUNK_BYTES = 1024 * 1024;

/** Header of every segment. */
export interface SegmentHeader extends RecordSizes {
  readonly schemaHash: string;
  /** Sixteen hexadecimal digits drawn when the journal was created: distinguishes it from another one of the same robot. */
  readonly journalId: string;
  readonly runId: string;
  readonly epoch: number;
  /** Number of the segment within its epoch, from 0. */
  readonly index: number;
}

/** A segment found on disk. */
export interface SegmentName {
  readonly path: string;
  readonly epoch: number;
  readonly index: number;
}

/** Size of one record in a segment, bytes. */
export function slotBytes(sizes: RecordSizes): number {
  return recordBytes(sizes) + 4;
}

/** Path of a segment. */
export function segmentPath(dir: string, epoch: number, index: number): string {
  return join(dir, `epoch-${String(epoch).padStart(6, '0')}-${String(index).padStart(4, '0')}.journal`);
}

/** The segments in `dir`, oldest first. Throws the file system's errors. */
export function listSegments(dir: string): SegmentName[] {
  const names = readdirSync(dir).flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ path: join(dir, name), epoch: Number(match[1]), index: Number(match[2]) }];
  });
  return names.sort((a, b) => a.epoch - b.epoch || a.index - b.index);
}

/** Encodes a header. Throws `RangeError` if the run id is longer than 64 bytes. */
export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  const runId = Buffer.from(header.runId, 'utf8');
  if (runId.length > MAX_RUN_ID_BYTES) throw new RangeError(`the run id is longer than ${MAX_RUN_ID_BYTES} bytes`);
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(Buffer.from(MAGIC, 'latin1'), 0);
  const numbers = [
    [8, RECORD_VERSION],
    [12, SEGMENT_HEADER_BYTES],
    [32, header.observationSize],
    [36, header.actionSize],
    [40, recordBytes(header)],
    [44, header.epoch],
    [48, header.index],
    [52, runId.length],
  ] as const;
  for (const [offset, value] of numbers) view.setUint32(offset, value, true);
  bytes.set(hashBytes(header.schemaHash), 16);
  bytes.set(hashBytes(header.journalId), 24);
  bytes.set(runId, 56);
  view.setUint32(124, crc32c(bytes.subarray(0, 124)), true);
  return bytes;
}

/** Decodes a header; a fault if it is torn, of another version or inconsistent. */
export function decodeSegmentHeader(bytes: Uint8Array): Result<SegmentHeader, LinkFault> {
  if (bytes.length < SEGMENT_HEADER_BYTES) return fault('too-short', 'the file ends inside its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, SEGMENT_HEADER_BYTES);
  if (Buffer.from(bytes.subarray(0, 8)).toString('latin1') !== MAGIC) {
    return fault('bad-magic', `the file does not start with "${MAGIC}"`);
  }
  if (view.getUint32(124, true) !== crc32c(bytes.subarray(0, 124))) {
    return fault('bad-checksum', 'the checksum of the file header differs');
  }
  if (view.getUint32(8, true) !== RECORD_VERSION) {
    const message = `its records are of version ${view.getUint32(8, true)}, this version of Rein reads ${RECORD_VERSION}`;
    return fault('bad-version', message);
  }
  const runIdLength = view.getUint32(52, true);
  const header: SegmentHeader = {
    schemaHash: hexOf(bytes, 16),
    journalId: hexOf(bytes, 24),
    observationSize: view.getUint32(32, true),
    actionSize: view.getUint32(36, true),
    epoch: view.getUint32(44, true),
    index: view.getUint32(48, true),
    runId: Buffer.from(bytes.subarray(56, 56 + Math.min(runIdLength, MAX_RUN_ID_BYTES))).toString('utf8'),
  };
  if (view.getUint32(40, true) !== recordBytes(header) || runIdLength > MAX_RUN_ID_BYTES) {
    return fault('bad-length', 'the sizes in the file header contradict each other');
  }
  return ok(header);
}

/** Reads the header of the segment at `path`. */
export function readSegmentHeader(path: string): Result<SegmentHeader, LinkFault> {
  const fd = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
    return decodeSegmentHeader(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
  } finally {
    closeSync(fd);
  }
}

/** One slot of a segment: its record, and whether the checksum is valid. `bytes` is valid until the next slot is requested. */
export interface Slot {
  readonly bytes: Uint8Array;
  readonly isIntact: boolean;
}

/** Iterates over a segment's first `count` complete slots in order. A slot truncated by the end of the file is skipped. */
export function* readSlots(
  path: string,
  sizes: RecordSizes,
  count: number = Number.POSITIVE_INFINITY,
): Generator<Slot> {
  const slot = slotBytes(sizes);
  const chunk = new Uint8Array(Math.max(1, Math.floor(CHUNK_BYTES / slot)) * slot);
  const fd = openSync(path, 'r');
  try {
    let position = SEGMENT_HEADER_BYTES;
    for (let left = count; left > 0; ) {
      const whole = Math.min(left, Math.floor(readSync(fd, chunk, 0, chunk.length, position) / slot));
      if (whole === 0) return;
      for (let i = 0; i < whole; i++) yield slotAt(chunk, i * slot, slot);
      position += whole * slot;
      left -= whole;
    }
  } finally {
    closeSync(fd);
  }
}

/** Writes the checksum after the record of the slot of `slot` bytes at `offset`. Allocates only a view. */
export function sealSlot(bytes: Uint8Array, view: DataView, offset: number, slot: number): void {
  view.setUint32(offset + slot - 4, crc32c(bytes.subarray(offset, offset + slot - 4)), true);
}

/** Encodes `transition` as a single slot. Throws `RangeError` as `encodeRecord` does. */
export function recordSlot(transition: Transition, sizes: RecordSizes): Uint8Array {
  const bytes = new Uint8Array(slotBytes(sizes));
  const view = new DataView(bytes.buffer);
  encodeRecord(view, 0, transition, sizes);
  sealSlot(bytes, view, 0, bytes.length);
  return bytes;
}

/** Reads the slot of `slot` bytes at `offset` and checks it. */
export function slotAt(bytes: Uint8Array, offset: number, slot: number): Slot {
  const record = bytes.subarray(offset, offset + slot - 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset + slot - 4, 4);
  return { bytes: record, isIntact: view.getUint32(0, true) === crc32c(record) };
}
