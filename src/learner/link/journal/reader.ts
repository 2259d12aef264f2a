/** Reading a run's journal back: whole, to rebuild a replay buffer, or onwards from a record, to send it again. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Transition } from '../../../core/index.ts';
import type { LinkFault } from '../fault.ts';
import { decodeRecord, peekId, type RecordId, type RecordSizes } from '../record.ts';
import {
  listSegments,
  readSegmentHeader,
  readSlots,
  SEGMENT_HEADER_BYTES,
  type SegmentName,
  slotBytes,
} from './segment.ts';

/** What of a journal is not given, and where it lies. */
export interface JournalLoss {
  readonly path: string;
  /** Its first record, counted from 1 within the file; 0: the file's header. */
  readonly record: number;
  /** How many records; `undefined` where that cannot be known. */
  readonly records: number | undefined;
}

/** How a journal is read. */
export interface ReadJournalOptions {
  /** Told of every record or file that is passed over. */
  readonly onFault?: (fault: LinkFault, loss: JournalLoss) => void;
}

/**
 * The transitions of the journal in `dir`, in the order they were recorded, across all epochs. Each is a new object.
 * A damaged record is passed over; in the newest file everything after one is left out, as recovery would. Safe
 * beside a running writer and after a kill. Yields nothing where there is no journal.
 */
export function* readJournal(dir: string, options: ReadJournalOptions = {}): Generator<Transition, void, undefined> {
  if (!existsSync(dir)) return;
  const segments = listSegments(dir);
  for (const [i, { path }] of segments.entries()) {
    const { size } = statSync(path);
    if (size < SEGMENT_HEADER_BYTES) continue; // its epoch ended before the first record
    const header = readSegmentHeader(path);
    if (!header.ok) {
      options.onFault?.(header.error, { path, record: 0, records: undefined });
      continue;
    }
    let record = 0;
    for (const slot of readSlots(path, header.value)) {
      const isNewest = i === segments.length - 1;
      record++;
      if (!slot.isIntact) {
        const left = Math.floor((size - SEGMENT_HEADER_BYTES) / slotBytes(header.value)) - record + 1;
        const records = isNewest ? Math.max(1, left) : 1;
        options.onFault?.({ reason: 'bad-checksum', sentence: 'a record is damaged' }, { path, record, records });
        if (isNewest) return;
        continue;
      }
      const decoded = decodeRecord(slot.bytes, header.value);
      if (decoded.ok) yield decoded.value;
      else options.onFault?.(decoded.error, { path, record, records: 1 });
    }
  }
}

/**
 * Cuts the newest file in `dir` after its last record before the first damaged one, as a kill or a loss of power
 * leaves it. What is cut is kept beside it as `.torn`. Returns how many bytes that was.
 */
export function recoverTail(segments: readonly SegmentName[]): number {
  const newest = segments.at(-1);
  if (newest === undefined) return 0;
  const { path } = newest;
  const size = statSync(path).size;
  const header = size < SEGMENT_HEADER_BYTES ? undefined : readSegmentHeader(path);
  let end = 0;
  if (header?.ok) {
    end = SEGMENT_HEADER_BYTES;
    for (const slot of readSlots(path, header.value)) {
      if (!slot.isIntact) break;
      end += slotBytes(header.value);
    }
  }
  if (end === size) return 0;
  writeFileSync(`${path}.torn`, readFileSync(path).subarray(end));
  truncateSync(path, end);
  return size - end;
}

/** A segment with its place in the whole journal. */
export interface IndexedSegment {
  readonly path: string;
  readonly epoch: number;
  /** How many records come before this segment. */
  readonly first: number;
  /** Records in it that are safely on disk. */
  count: number;
}

/** Indexes the sealed segments of a recovered journal. Files without a readable header hold no records for this purpose. */
export function indexSegments(segments: readonly SegmentName[], sizes: RecordSizes): IndexedSegment[] {
  let first = 0;
  const indexed: IndexedSegment[] = [];
  for (const { path, epoch } of segments) {
    const size = statSync(path).size;
    if (size < SEGMENT_HEADER_BYTES || !readSegmentHeader(path).ok) continue;
    const count = Math.floor((size - SEGMENT_HEADER_BYTES) / slotBytes(sizes));
    indexed.push({ path, epoch, first, count });
    first += count;
  }
  return indexed;
}

/** Reads `count` whole slots of `segment`, from its slot `index` on, into a new buffer. Throws what the file system throws. */
export async function readSlotRange(
  segment: IndexedSegment,
  index: number,
  count: number,
  slot: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(count * slot);
  const file = await open(segment.path, 'r');
  try {
    const { bytesRead } = await file.read(bytes, 0, bytes.length, SEGMENT_HEADER_BYTES + index * slot);
    return bytes.subarray(0, Math.floor(bytesRead / slot) * slot);
  } finally {
    await file.close();
  }
}

/** The number of records of `segment` whose sequence number is at most `id.seq`; sequence numbers rise within it. */
export async function countUpTo(segment: IndexedSegment, id: RecordId, slot: number): Promise<number> {
  let low = 0;
  let high = segment.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const bytes = await readSlotRange(segment, middle, 1, slot);
    const { seq } = peekId(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
    if (seq <= id.seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
