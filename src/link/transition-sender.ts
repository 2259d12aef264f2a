/**
 * Go-back-N over the journal: which records are under way, which are acknowledged, where to read on. Knows the
 * journal and a function that sends a frame; no sockets, no timers but for a short pause before a repetition.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from './journal/journal.ts';
import { batchPayload, isCovered } from './messages.ts';
import { peekId, type RecordId, recordBytes } from './record.ts';
import type { FrameFields } from './wire.ts';

/** A batch stays well below the message limit and small enough that a robot's steps are not held up behind one. */
const BATCH_RECORDS = 64;
const BATCH_BYTES = 1024 * 1024;
/** How many times longer than at first it may wait before it sends again what nobody acknowledges. */
const MAX_PATIENCE = 10;
const GO_BACK_PAUSE_MS = 50;

interface UnderWay {
  readonly last: RecordId;
  end: number;
}

/** Counts over the whole journal, not only this process. */
export interface UplinkCounters {
  /** Records sent at least once. */
  readonly sent: number;
  /** Of those, the learner has accepted or set aside. Falls when a learner restarts from an older checkpoint. */
  readonly acked: number;
  /** Records that the learner counts more often than they exist: always 0 unless the protocol is broken. */
  readonly duplicated: number;
  /** Records that never reach the learner: left out for a full disk, damaged on disk, or set aside by the learner. */
  readonly lost: number;
  /** Records that the learner has not acknowledged yet. */
  readonly pending: number;
  /** Times a record was sent again after a reconnection: harmless. */
  readonly resent: number;
}

/** See the file's head. */
export class TransitionSender {
  readonly #journal: Journal;
  readonly #send: (fields: FrameFields, payload: Uint8Array) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #batchRecords: number;
  #isRunning = false;
  #generation = 0;
  #credit = 0;
  #next = 0;
  #acked = 0;
  #highest = 0;
  #resent = 0;
  #delivered = 0;
  #previous: RecordId | null = null;
  #underWay: UnderWay[] = [];
  #watermark: RecordId | null = null;
  #isPumping = false;
  #progressMs = 0;
  #patience = 1;

  /** `onFailure` is called when the journal could not be read: pause, and start again later. */
  constructor(
    journal: Journal,
    send: (fields: FrameFields, payload: Uint8Array) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#journal = journal;
    this.#send = send;
    this.#onFailure = onFailure;
    this.#batchRecords = Math.max(1, Math.min(BATCH_RECORDS, Math.floor(BATCH_BYTES / recordBytes(journal.sizes))));
  }

  /** Position up to which the learner has the journal. */
  get ackedPosition(): number {
    return this.#acked;
  }

  /** Whether the position is that of the learner that is there now, and not of one before it. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Records up to there that were written and cannot be had any more: damaged, or gone with their file. */
  get lostOnDisk(): number {
    return Math.max(0, this.#acked - this.#delivered);
  }

  counters(): UplinkCounters {
    const { dropped, pending } = this.#journal.status();
    return {
      sent: Math.max(this.#highest, this.#acked),
      acked: this.#acked,
      duplicated: Math.max(0, this.#delivered - this.#acked),
      lost: dropped + this.lostOnDisk,
      pending: this.#journal.synced - this.#acked + pending,
      resent: this.#resent,
    };
  }

  /** Begins behind `watermark` with at most `creditRecords` under way. Rejects when the journal cannot be read. */
  async start(watermark: RecordId | null, delivered: number, creditRecords: number): Promise<void> {
    this.#credit = creditRecords;
    await this.#seek(watermark, delivered);
  }

  /** Sends nothing until `start`. */
  pause(): void {
    this.#isRunning = false;
    this.#generation++;
    this.#underWay = [];
  }

  /** There may be more to send. */
  kick(): void {
    if (!this.#isPumping) this.#run().catch(this.#onFailure);
  }

  /** The learner has everything up to `watermark`. False where it is known to have more, and nothing follows from it. */
  acknowledge(watermark: RecordId | null, delivered: number): boolean {
    // One that was overtaken on the way says less than is known: by its count, what came since would be lost.
    if (!isCovered(this.#watermark, watermark)) return false;
    let isProgress = false;
    while (this.#underWay.length > 0 && isCovered(this.#underWay[0]!.last, watermark)) {
      this.#acked = this.#underWay.shift()!.end;
      isProgress = true;
    }
    this.#delivered = delivered;
    this.#watermark = watermark;
    if (!isProgress) return true;
    this.#progressMs = performance.now();
    this.#patience = 1;
    this.kick();
    return true;
  }

  /** The learner misses what follows `watermark`: sends on from there after a short pause. */
  async goBackTo(watermark: RecordId | null): Promise<void> {
    this.pause();
    const generation = this.#generation;
    await delay(GO_BACK_PAUSE_MS);
    if (generation === this.#generation) await this.#seek(watermark, this.#delivered);
  }

  /** Sends again what has been under way for `silenceMs` without any acknowledgement; for twice that the next time. */
  goBackIfSilent(silenceMs: number): void {
    const isSilent = performance.now() - this.#progressMs > silenceMs * this.#patience;
    if (!isSilent || this.#underWay.length === 0 || !this.#isRunning) return;
    this.#patience = Math.min(2 * this.#patience, MAX_PATIENCE);
    this.#generation++;
    this.#underWay = [];
    this.#next = this.#acked;
    this.#previous = this.#watermark;
    this.#progressMs = performance.now();
    this.kick();
  }

  async #seek(watermark: RecordId | null, delivered: number): Promise<void> {
    this.pause(); // the journal may call while the place is looked up
    const generation = this.#generation;
    const position = await this.#journal.positionAfter(watermark);
    if (generation !== this.#generation) return;
    this.#acked = position;
    this.#next = position;
    this.#highest = Math.max(this.#highest, position);
    this.#previous = watermark;
    this.#watermark = watermark;
    this.#delivered = delivered;
    this.#progressMs = performance.now();
    this.#isRunning = true;
    this.kick();
  }

  async #run(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#isRunning && this.#next < this.#journal.synced && this.#next - this.#acked < this.#credit) {
        const generation = this.#generation;
        const batch = await this.#journal.readBatch(this.#next, this.#batchRecords);
        if (generation !== this.#generation) continue;
        if (batch.end === this.#next) return;
        if (batch.count === 0) this.#passOver(batch.end);
        else this.#sendBatch(batch.bytes, batch.count, batch.end);
      }
    } finally {
      this.#isPumping = false;
    }
  }

  #sendBatch(records: Uint8Array, count: number, end: number): void {
    const size = recordBytes(this.#journal.sizes);
    const view = new DataView(records.buffer, records.byteOffset, records.length);
    const first = peekId(view, 0);
    const last = peekId(view, (count - 1) * size);
    if (this.#underWay.length === 0) this.#progressMs = performance.now();
    this.#resent += Math.max(0, Math.min(this.#highest, end) - this.#next);
    this.#highest = Math.max(this.#highest, end);
    this.#send(
      { kind: 'transitions', epoch: first.epoch, sequence: first.seq, count },
      batchPayload({ previous: this.#previous, records }),
    );
    this.#previous = last;
    this.#underWay.push({ last, end });
    this.#next = end;
  }

  /** Damaged records count as acknowledged with the batch before them. */
  #passOver(end: number): void {
    this.#next = end;
    const before = this.#underWay.at(-1);
    if (before === undefined) this.#acked = end;
    else before.end = end;
  }
}
