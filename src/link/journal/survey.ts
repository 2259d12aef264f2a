/**
 * Contents of a journal, determined from its files, their headers and `files.jsonl`: readable records, gaps, and foreign
 * files. Reads the headers, and all records of the newest file. Changes nothing.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ManifestEntry, nameOf, readManifest } from './manifest.ts';
import {
  listSegments,
  readSegmentHeader,
  readSlots,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  segmentPath,
  slotBytes,
} from './segment.ts';

/** One defect. */
export interface JournalFinding {
  readonly kind: 'header' | 'missing' | 'damaged' | 'torn' | 'foreign' | 'version' | 'unreadable';
  readonly path: string;
  /** Records lost by it; `undefined` if unknown. */
  readonly records: number | undefined;
  /** One sentence. */
  readonly message: string;
}

/** A range of positions in the journal: one file, or (without a `path`) lost records. */
export interface JournalPart {
  readonly path: string | undefined;
  readonly epoch: number;
  readonly index: number;
  /** Number of records before it, lost ones included. */
  readonly first: number;
  /** Number of records, damaged ones included. */
  count: number;
}

/** A file of the journal, as found. */
export interface SurveyedFile extends SegmentName {
  readonly header: SegmentHeader;
  readonly isHeaderIntact: boolean;
  /** End of its last intact or last known record, bytes; the rest is a torn tail. */
  readonly end: number;
  readonly bytes: number;
}

export interface JournalSurvey {
  /** Properties common to all files; `undefined` if nothing is readable. */
  readonly identity: SegmentHeader | undefined;
  readonly parts: readonly JournalPart[];
  readonly files: readonly SurveyedFile[];
  readonly findings: readonly JournalFinding[];
  readonly manifest: ReadonlyMap<string, ManifestEntry>;
  /** Highest epoch ever started; 0 before the first. */
  readonly epoch: number;
}

/** Surveys the journal in `dir`. `fallback`: assumed header if neither a header nor a manifest line is readable. */
export function surveyJournal(dir: string, fallback?: SegmentHeader): JournalSurvey {
  return new Survey(dir, fallback).result();
}

class Survey {
  readonly #dir: string;
  readonly #names: readonly SegmentName[];
  readonly #manifest: Map<string, ManifestEntry>;
  readonly #identity: SegmentHeader | undefined;
  readonly #parts: JournalPart[] = [];
  readonly #files: SurveyedFile[] = [];
  readonly #findings: JournalFinding[] = [];
  #position = 0;

  constructor(dir: string, fallback: SegmentHeader | undefined) {
    this.#dir = dir;
    this.#names = listSegments(dir);
    this.#manifest = readManifest(dir);
    const known = [...this.#manifest.values()][0];
    this.#identity = known ?? this.#names.map(({ path }) => headerIn(path)).find((header) => header !== undefined);
    this.#identity ??= fallback !== undefined && this.#names.length > 0 ? this.#proved(fallback) : undefined;
  }

  result(): JournalSurvey {
    const present = new Map(this.#names.map((name) => [nameOf(name), name]));
    const keys = new Map<string, { epoch: number; index: number }>([...this.#manifest, ...present]);
    const sorted = [...keys].sort(([, a], [, b]) => a.epoch - b.epoch || a.index - b.index);
    const newest = this.#names.at(-1);
    for (const [key, { epoch, index }] of sorted) {
      const entry = this.#manifest.get(key);
      if (entry !== undefined && entry.first > this.#position) {
        this.#gone(epoch, index, entry.first - this.#position, 'before this file records are missing');
      }
      const name = present.get(key);
      if (name === undefined) this.#missing(entry!);
      else this.#take(name, entry, name === newest);
    }
    return {
      identity: this.#identity,
      parts: this.#parts,
      files: this.#files,
      findings: this.#findings,
      manifest: this.#manifest,
      epoch: sorted.at(-1)?.[1].epoch ?? 0,
    };
  }

  #take(name: SegmentName, entry: ManifestEntry | undefined, isNewest: boolean): void {
    const { path, epoch, index } = name;
    const bytes = statSync(path).size;
    const read = bytes < SEGMENT_HEADER_BYTES ? undefined : readSegmentHeader(path);
    if (read?.ok === false && read.error.reason === 'bad-version') {
      this.#find('version', path, undefined, read.error.message);
      return;
    }
    if (read?.ok && this.#isForeign(read.value, name)) {
      const { epoch: own, index: part, journalId } = read.value;
      const whose = journalId === this.#identity?.journalId ? 'a copy of this journal’s' : 'of another journal:';
      this.#find('foreign', path, 0, `it is ${whose} epoch ${own}, file ${part}, under another name: not used`);
      this.#closed(name, entry, 0);
      return;
    }
    if (read === undefined) {
      this.#closed(name, entry, 0); // its epoch ended before the first record
      if (bytes > 0) this.#keep(name, bytes, 0, undefined);
      return;
    }
    const header = read.ok ? read.value : derived(entry ?? this.#identity, name);
    if (header === undefined) {
      this.#find('unreadable', path, undefined, 'its header is damaged, and its content is unknown');
      return;
    }
    if (!read.ok) this.#find('header', path, 0, 'its header is damaged; what it held is known from other files');
    const slot = slotBytes(header);
    const whole = Math.floor((bytes - SEGMENT_HEADER_BYTES) / slot);
    const reported = Math.min(entry?.records ?? 0, whole);
    const count = isNewest
      ? Math.max(reported, this.#intactUpTo(path, header))
      : Math.min(whole, entry?.records ?? whole);
    this.#parts.push({ path, epoch, index, first: this.#position, count });
    this.#position += count;
    this.#keep(name, bytes, SEGMENT_HEADER_BYTES + count * slot, header, read.ok);
    this.#closed(name, entry, count);
  }

  /** Number of records up to the last intact one; reports damaged ones before it. */
  #intactUpTo(path: string, header: SegmentHeader): number {
    let last = 0;
    let at = 0;
    let intact = 0;
    for (const { isIntact } of readSlots(path, header)) {
      at++;
      if (!isIntact) continue;
      last = at;
      intact++;
    }
    if (last > intact) this.#find('damaged', path, last - intact, `records that are damaged: ${last - intact}`);
    return last;
  }

  #keep(name: SegmentName, bytes: number, end: number, header: SegmentHeader | undefined, isHeaderIntact = true): void {
    if (bytes > end) this.#find('torn', name.path, 0, `${bytes - end} bytes behind its last record are no record`);
    const known = header ?? derived(this.#identity, name);
    if (known !== undefined) this.#files.push({ ...name, header: known, isHeaderIntact, end, bytes });
  }

  /** Reports the missing records of a file that was closed with more records than it has now. */
  #closed({ epoch, index }: SegmentName, entry: ManifestEntry | undefined, count: number): void {
    const missing = (entry?.records ?? 0) - count;
    if (missing > 0) this.#gone(epoch, index, missing, 'it was closed with more records than it has');
  }

  #missing(entry: ManifestEntry): void {
    const { epoch, index, records } = entry;
    const path = segmentPath(this.#dir, epoch, index);
    if (records !== undefined) {
      if (records > 0) this.#gone(epoch, index, records, 'the file is missing');
      return;
    }
    const next = [...this.#manifest.values()].find((e) => e.first >= entry.first && nameOf(e) !== nameOf(entry));
    if (next === undefined)
      this.#find('missing', path, undefined, 'the file is missing; how much it held is not known');
  }

  #gone(epoch: number, index: number, count: number, why: string): void {
    this.#find('missing', segmentPath(this.#dir, epoch, index), count, `${why}: ${count}`);
    this.#parts.push({ path: undefined, epoch, index, first: this.#position, count });
    this.#position += count;
  }

  #isForeign({ journalId, epoch, index }: SegmentHeader, name: SegmentName): boolean {
    return journalId !== this.#identity?.journalId || epoch !== name.epoch || index !== name.index;
  }

  /** Returns `header` if an intact record of any file confirms its sizes. */
  #proved(header: SegmentHeader): SegmentHeader | undefined {
    const isSo = this.#names.some(({ path }) => {
      for (const { isIntact } of readSlots(path, header)) if (isIntact) return true;
      return false;
    });
    return isSo ? header : undefined;
  }

  #find(kind: JournalFinding['kind'], path: string, records: number | undefined, message: string): void {
    this.#findings.push({ kind, path, records, message: `${basename(path)}: ${message}` });
  }
}

function headerIn(path: string): SegmentHeader | undefined {
  const header = readSegmentHeader(path);
  return header.ok ? header.value : undefined;
}

function derived(known: SegmentHeader | undefined, { epoch, index }: SegmentName): SegmentHeader | undefined {
  if (known === undefined) return undefined;
  const { schemaHash, journalId, runId, observationSize, actionSize } = known;
  return { schemaHash, journalId, runId, observationSize, actionSize, epoch, index };
}

/** Folder of a journal: `path` itself, or the one inside a run's folder. */
export function journalFolderIn(path: string): string | undefined {
  const holds = (dir: string): boolean => {
    try {
      return readdirSync(dir).some((name) => /\.journal$/.test(name));
    } catch {
      return false; // no folder, or unreadable: not a journal for this purpose
    }
  };
  return [path, join(path, 'journal')].find(holds);
}
