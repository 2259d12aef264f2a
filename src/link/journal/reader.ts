/** Reads a run's journal: entirely, to rebuild a replay buffer, or from a record on, to resend it. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Transition } from '../../rows/index.ts';
import { decodeRecord, peekId, type RecordId } from '../record.ts';
import type { LinkFault } from '../wire.ts';
import { readSlots, SEGMENT_HEADER_BYTES, slotAt } from './segment.ts';
import { type JournalPart, surveyJournal } from './survey.ts';

/** Location of lost records in a journal. */
export interface JournalLoss {
  readonly path: string;
  /** The first lost record, counted from 1 within the file; 0: the file as a whole. */
  readonly record: number;
  /** Number of lost records; `undefined` if unknown. */
  readonly records: number | undefined;
}

/** Options for reading a journal. */
export interface ReadJournalOptions {
  /** Called for every record or file that is skipped. */
  readonly onFault?: (fault: LinkFault, loss: JournalLoss) => void;
}

/**
 * Yields the transitions of the journal in `dir`, in recording order, across all epochs, each as a new object. Damaged records are
 * skipped; data after the last intact record of the newest file is ignored. Safe beside a running writer and after a kill. Yields
 * nothing without a journal.
 */
export function* readJournal(dir: string, options: ReadJournalOptions = {}): Generator<Transition, void, undefined> {
  if (!existsSync(dir)) return;
  const { parts, files, findings } = surveyJournal(dir);
  for (const { kind, path, records, message } of findings) {
    if (kind === 'damaged' || records === 0) continue; // reported record by record; nothing is lost
    const reason = kind === 'version' ? 'bad-version' : 'bad-checksum';
    options.onFault?.({ reason, message }, { path, record: 0, records });
  }
  const headers = new Map(files.map(({ path, header }) => [path, header]));
  for (const { path, count } of parts) {
    if (path === undefined) continue;
    const header = headers.get(path)!;
    let record = 0;
    for (const slot of readSlots(path, header, count)) {
      record++;
      if (!slot.isIntact) {
        options.onFault?.({ reason: 'bad-checksum', message: 'a record is damaged' }, { path, record, records: 1 });
        continue;
      }
      const decoded = decodeRecord(slot.bytes, header);
      if (decoded.ok) yield decoded.value;
      else options.onFault?.(decoded.error, { path, record, records: 1 });
    }
  }
}

/** Reads `count` whole slots of `part`, from slot `index` on, into a new buffer. Throws the file system's errors. */
export async function readSlotRange(
  part: JournalPart,
  index: number,
  count: number,
  slot: number,
): Promise<Uint8Array> {
  if (part.path === undefined) return new Uint8Array(0);
  const bytes = new Uint8Array(count * slot);
  const file = await open(part.path, 'r');
  try {
    const { bytesRead } = await file.read(bytes, 0, bytes.length, SEGMENT_HEADER_BYTES + index * slot);
    return bytes.subarray(0, Math.floor(bytesRead / slot) * slot);
  } finally {
    await file.close();
  }
}

/** Number of records of `part` up to `id.seq`; sequence numbers increase within it. Damaged ones are placed by their neighbours. */
export async function countUpTo(part: JournalPart, id: RecordId, slot: number): Promise<number> {
  let low = 0;
  let high = part.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = await nextIntact(part, middle, high, slot);
    if (found === undefined) high = middle;
    else if (found.seq <= id.seq) low = found.at + 1;
    else high = middle;
  }
  return low;
}

/** Finds the first intact record from `at` on and before `end`. */
async function nextIntact(
  part: JournalPart,
  at: number,
  end: number,
  slot: number,
): Promise<{ at: number; seq: number } | undefined> {
  for (let i = at; i < end; i++) {
    const bytes = await readSlotRange(part, i, 1, slot);
    if (bytes.length < slot || !slotAt(bytes, 0, slot).isIntact) continue;
    return { at: i, seq: peekId(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0).seq };
  }
  return undefined;
}
