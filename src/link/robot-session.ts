/**
 * What the learner knows of one robot's journal: the watermark, and what became of every record. Pure bookkeeping
 * around the learner's callback; the server moves the bytes.
 */
import type { Transition } from '../core/index.ts';
import type { LinkFault } from './fault.ts';
import { isCovered, type TransitionBatch } from './messages.ts';
import { compareIds, decodeRecord, peekId, type RecordId, type RecordSizes, recordBytes } from './record.ts';

/** How far a robot's journal has been accepted: what a learner stores with its checkpoint and gives back after it. */
export interface Watermark {
  readonly robotId: string;
  readonly journalId: string;
  readonly epoch: number;
  readonly seq: number;
  /** Records accepted up to here. */
  readonly delivered: number;
}

/** Counts over all robots since the server was started. */
export interface ServerCounters {
  /** Transition records that arrived, repetitions included. */
  received: number;
  /** Of those, handed to the learner and accepted by it. */
  delivered: number;
  /** Of those, had been accepted before and were dropped. */
  repeated: number;
  /** Records that the journal's numbers show to be missing, quarantined ones included. */
  lost: number;
  /** Frames and records that were not used, by reason. */
  quarantined: Record<string, number>;
  /** Frames dropped because a robot sent more than it may. */
  flooded: number;
  /** Robots that were refused, by code. */
  refused: Record<string, number>;
}

/** May throw or reject: the record is then not acknowledged, and comes again. */
export type OnTransition = (transition: Transition, robotId: string) => void | Promise<void>;

/** Takes batches of one journal and hands on each record once and in order. */
export class JournalIntake {
  readonly robotId: string;
  readonly journalId: string;
  readonly #sizes: RecordSizes;
  readonly #counters: ServerCounters;
  readonly #onTransition: OnTransition;
  #newest: RecordId | null;
  #delivered: number;
  /** Records of this journal that are known to be missing. */
  #lost = 0;

  constructor(
    from: { readonly robotId: string; readonly journalId: string; readonly watermark: Watermark | undefined },
    sizes: RecordSizes,
    counters: ServerCounters,
    onTransition: OnTransition,
  ) {
    this.robotId = from.robotId;
    this.journalId = from.journalId;
    this.#newest = from.watermark === undefined ? null : { epoch: from.watermark.epoch, seq: from.watermark.seq };
    this.#delivered = from.watermark?.delivered ?? 0;
    this.#sizes = sizes;
    this.#counters = counters;
    this.#onTransition = onTransition;
  }

  /** The newest record that is done with, or null. */
  get newest(): RecordId | null {
    return this.#newest;
  }

  get delivered(): number {
    return this.#delivered;
  }

  watermark(): Watermark | undefined {
    if (this.#newest === null) return undefined;
    return { robotId: this.robotId, journalId: this.journalId, ...this.#newest, delivered: this.#delivered };
  }

  /** The robot says how many records of its journal it cannot give any more: those of whole files leave no gap in the numbers. */
  tellLost(records: number): void {
    this.#lose(records - this.#lost);
  }

  /**
   * Hands the batch's new records on. False where one before it is missing: the robot must go back to the watermark.
   * Rejects with what the learner's callback throws; everything before that record stays accepted.
   */
  async take(batch: TransitionBatch): Promise<boolean> {
    const size = recordBytes(this.#sizes);
    this.#counters.received += batch.records.length / size;
    if (!isCovered(batch.previous, this.#newest)) return false;
    const { records } = batch;
    const view = new DataView(records.buffer, records.byteOffset, records.length);
    for (let at = 0; at < records.length; at += size) {
      const { epoch, seq } = peekId(view, at);
      await this.#takeRecord(records.subarray(at, at + size), { epoch, seq });
    }
    return true;
  }

  async #takeRecord(bytes: Uint8Array, id: RecordId): Promise<void> {
    if (this.#newest !== null && compareIds(id, this.#newest) <= 0) {
      this.#counters.repeated++;
      return;
    }
    const record = decodeRecord(bytes, this.#sizes);
    if (record.ok) {
      const pending = this.#onTransition(record.value, this.robotId);
      if (pending !== undefined) await pending;
      this.#delivered++;
      this.#counters.delivered++;
    } else {
      quarantine(this.#counters, record.error);
      this.#lose(1);
    }
    const expected = this.#newest?.epoch === id.epoch ? this.#newest.seq + 1 : 0;
    this.#lose(id.seq - expected);
    this.#newest = id;
  }

  #lose(records: number): void {
    if (records <= 0) return;
    this.#lost += records;
    this.#counters.lost += records;
  }
}

/** Counts something that was not used. */
export function quarantine(counters: ServerCounters, problem: LinkFault): void {
  counters.quarantined[problem.reason] = (counters.quarantined[problem.reason] ?? 0) + 1;
}
