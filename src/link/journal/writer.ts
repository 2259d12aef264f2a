/**
 * The journal's writer: a preallocated ring into which `append` copies, and one flusher that writes and syncs
 * its content, file after file. A failed write is repeated from the ring at the same file position, so that
 * a disk that recovers leaves no gap.
 */
import { join } from 'node:path';
import { ReinError } from '../../model/index.ts';
import type { Transition } from '../../rows/index.ts';
import { encodeRecord } from '../record.ts';
import { begunLine, closedLine, MANIFEST_FILE } from './manifest.ts';
import {
  encodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  sealSlot,
  segmentPath,
  slotBytes,
} from './segment.ts';
import type { JournalStorage, SegmentFile } from './storage.ts';
import type { JournalPart } from './survey.ts';

/** Counts and state of a writer. */
export interface WriterStatus {
  /** `degraded`: recording has stopped for `reason`, and resumes by itself when possible. */
  readonly state: 'ok' | 'degraded';
  /** The disk cannot be written to. False if it is only too slow. */
  readonly isStopped: boolean;
  /** One sentence; also set as a warning in the state `ok` if the disk is nearly full. */
  readonly reason: string | undefined;
  /** Transitions passed to `append` in this epoch. */
  readonly appended: number;
  /** Of those, synced to disk. */
  readonly synced: number;
  /** Of those, waiting for the disk. */
  readonly pending: number;
  /** Of those, dropped because the buffer was full, or because the disk still failed when the journal was closed. */
  readonly dropped: number;
}

/** Options of a writer. */
export interface WriterOptions {
  readonly dir: string;
  /** Header of the epoch's first segment. */
  readonly header: SegmentHeader;
  /** Number of records of earlier epochs. */
  readonly first: number;
  readonly capacity: number;
  readonly recordsPerSegment: number;
  readonly retryMs: number;
  readonly storage: JournalStorage;
  readonly onSegment: (segment: JournalPart) => void;
  readonly onSynced: () => void;
  readonly onState: () => void;
}

/** Free disk space below which recording stops, or a warning is given: the smaller of share and bytes. */
const STOP = { share: 0.02, bytes: 512 * 1024 * 1024 };
const WARN = { share: 0.1, bytes: 2 * 1024 * 1024 * 1024 };
const SPACE_CHECK_MS = 1000;

/** See the top of this file. */
export class JournalWriter {
  readonly #options: WriterOptions;
  readonly #slot: number;
  readonly #ring: Uint8Array;
  readonly #view: DataView;
  #file: SegmentFile | undefined;
  #isHeaderWritten = false;
  #segment: JournalPart | undefined;
  #index = 0;
  #first: number;
  #nextSeq = 0;
  #head = 0;
  #tail = 0;
  #dropped = 0;
  #reason: string | undefined;
  #warning: string | undefined;
  #isDroppingNow = false;
  #pump: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #kick: NodeJS.Immediate | undefined;
  #spaceCheckedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** Claims the epoch by creating its first file exclusively. Throws the file system's errors. */
  constructor(options: WriterOptions) {
    this.#options = options;
    this.#slot = slotBytes(options.header);
    this.#ring = new Uint8Array(options.capacity * this.#slot);
    this.#view = new DataView(this.#ring.buffer);
    this.#first = options.first;
    encodeSegmentHeader(options.header); // fails here, not while running, if the run id is too long
    this.#openSegment('exclusive');
  }

  append(transition: Transition): void {
    transition.epoch = this.#options.header.epoch;
    transition.seq = this.#nextSeq++;
    if (this.#isClosed || this.#head - this.#tail >= this.#options.capacity) {
      this.#dropped++;
      if (!this.#isDroppingNow) {
        this.#isDroppingNow = true;
        this.#options.onState();
      }
      return;
    }
    const offset = (this.#head % this.#options.capacity) * this.#slot;
    encodeRecord(this.#view, offset, transition, this.#options.header);
    sealSlot(this.#ring, this.#view, offset, this.#slot);
    this.#head++;
    this.#schedule();
  }

  async flush(): Promise<void> {
    const target = this.#head;
    if (this.#retry !== undefined) this.#stopWaiting();
    this.#start();
    while (this.#pump !== undefined && this.#tail < target) await this.#pump;
    if (this.#tail >= target) return;
    throw new ReinError('storage', this.#reason ?? 'the journal is closed', { remedy: 'make room on the disk' });
  }

  /** Rejects with `ReinError('storage')` if there is too little disk space to record anything. */
  async checkRoom(): Promise<void> {
    try {
      await this.#checkSpace();
    } catch (cause) {
      throw new ReinError('storage', `nothing can be recorded in ${this.#options.dir}: ${(cause as Error).message}`, {
        remedy: 'make room on the disk, or choose another folder with --out',
        cause,
      });
    }
  }

  status(): WriterStatus {
    const waiting = this.#head - this.#tail;
    const slow = this.#isDroppingNow ? `the disk is too slow: ${waiting} records wait` : undefined;
    return {
      state: this.#reason === undefined && !this.#isDroppingNow ? 'ok' : 'degraded',
      isStopped: this.#reason !== undefined,
      reason: this.#isClosed ? 'the journal is closed' : (this.#reason ?? slow ?? this.#warning),
      appended: this.#nextSeq,
      synced: this.#tail,
      pending: this.#isClosed ? 0 : waiting,
      dropped: this.#dropped + (this.#isClosed ? waiting : 0),
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.flush().catch((error: ReinError) => this.#setReason(error.message));
    this.#isClosed = true;
    this.#stopWaiting();
    if (this.#kick !== undefined) clearImmediate(this.#kick);
    await this.#closeFile().catch((error: Error) => this.#setReason(error.message));
    this.#file = undefined;
  }

  async #closeFile(): Promise<void> {
    await this.#file?.close();
    const own = { ...this.#options.header, index: this.#index };
    const begun = this.#segment === undefined ? begunLine(own, this.#first) : '';
    await this.#note(begun + closedLine(own, this.#segment?.count ?? 0, this.#nextSeq));
  }

  #openSegment(mode: 'exclusive' | 'replace'): void {
    const { storage, dir, header } = this.#options;
    this.#file = storage.create(segmentPath(dir, header.epoch, this.#index), mode);
    this.#isHeaderWritten = false;
    storage.syncDirectory(dir);
  }

  #schedule(): void {
    if (this.#kick !== undefined || this.#pump !== undefined || this.#retry !== undefined) return;
    this.#kick = setImmediate(() => {
      this.#kick = undefined;
      this.#start();
    });
  }

  #start(): void {
    if (this.#pump !== undefined || this.#isClosed || this.#tail === this.#head) return;
    this.#pump = this.#run().finally(() => {
      this.#pump = undefined;
      if (this.#tail < this.#head) this.#schedule(); // appended while the flusher was ending
    });
  }

  /** Writes and syncs until the ring is empty; on a disk error, a timer retries. Never rejects. */
  async #run(): Promise<void> {
    try {
      while (this.#tail < this.#head) {
        await this.#checkSpace();
        await this.#writeGathered();
        this.#recovered();
        this.#options.onSynced();
      }
    } catch (error) {
      this.#setReason(`recording has stopped: ${(error as Error).message}`);
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#start();
      }, this.#options.retryMs).unref();
    }
  }

  async #writeGathered(): Promise<void> {
    const segment = await this.#currentSegment();
    const { capacity, recordsPerSegment } = this.#options;
    const room = recordsPerSegment - segment.count;
    const start = this.#tail % capacity;
    const count = Math.min(this.#head - this.#tail, room, capacity - start);
    const bytes = this.#ring.subarray(start * this.#slot, (start + count) * this.#slot);
    const file = this.#file!;
    await file.write(bytes, SEGMENT_HEADER_BYTES + segment.count * this.#slot);
    await file.sync();
    this.#tail += count;
    segment.count += count;
  }

  /** Returns the segment with room for a record; its header is written with the first records, and synced with them. */
  async #currentSegment(): Promise<JournalPart> {
    const { dir, header, recordsPerSegment } = this.#options;
    if (this.#segment !== undefined && this.#segment.count >= recordsPerSegment) {
      await this.#note(closedLine({ ...header, index: this.#index }, recordsPerSegment));
      const full = this.#file;
      this.#file = undefined;
      this.#segment = undefined;
      this.#first += recordsPerSegment;
      this.#index++;
      await full?.close();
    }
    if (this.#file === undefined) this.#openSegment('replace');
    if (!this.#isHeaderWritten) {
      const own = { ...header, index: this.#index };
      await this.#file!.write(encodeSegmentHeader(own), 0);
      await this.#note(begunLine(own, this.#first));
      this.#isHeaderWritten = true;
    }
    if (this.#segment === undefined) {
      const path = segmentPath(dir, header.epoch, this.#index);
      this.#segment = { path, epoch: header.epoch, index: this.#index, first: this.#first, count: 0 };
      this.#options.onSegment(this.#segment);
    }
    return this.#segment;
  }

  /** Appends a line to the manifest of the journal's files. */
  #note(line: string): Promise<void> {
    const { storage, dir } = this.#options;
    return storage.append(join(dir, MANIFEST_FILE), line);
  }

  async #checkSpace(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#spaceCheckedMs < SPACE_CHECK_MS && this.#reason === undefined) return;
    const { freeBytes, totalBytes } = await this.#options.storage.space(this.#options.dir);
    this.#spaceCheckedMs = nowMs;
    const percent = Math.round((100 * freeBytes) / totalBytes);
    if (freeBytes < Math.min(STOP.share * totalBytes, STOP.bytes)) {
      throw new Error(`the disk has ${Math.round(freeBytes / 2 ** 20)} MiB left`);
    }
    const isLow = freeBytes < Math.min(WARN.share * totalBytes, WARN.bytes);
    this.#warning = isLow ? `the disk has ${percent} % left` : undefined;
  }

  #recovered(): void {
    const isNews = this.#isDroppingNow || this.#reason !== undefined;
    this.#isDroppingNow = false;
    this.#reason = undefined;
    if (isNews) this.#options.onState();
  }

  #setReason(reason: string | undefined): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#options.onState();
  }

  #stopWaiting(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }
}
