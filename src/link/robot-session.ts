/**
 * What the learner knows of one robot: its connection, how far its journal has been accepted and what became of every record,
 * and the reasons to refuse it. Pure bookkeeping around the learner's callback; the server moves the bytes.
 */
import type { Transition } from '../core/index.ts';
import { ControlChannel } from './control-channel.ts';
import { type Hello, isCovered, type Refusal, type TransitionBatch, versionRefusal } from './messages.ts';
import {
  compareIds,
  decodeRecord,
  peekId,
  RECORD_VERSION,
  type RecordId,
  type RecordSizes,
  recordBytes,
} from './record.ts';
import type { LinkFault } from './wire.ts';

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
  /** Records of this journal that its numbers show to be missing, and those that its robot says it cannot give any more. */
  #missing = 0;
  #reported = 0;

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

  /**
   * The robot says how many records of its journal it cannot give any more: those of whole epochs leave no gap in the numbers. It may
   * say so before the gap that others leave has come.
   */
  reportLost(records: number): void {
    this.#countLost(() => {
      this.#reported = Math.max(this.#reported, records);
    });
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
      this.#miss(1);
    }
    const expected = this.#newest?.epoch === id.epoch ? this.#newest.seq + 1 : 0;
    this.#miss(Math.max(0, id.seq - expected));
    this.#newest = id;
  }

  #miss(records: number): void {
    this.#countLost(() => {
      this.#missing += records;
    });
  }

  /** Most of what is lost is in both counts: the larger one is the least that is lost. */
  #countLost(change: () => void): void {
    const before = Math.max(this.#missing, this.#reported);
    change();
    this.#counters.lost += Math.max(this.#missing, this.#reported) - before;
  }
}

/** Counts something that was not used. */
export function quarantine(counters: ServerCounters, problem: LinkFault): void {
  counters.quarantined[problem.reason] = (counters.quarantined[problem.reason] ?? 0) + 1;
}

/** A robot of one journal; survives reconnections. */
export class RobotPeer {
  readonly robotId: string;
  readonly intake: JournalIntake;
  readonly control: ControlChannel = new ControlChannel();
  /** ZeroMQ's name of the connection; undefined while there is none. */
  identity: Buffer | undefined;
  heardMs = 0;
  /** Frames waiting for the learner's callback. */
  queued = 0;
  #hello: Hello;
  #queue: Promise<void> = Promise.resolve();

  constructor(
    hello: Hello,
    watermark: Watermark | undefined,
    sizes: RecordSizes,
    counters: ServerCounters,
    onTransition: OnTransition,
  ) {
    this.robotId = hello.robotId;
    this.#hello = hello;
    this.intake = new JournalIntake({ ...hello, watermark }, sizes, counters, onTransition);
  }

  /** Takes over a connection. A new process gets no messages that were meant for the one before. */
  connect(identity: Buffer, hello: Hello): void {
    if (hello.instance !== this.#hello.instance) this.control.discard();
    this.control.meetPeer(hello.instance);
    this.identity = identity;
    this.heardMs = performance.now();
    this.#hello = hello;
  }

  /** True for the same process, and for a later start on the same journal: its lock proves that this one is gone. */
  mayBeReplacedBy(hello: Hello): boolean {
    const isLater = hello.journalId === this.#hello.journalId && hello.epoch > this.#hello.epoch;
    return hello.instance === this.#hello.instance || isLater;
  }

  get process(): string {
    return `process ${this.#hello.pid} on ${this.#hello.host}`;
  }

  /** Runs `work` after everything enqueued before. `work` must not reject. */
  enqueue(work: () => void | Promise<void>): void {
    this.queued++;
    this.#queue = this.#queue.then(work).finally(() => {
      this.queued--;
    });
  }

  settled(): Promise<void> {
    return this.#queue;
  }
}

/** Why `hello` is not welcome, or undefined. `live` is the robot that holds its id. */
export function refusalFor(
  hello: Hello,
  schemaHash: string,
  own: RecordSizes & {
    readonly runId: string;
    readonly schemaHash: string;
    readonly meaning?: Readonly<Record<string, unknown>>;
  },
  live: RobotPeer | undefined,
): Refusal | undefined {
  if (hello.recordVersion !== RECORD_VERSION) return versionRefusal(hello.recordVersion, RECORD_VERSION);
  if (hello.runId !== own.runId) {
    const message = `the learner is for run ${own.runId}, the robot ${hello.robotId} is in run ${hello.runId}`;
    return { code: 'wrong-run', message, remedy: 'give both the same run directory or run id' };
  }
  const isSameShape = hello.observationSize === own.observationSize && hello.actionSize === own.actionSize;
  if (schemaHash !== own.schemaHash || !isSameShape) {
    const message = `the learner was started for schema ${own.schemaHash}, the robot ${hello.robotId} has ${schemaHash}`;
    return { code: 'wrong-schema', message, remedy: 'give both the same robot and task configuration' };
  }
  const differing = own.meaning === undefined ? undefined : firstDifference(hello.meaning ?? {}, own.meaning);
  if (differing !== undefined) {
    const [key, theirs, ours] = differing;
    const message = `${key} is ${theirs} at the robot ${hello.robotId} and ${ours} at the learner`;
    return { code: 'wrong-schema', message, remedy: 'give both the same robot and task configuration' };
  }
  if (live !== undefined) {
    const message = `a robot with the id ${hello.robotId} is already connected (${live.process})`;
    return { code: 'robot-busy', message, remedy: 'stop it, or give this robot another id' };
  }
  return undefined;
}

/** The first key whose values differ, and both of them as text. */
export function firstDifference(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): readonly [string, string, string] | undefined {
  for (const key of new Set([...Object.keys(b), ...Object.keys(a)])) {
    const [left, right] = [JSON.stringify(a[key]) ?? 'absent', JSON.stringify(b[key]) ?? 'absent'];
    if (left !== right) return [key, left, right];
  }
  return undefined;
}
