/**
 * The learner's state of one robot: its connection, the accepted part of its journal, the outcome of every record,
 * and reasons to refuse it. Pure bookkeeping around the learner's callback; the server moves the bytes.
 */
import type { Transition } from '../rows/index.ts';
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

/** Accepted part of a robot's journal: stored by a learner with its checkpoint and restored from it. */
export interface Watermark {
  readonly robotId: string;
  readonly journalId: string;
  readonly epoch: number;
  readonly seq: number;
  /** Number of records accepted so far. */
  readonly delivered: number;
}

/** Counts over all robots since the server was started. */
export interface ServerCounters {
  /** Transition records received, repetitions included. */
  received: number;
  /** Of those, passed to the learner and accepted by it. */
  delivered: number;
  /** Of those, dropped because they had been accepted before. */
  repeated: number;
  /** Records missing according to the journal's numbers, quarantined ones included. */
  lost: number;
  /** Rejected frames and records, by reason. */
  quarantined: Record<string, number>;
  /** Frames dropped because a robot exceeded its limit. */
  flooded: number;
  /** Refused robots, by code. */
  refused: Record<string, number>;
}

/** May throw or reject: the record is then not acknowledged, and is sent again. */
export type OnTransition = (transition: Transition, robotId: string) => void | Promise<void>;

/** Takes batches of one journal and passes each record on once and in order. */
export class JournalIntake {
  readonly robotId: string;
  readonly journalId: string;
  readonly #sizes: RecordSizes;
  readonly #counters: ServerCounters;
  readonly #onTransition: OnTransition;
  #newest: RecordId | null;
  #delivered: number;
  /** Records of this journal missing according to its numbers, and records reported by its robot as lost. */
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

  /** The newest processed record, or null. */
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
   * Takes the number of records that the robot reports as lost in its journal: those of whole epochs leave no gap in the numbers.
   * The report may precede the gap that others leave.
   */
  reportLost(records: number): void {
    this.#countLost(() => {
      this.#reported = Math.max(this.#reported, records);
    });
  }

  /**
   * Passes the batch's new records on. False if an earlier record is missing: the robot must go back to the watermark. Rejects with
   * the error of the learner's callback; everything before that record stays accepted.
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

  /** Both counts include most of the losses: the larger one is the lower bound of what is lost. */
  #countLost(change: () => void): void {
    const before = Math.max(this.#missing, this.#reported);
    change();
    this.#counters.lost += Math.max(this.#missing, this.#reported) - before;
  }
}

/** Counts a rejected frame or record. */
export function quarantine(counters: ServerCounters, problem: LinkFault): void {
  counters.quarantined[problem.reason] = (counters.quarantined[problem.reason] ?? 0) + 1;
}

/** A robot with one journal; survives reconnections. */
export class RobotPeer {
  readonly robotId: string;
  readonly intake: JournalIntake;
  readonly control: ControlChannel = new ControlChannel();
  /** ZeroMQ's routing id of the connection; `undefined` without one. */
  identity: Buffer | undefined;
  heardMs = 0;
  /** Number of frames waiting for the learner's callback. */
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

  /** Takes over a connection. A new process gets no messages addressed to the previous one. */
  connect(identity: Buffer, hello: Hello): void {
    if (hello.instance !== this.#hello.instance) this.control.discard();
    this.control.meetPeer(hello.instance);
    this.identity = identity;
    this.heardMs = performance.now();
    this.#hello = hello;
  }

  /** True for the same process, and for a later start on the same journal, whose lock proves that this process has ended. */
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

/** Returns why `hello` is refused; `undefined` if accepted. `live` is the connected robot with the same id. */
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

/** First key whose values differ, and both values as text. */
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
