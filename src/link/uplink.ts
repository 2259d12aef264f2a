/**
 * The robot's end of the link: sends the records that the journal has on disk, with a bounded number in flight, and returns
 * to the last acknowledged one after any failure. It never makes its caller wait for the network.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Dealer } from 'zeromq';
import { ReinError } from '../model/index.ts';
import { Connection, RENEW_AFTER_MS } from './connection.ts';
import { ControlChannel } from './control-channel.ts';
import type { Journal } from './journal/journal.ts';
import {
  jsonPayload,
  protocolRefusal,
  type Refusal,
  readAck,
  readControl,
  readHelloAck,
  readRefusal,
  versionRefusal,
} from './messages.ts';
import { RECORD_VERSION } from './record.ts';
import { CONNECTING_OPTIONS, HIGH_WATER_MARK, SEND_TIMEOUT_MS } from './sockets.ts';
import { TransitionSender, type UplinkCounters } from './transition-sender.ts';
import { decodeFrame, encodeFrame, type Frame, type FrameFields, robotIdHash } from './wire.ts';

/** Options of an uplink. */
export interface UplinkOptions {
  /** Address of the learner, `tcp://host:port`. */
  readonly address: string;
  /** Unique among the robots of a learner. */
  readonly robotId: string;
  readonly runId: string;
  readonly schemaHash: string;
  /** Meaning of its observations and actions, key by key; sent to the learner. */
  readonly meaning?: Readonly<Record<string, unknown>>;
  /** All of its records that the learner lacks are sent, earlier epochs included. */
  readonly journal: Journal;
  readonly onControl?: (kind: string, body: Record<string, unknown>) => void;
  /** Called when the state changes; `reason` is one sentence if the learner refused. */
  readonly onState?: (state: UplinkState, reason: string | undefined) => void;
  /** Called on every heartbeat of the learner with the version of its newest weights; 0 before it has any. */
  readonly onLearnerVersion?: (version: number) => void;
  /** Period of heartbeats, ms; after three without an acknowledgement the learner counts as lost. Default 1000. */
  readonly heartbeatMs?: number;
}

/** `refused`: the learner answers but refuses this robot; the uplink keeps retrying. */
export type UplinkState = 'connecting' | 'connected' | 'refused' | 'closed';

const HELLO_AGAIN_MS = 250;

/** Starts sending in the background. Throws `ReinError('link')` for an invalid address. */
export function connectUplink(options: UplinkOptions): Uplink {
  return new Uplink(options);
}

/** A running uplink. Created by `connectUplink`. */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #connection: Connection<Dealer>;
  readonly #sender: TransitionSender;
  readonly #control = new ControlChannel();
  readonly #instance = randomBytes(8).toString('hex');
  readonly #robotHash: string;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  /** Called if the journal could not be read: the next hello starts over. */
  readonly #journalFailed = (): void => this.#lose();
  readonly #waiters = new Set<() => void>();
  readonly #renewAfterMs: number;
  #state: UplinkState = 'connecting';
  #learnerVersion = 0;
  /** Instance of the learner that accepted this robot last. */
  #learner: string | undefined;
  #last:
    | { readonly kind: string; readonly body: object; readonly target: number; sentTo: string | undefined }
    | undefined;
  #ackedMs = 0;
  #refusal: Refusal | undefined;
  #heardMs: number = performance.now();
  #beatMs = 0;

  constructor(options: UplinkOptions) {
    this.#options = options;
    this.#robotHash = robotIdHash(options.robotId);
    this.#renewAfterMs = Math.min(RENEW_AFTER_MS, 3 * (options.heartbeatMs ?? 1000));
    const send = (fields: FrameFields, payload: Uint8Array) => this.#send(fields, payload);
    this.#sender = new TransitionSender(options.journal, send, this.#journalFailed);
    this.#connection = new Connection({
      address: options.address,
      open: () =>
        new Dealer({
          ...CONNECTING_OPTIONS,
          sendTimeout: SEND_TIMEOUT_MS,
          sendHighWaterMark: HIGH_WATER_MARK,
          receiveHighWaterMark: HIGH_WATER_MARK,
        }),
      onMessage: (bytes) => this.#receive(bytes),
      onUp: () => this.#hello(),
      onDown: () => this.#lose(),
      renewAfterMs: this.#renewAfterMs,
    });
    this.#unsubscribe = options.journal.onSynced(() => this.#sender.kick());
    this.#timer = setInterval(() => this.#tick(), Math.min(HELLO_AGAIN_MS, options.heartbeatMs ?? 1000));
  }

  get state(): UplinkState {
    return this.#state;
  }

  /** Version of the learner's newest weights, as last reported; 0 before it has any. */
  get learnerVersion(): number {
    return this.#learnerVersion;
  }

  get counters(): UplinkCounters {
    return this.#sender.counters();
  }

  /**
   * Resolves when the learner has accepted this robot; rejects with `ReinError('link')`: at once if run or schema differ, after
   * `timeoutMs` without an answer or if another robot holds the id.
   */
  async connected(timeoutMs: number): Promise<void> {
    const isSettled = () =>
      this.#state === 'connected' || (this.#state === 'refused' && this.#refusal?.code !== 'robot-busy');
    await this.#waitFor(isSettled, timeoutMs);
    if (this.#state === 'connected') return;
    const message = this.#refusal?.message ?? `no learner answers at ${this.#options.address}`;
    throw new ReinError('link', message, {
      remedy: this.#refusal?.remedy ?? 'start the learner (rein learn), or check the address',
    });
  }

  /** Waits until the learner has acknowledged everything recorded so far. False on a timeout of `timeoutMs` or a disk error. */
  async drain(timeoutMs: number): Promise<boolean> {
    const startedMs = performance.now();
    try {
      await this.#options.journal.flush();
    } catch {
      return false; // the journal's status says why
    }
    const target = this.#options.journal.synced;
    const askedMs = performance.now();
    // Earlier acknowledgements may be from a learner that has died: it has to answer again.
    this.#beat(askedMs);
    const isDone = (): boolean => this.#ackedMs > askedMs && this.#hasAll(target);
    await this.#waitFor(isDone, timeoutMs - (askedMs - startedMs));
    return isDone();
  }

  /**
   * Sends a small message after everything recorded so far. A learner that replaces another gets it once it has accepted all of
   * that too. Never waits.
   */
  sendLast(kind: string, body: object): void {
    const { journal } = this.#options;
    this.#last = { kind, body, target: journal.synced + journal.status().pending, sentTo: undefined };
    this.#settle();
  }

  #hasAll(target: number): boolean {
    return this.#state === 'connected' && this.#sender.isRunning && this.#sender.ackedPosition >= target;
  }

  #sendLastWhereDue(): void {
    const last = this.#last;
    if (last === undefined || last.sentTo === this.#learner || !this.#hasAll(last.target)) return;
    last.sentTo = this.#learner;
    this.sendControl(last.kind, last.body);
  }

  /** Sends a small message reliably and in order, as soon as the learner is connected. Never waits. */
  sendControl(kind: string, body: object): void {
    const first = this.#control.next;
    this.#control.push(kind, body);
    if (this.#state === 'connected') this.#sendWaitingControl(first);
  }

  /** True if the learner has received all control messages. */
  get isControlDelivered(): boolean {
    const isSent = this.#last === undefined || this.#last.sentTo === this.#learner;
    return isSent && this.#control.outgoing().length === 0;
  }

  /** Sends goodbye and closes the socket; to be called before the process exits. Sends no records: `drain` first. Never rejects. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.#sender.pause();
    if (this.#state === 'connected') {
      await this.#waitFor(() => this.isControlDelivered, 200);
      this.#send({ kind: 'bye' });
    } else {
      this.#connection.clear();
    }
    await Promise.race([this.#connection.idle(), delay(100)]);
    await delay(10); // the input/output thread takes the last message from here
    this.#setState('closed');
    await this.#connection.close();
  }

  #receive(bytes: Uint8Array): void {
    const decoded = decodeFrame(bytes);
    if (this.#state === 'closed') return;
    if (!decoded.ok) {
      // A learner that has accepted this robot has its version. The message behind any other damaged frame is sent again.
      const isOther = decoded.error.reason === 'bad-version' && this.#state !== 'connected';
      if (isOther) this.#refuse(protocolRefusal(decoded.error));
      return;
    }
    const frame = decoded.value;
    // A heartbeat proves that the learner can send, not that it receives.
    if (frame.kind !== 'heartbeat') this.#heardMs = performance.now();
    if (frame.kind === 'helloAck') this.#welcomed(frame);
    else if (frame.kind === 'refuse') this.#refused(frame);
    else if (this.#state !== 'connected') return;
    else if (frame.kind === 'heartbeat') this.#beaten(frame.sequence);
    else if (frame.kind === 'ack') this.#acknowledged(frame);
    else if (frame.kind === 'control') this.#takeControl(frame);
    else if (frame.kind === 'controlAck') {
      this.#control.acknowledged(frame.sequence);
      this.#settle();
    }
  }

  #hello(): void {
    const { robotId, runId, journal, meaning } = this.#options;
    this.#send(
      { kind: 'hello', epoch: journal.epoch },
      jsonPayload({
        robotId,
        runId,
        journalId: journal.journalId,
        epoch: journal.epoch,
        ...journal.sizes,
        recordVersion: RECORD_VERSION,
        instance: this.#instance,
        pid: process.pid,
        host: hostname(),
        ...(meaning === undefined ? {} : { meaning }),
      }),
    );
  }

  #welcomed(frame: Frame): void {
    const answer = readHelloAck(frame.payload);
    if (!answer.ok) return;
    const { watermark, delivered, creditRecords, recordVersion, instance } = answer.value;
    if (recordVersion !== RECORD_VERSION) {
      this.#refuse(versionRefusal(RECORD_VERSION, recordVersion));
      return;
    }
    const isRepeated = this.#state === 'connected';
    this.#control.meetPeer(instance);
    if (instance !== this.#learner && this.#last !== undefined) this.#control.forget(this.#last.kind);
    this.#learner = instance;
    this.#refusal = undefined;
    this.#setState('connected');
    if (isRepeated) return; // an answer to an earlier hello
    this.#sendWaitingControl();
    this.#sender.start(watermark, delivered, creditRecords).then(() => this.#settle(), this.#journalFailed);
  }

  #refused(frame: Frame): void {
    const refusal = readRefusal(frame.payload);
    if (!refusal.ok) return;
    if (refusal.value.code === 'no-session') {
      const wasConnected = this.#state === 'connected';
      this.#lose();
      if (wasConnected) this.#hello(); // once: every frame that was under way is answered like this
      return;
    }
    this.#refuse(refusal.value);
  }

  #refuse(refusal: Refusal): void {
    this.#sender.pause();
    this.#refusal = refusal;
    this.#setState('refused');
  }

  #acknowledged(frame: Frame): void {
    const ack = readAck(frame);
    if (!ack.ok) return;
    const { watermark, delivered, isRewind } = ack.value;
    this.#ackedMs = performance.now();
    const isTaken = this.#sender.acknowledge(watermark, delivered);
    if (isRewind && isTaken) this.#sender.goBackTo(watermark).catch(this.#journalFailed);
    this.#settle();
  }

  #beaten(weightsVersion: number): void {
    this.#learnerVersion = weightsVersion;
    this.#options.onLearnerVersion?.(weightsVersion);
  }

  #takeControl(frame: Frame): void {
    const message = readControl(frame.payload);
    if (!message.ok) return;
    const { kind, body, base } = message.value;
    const isNew = this.#control.accept(frame.sequence, base);
    this.#send({ kind: 'controlAck', sequence: this.#control.expected });
    if (isNew) this.#options.onControl?.(kind, body);
  }

  #sendWaitingControl(from = 0): void {
    for (const { number, payload } of this.#control.outgoing(from)) {
      this.#send({ kind: 'control', sequence: number }, payload);
    }
  }

  #tick(): void {
    const nowMs = performance.now();
    const heartbeatMs = this.#options.heartbeatMs ?? 1000;
    if (this.#state === 'connected' && nowMs - this.#heardMs > 3 * heartbeatMs) this.#lose();
    if (this.#state !== 'connected' && nowMs - this.#heardMs > this.#renewAfterMs) {
      this.#heardMs = nowMs;
      this.#connection.renew(); // no readable message from the peer: the socket may be dead
    }
    if (this.#state !== 'connected') this.#hello();
    else if (nowMs - this.#beatMs >= heartbeatMs) {
      this.#beat(nowMs);
      this.#sendWaitingControl();
      this.#sender.goBackIfSilent(3 * heartbeatMs);
    }
  }

  #beat(nowMs: number): void {
    this.#beatMs = nowMs;
    this.#send({ kind: 'heartbeat', sequence: this.#sender.lostOnDisk });
  }

  #lose(): void {
    if (this.#state !== 'connected') return;
    this.#sender.pause();
    this.#connection.clear();
    this.#setState('connecting');
  }

  #send(fields: FrameFields, payload?: Uint8Array): void {
    const { schemaHash } = this.#options;
    this.#connection.send(
      encodeFrame({ ...fields, schemaHash, robotHash: this.#robotHash, monotonicNs: process.hrtime.bigint() }, payload),
    );
  }

  #setState(state: UplinkState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState?.(state, this.#refusal?.message);
    this.#settle();
  }

  #settle(): void {
    this.#sendLastWhereDue();
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** Resolves when `isDone()` or after `timeoutMs`. */
  #waitFor(isDone: () => boolean, timeoutMs: number): Promise<void> {
    if (isDone() || timeoutMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      const check = () => {
        if (isDone() || this.#state === 'closed') finish();
      };
      this.#waiters.add(check);
    });
  }
}
