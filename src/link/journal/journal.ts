/**
 * The robot's journal: every transition of a run, on disk before it is sent, in recording order. The link sends
 * from it, and a restarted learner rebuilds its replay buffer from it. A disk failure stops recording, never the robot.
 */
import { randomBytes } from 'node:crypto';
import { type DirectoryLock, makeFolder } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';
import type { Transition } from '../../rows/index.ts';
import { type RecordId, type RecordSizes, recordBytes } from '../record.ts';
import { countUpTo, readSlotRange } from './reader.ts';
import { cutTorn, lockJournal } from './recover.ts';
import { slotAt, slotBytes } from './segment.ts';
import { type JournalStorage, nodeStorage } from './storage.ts';
import { type JournalFinding, type JournalPart, type JournalSurvey, surveyJournal } from './survey.ts';
import { JournalWriter, type WriterStatus } from './writer.ts';

/** Options of a journal. */
export interface JournalOptions extends RecordSizes {
  /** Created if missing. One process at a time. */
  readonly dir: string;
  /** `schemaHash` of the run: a journal of another schema is rejected. */
  readonly schemaHash: string;
  /** At most 64 bytes. A journal of another run is rejected. */
  readonly runId: string;
  /** Capacity of the write buffer, records, before new ones are dropped; default 8 MiB, or 1024 records if these fit into 64 MiB. */
  readonly capacity?: number;
  /** Size at which a new file is started, bytes; default 64 MiB. */
  readonly segmentBytes?: number;
  /** Pause before a retry after a disk error, ms; default 500. */
  readonly retryMs?: number;
  /** Called when recording stops or resumes. */
  readonly onStatus?: (status: JournalStatus) => void;
  /** Replaced in tests. */
  readonly storage?: JournalStorage;
}

/** State of the journal. */
export interface JournalStatus extends WriterStatus {
  readonly epoch: number;
  /** Bytes cut off the newest file at the start; they are kept beside it. */
  readonly tornBytes: number;
  /** Damage found when it was opened; none of it stops the recording. */
  readonly damage: readonly JournalFinding[];
}

/** Consecutive records, read back for sending. */
export interface RecordBatch {
  /** The records without checksums, concatenated. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Position in the journal after the last slot read, damaged ones included. */
  readonly end: number;
}

/** Opens the journal in `dir`, starts the next epoch and recovers from a kill. Throws `ReinError('storage')`. */
export function openJournal(options: JournalOptions): Journal {
  const dir = options.dir;
  let lock: DirectoryLock | undefined;
  try {
    makeFolder(dir);
    lock = lockJournal(dir);
    return new Journal(options, lock);
  } catch (error) {
    lock?.release();
    if (error instanceof ReinError || error instanceof RangeError) throw error;
    throw new ReinError('storage', `the journal in ${dir} cannot be opened: ${(error as Error).message}`, {
      remedy: 'check that the directory exists, may be written and has room',
      cause: error,
    });
  }
}

/** Default capacity: some seconds of steps, within the memory that a robot's computer can spare, and at least a few of the widest. */
function ringSlots(slot: number): number {
  const [usual, most] = [8 * 2 ** 20, 64 * 2 ** 20].map((bytes) => Math.floor(bytes / slot));
  return Math.max(LEAST_SLOTS, usual!, Math.min(1024, most!));
}

const LEAST_SLOTS = 8;

/** A journal open for appending. Created by `openJournal`. */
export class Journal {
  readonly dir: string;
  readonly journalId: string;
  /** Number of starts of the robot process in this run, including this one: from 1. */
  readonly epoch: number;
  readonly sizes: RecordSizes;
  readonly #lock: DirectoryLock;
  readonly #segments: JournalPart[];
  readonly #writer: JournalWriter;
  readonly #slot: number;
  readonly #tornBytes: number;
  readonly #damage: readonly JournalFinding[];
  readonly #listeners = new Set<() => void>();

  constructor(options: JournalOptions, lock: DirectoryLock) {
    this.dir = options.dir;
    this.#lock = lock;
    this.sizes = { observationSize: options.observationSize, actionSize: options.actionSize };
    this.#slot = slotBytes(this.sizes);
    const { schemaHash, runId } = options;
    const begun = { ...this.sizes, schemaHash, runId, journalId: randomBytes(8).toString('hex'), epoch: 1, index: 0 };
    const survey = surveyJournal(options.dir, begun);
    checkIdentity(survey, options);
    this.#tornBytes = cutTorn(survey);
    this.#damage = survey.findings.filter(({ kind }) => kind !== 'torn');
    this.#segments = [...survey.parts];
    this.journalId = (survey.identity ?? begun).journalId;
    this.epoch = survey.epoch + 1;
    this.#writer = new JournalWriter({
      dir: options.dir,
      header: { ...this.sizes, schemaHash, runId, journalId: this.journalId, epoch: this.epoch, index: 0 },
      first: this.#segments.reduce((sum, segment) => sum + segment.count, 0),
      capacity: options.capacity ?? ringSlots(this.#slot),
      recordsPerSegment: Math.max(1, Math.floor((options.segmentBytes ?? 64 * 1024 * 1024) / this.#slot)),
      retryMs: options.retryMs ?? 500,
      storage: options.storage ?? nodeStorage,
      onSegment: (segment) => this.#segments.push(segment),
      onSynced: () => {
        for (const listener of this.#listeners) listener();
      },
      onState: () => options.onStatus?.(this.status()),
    });
  }

  /**
   * Records `transition` as the next one, and sets its `epoch` and `seq`. Copies and returns at once; allocates
   * next to nothing. If the disk does not keep up, the record is dropped and counted, and its number stays unused, so that
   * all readers see the gap. Throws only `RangeError` for an array of the wrong size.
   */
  append(transition: Transition): void {
    this.#writer.append(transition);
  }

  /** Resolves when everything appended so far is on disk; rejects with `ReinError('storage')` on a disk error. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Checked before a robot moves. Rejects with `ReinError('storage')` if there is too little disk space. */
  checkRoom(): Promise<void> {
    return this.#writer.checkRoom();
  }

  /** Counts and state. */
  status(): JournalStatus {
    return { ...this.#writer.status(), epoch: this.epoch, tornBytes: this.#tornBytes, damage: this.#damage };
  }

  /** Number of records of all epochs that are synced to disk: positions below it can be read. */
  get synced(): number {
    const last = this.#segments.at(-1);
    return last === undefined ? 0 : last.first + last.count;
  }

  /** Calls `listener` whenever more records are synced to disk, until the returned function is called. */
  onSynced(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Position after the last record not newer than `id`; 0 for null. */
  async positionAfter(id: RecordId | null): Promise<number> {
    if (id === null) return 0;
    let position = 0;
    for (const segment of this.#segments) {
      if (segment.epoch > id.epoch) break;
      // Lost records have no numbers: the next intact ones show where they were.
      if (segment.path === undefined && segment.epoch === id.epoch) continue;
      const count = segment.epoch < id.epoch ? segment.count : await countUpTo(segment, id, this.#slot);
      if (count === 0 && segment.epoch === id.epoch) break;
      position = segment.first + count;
    }
    return position;
  }

  /** Reads up to `max` records from `position` on, within one segment. Damaged ones are skipped. */
  async readBatch(position: number, max: number): Promise<RecordBatch> {
    const segment = this.#segments.find((s) => position >= s.first && position < s.first + s.count);
    if (segment === undefined) return { bytes: new Uint8Array(0), count: 0, end: position };
    if (segment.path === undefined) {
      return { bytes: new Uint8Array(0), count: 0, end: segment.first + segment.count };
    }
    const index = position - segment.first;
    const wanted = Math.min(max, segment.count - index);
    const slots = await readSlotRange(segment, index, wanted, this.#slot);
    const size = recordBytes(this.sizes);
    const bytes = new Uint8Array(wanted * size);
    let count = 0;
    for (let at = 0; at < slots.length; at += this.#slot) {
      const slot = slotAt(slots, at, this.#slot);
      if (slot.isIntact) bytes.set(slot.bytes, size * count++);
    }
    return { bytes: bytes.subarray(0, count * size), count, end: position + wanted };
  }

  /** Writes all it can, closes the file and releases the directory. Never rejects: see `status()` for what is missing. */
  async close(): Promise<void> {
    await this.#writer.close();
    this.#listeners.clear();
    this.#lock.release();
  }
}

/** Throws `ReinError('storage')` if the journal found is not this run's. */
function checkIdentity({ identity, findings }: JournalSurvey, options: JournalOptions): void {
  const refuse = (why: string, remedy: string): never => {
    throw new ReinError('storage', `the journal in ${options.dir} ${why}`, { remedy });
  };
  // Its records are intact: recovery would take them for damaged.
  const old = findings.find(({ kind }) => kind === 'version');
  if (old !== undefined) {
    const message = old.message.slice(old.message.indexOf(': ') + 2);
    refuse(
      `cannot be used: ${message}`,
      'begin a new run in another folder, or go on with the version of Rein that began this one',
    );
  }
  const lost = findings.find(({ kind }) => kind === 'unreadable');
  if (lost !== undefined) refuse(`cannot be used: ${lost.message}`, 'see what is left: rein recover, with this folder');
  if (identity === undefined) return;
  const remedy = 'choose another folder with --out, or go on with the configuration that began this one';
  if (identity.runId !== options.runId) refuse(`belongs to run ${identity.runId}, not ${options.runId}`, remedy);
  const isSameShape =
    identity.observationSize === options.observationSize && identity.actionSize === options.actionSize;
  if (identity.schemaHash !== options.schemaHash || !isSameShape) {
    refuse(`was recorded with schema ${identity.schemaHash}, this run has ${options.schemaHash}`, remedy);
  }
}
