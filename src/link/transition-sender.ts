/**
 * Go-back-N over the journal: tracks records in flight, acknowledged records, and the read position. Depends on the journal and a
 * function that sends a frame; no sockets, no timers but for a short pause before a repetition.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal } from './journal/journal.ts';
import { batchPayload, isCovered } from './messages.ts';
import { peekId, type RecordId, recordBytes } from './record.ts';
import type { FrameFields } from './wire.ts';

/** Batch limits: well below the message limit, and small enough not to delay a robot's steps. */
const BATCH_RECORDS = 64;
const BATCH_BYTES = 1024 * 1024;
/** Largest factor by which the wait before a repetition grows without acknowledgements. */
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
  /** Of those, accepted or quarantined by the learner. Decreases when a learner restarts from an older checkpoint. */
  readonly acked: number;
  /** Records counted more than once by the learner: always 0 unless the protocol is broken. */
  readonly duplicated: number;
  /** Records that never reach the learner: dropped because of a full disk, damaged on disk, or quarantined by the learner. */
  readonly lost: number;
  /** Records not yet acknowledged by the learner. */
  readonly pending: number;
  /** Number of records sent again after a reconnection: harmless. */
  readonly resent: number;
}

/** See the top of this file. */
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

  /** `onFailure` is called if the journal could not be read: pause, and start again later. */
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

  /** True if the position is that of the present learner, not of a previous one. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Records up to that position that were written and are damaged or gone with their file. */
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

  /** Starts after `watermark` with at most `creditRecords` in flight. Rejects if the journal cannot be read. */
  async start(watermark: RecordId | null, delivered: number, creditRecords: number): Promise<void> {
    this.#credit = creditRecords;
    await this.#seek(watermark, delivered);
  }

  /** Stops sending until `start`. */
  pause(): void {
    this.#isRunning = false;
    this.#generation++;
    this.#underWay = [];
  }

  /** Called when there may be more to send. */
  kick(): void {
    if (!this.#isPumping) this.#run().catch(this.#onFailure);
  }

  /** Takes an acknowledgement of everything up to `watermark`. False if it is outdated, and is ignored. */
  acknowledge(watermark: RecordId | null, delivered: number): boolean {
    // An outdated one has a lower count: records delivered since would appear as lost.
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

  /** Resends from `watermark` after a short pause: the learner lacks the records after it. */
  async goBackTo(watermark: RecordId | null): Promise<void> {
    this.pause();
    const generation = this.#generation;
    await delay(GO_BACK_PAUSE_MS);
    if (generation === this.#generation) await this.#seek(watermark, this.#delivered);
  }

  /** Resends the records in flight after `silenceMs` without an acknowledgement; after twice that the next time. */
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
    this.pause(); // the journal may call during the lookup
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
