/** Requests and replies on a half-duplex servo bus: expected senders, timeouts and retries. */
import { BUS, BUS_COUNTERS } from '../../rows/index.ts';
import type { SerialLine } from '../serial/line.ts';
import type { BulkItem, ServoProtocol, StatusReader } from './protocol.ts';

/** Time that a servo may take to answer, adapter and operating system included, s. */
const DEFAULT_ANSWER_S = 0.004;
/** Poll interval of the line while a reply is due, s. */
const LOOK_S = 60e-6;
/** Bits on the line per byte: start, 8, stop. */
const BITS_PER_BYTE = 10;
/** Between ticks there is time, and the machine may be busy: number of tries, and smallest timeout of each answer, s. */
const PATIENT_TRIES = 5;
const PATIENT_ANSWER_S = 0.03;
/** Longest required silence before the next request, s; longest wait for a line that does not fall silent. */
const MOST_QUIET_S = 0.3;
const MOST_SETTLE_S = 2;
const RECEIVE_BYTES = 4096;
/** More full buffers than this are no backlog, but a line that never falls silent: a tick does not wait for its end. */
const DRAINED_READS = 16;
const IDS = 256;
/** Parameter bytes of the echo probe: no read request is as long as the answer with this many. */
const PROBE_BYTES = 3;

export interface ServoBusOptions {
  readonly line: SerialLine;
  readonly protocol: ServoProtocol;
  /** See `DEFAULT_ANSWER_S`. */
  readonly answerS?: number | undefined;
  /** In the order of `BUS_COUNTERS`; counting continues from its values. Absent: from 0. */
  readonly counters?: Float64Array | undefined;
}

/** Result of a request to one servo. */
export type ReplyStatus = 'ok' | 'missing' | 'lost';

/**
 * One bus, fully synchronous: a request is written, and the bus waits for the expected replies, never past the given
 * deadline. Replies from another servo, of another length or at another time are counted and dropped, as are duplicates
 * (rows 11 and 12). Tick path after construction.
 */
export class ServoBus {
  /** [1] deadline of all waits, s. Set by the caller; not an argument, as V8 would box it. */
  readonly until: Float64Array = Float64Array.of(Number.POSITIVE_INFINITY);
  /** In the order of `BUS_COUNTERS`. */
  readonly counters: Float64Array;
  readonly line: SerialLine;
  readonly protocol: ServoProtocol;
  readonly #answerS: number;
  readonly #reader: StatusReader;
  readonly #request: Uint8Array;
  readonly #received: Uint8Array = new Uint8Array(RECEIVE_BYTES);
  /** By id: position of its reply in `#into`; −1 if it is not asked. */
  readonly #slots: Int32Array = new Int32Array(IDS).fill(-1);
  /** By id: number of parameters of its reply. */
  readonly #counts: Uint16Array = new Uint16Array(IDS);
  readonly #errors: Uint8Array = new Uint8Array(IDS);
  readonly #ids: Uint8Array = new Uint8Array(IDS);
  /** By id: its index in the order of the request. */
  readonly #orders: Uint8Array = new Uint8Array(IDS);
  readonly #answered: Uint8Array = new Uint8Array(IDS);
  readonly #scratch: Uint8Array = new Uint8Array(8);
  readonly #kept: Uint8Array;
  #patienceS: number;
  #into: Uint8Array = new Uint8Array(0);
  #wanted = 0;
  #pending = 0;
  /** Number of servos whose reply was accepted and is in doubt now. */
  #doubtful = 0;
  /** Index of the newest reply; number of `#ids` in the request. */
  #lastOrder = -1;
  #asked = 0;
  #isLost = false;
  /** Echo of requests on this line: unknown until a packet came back that could be an echo or an answer. */
  #echo: 'unknown' | 'yes' | 'no' = 'unknown';
  /** The pending request has come back. */
  #hasReturned = false;
  /** Counts from before this bus was opened. */
  readonly #checksumErrorsBefore: number;
  readonly #skippedBytesBefore: number;

  constructor({ line, protocol, answerS = DEFAULT_ANSWER_S, counters }: ServoBusOptions) {
    this.counters = counters ?? new Float64Array(BUS_COUNTERS.length);
    this.#checksumErrorsBefore = this.counters[BUS.checksumErrors]!;
    this.#skippedBytesBefore = this.counters[BUS.skippedBytes]!;
    this.line = line;
    this.protocol = protocol;
    this.#answerS = answerS;
    this.#patienceS = answerS;
    this.#request = new Uint8Array(protocol.maxPacketBytes);
    this.#kept = new Uint8Array(protocol.maxPacketBytes);
    this.#reader = protocol.createReader((id, error, bytes, at, count) => this.#take(id, error, bytes, at, count));
  }

  /** True if the port is gone: nothing can be written or read any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** True if the line echoes requests; the echoes are dropped. */
  get hasEcho(): boolean {
    return this.#echo === 'yes';
  }

  /** Returns the error bits of the newest reply of `id`; 0 before the first. */
  errorOf(id: number): number {
    return this.#errors[id]!;
  }

  /** Returns true if `id` answered the last request. */
  hasAnswered(id: number): boolean {
    return this.#answered[id] === 1;
  }

  /** Returns the transmission time of `bytes` bytes, s. */
  lineS(bytes: number): number {
    return (bytes * BITS_PER_BYTE) / this.line.baud;
  }

  /** Pings `id`; its reply parameters are written to `into`. `parameters`: their number. */
  ping(id: number, into: Uint8Array, parameters: number, tries = PATIENT_TRIES): ReplyStatus {
    const bytes = this.protocol.ping(this.#request, id);
    return this.#counted(this.#askOne(bytes, id, into, 0, parameters, tries));
  }

  /** Reads `count` bytes from `address` of `id` into `into` at `at`. */
  read(id: number, address: number, count: number, into: Uint8Array, at = 0, tries = PATIENT_TRIES): ReplyStatus {
    return this.#counted(this.#readOne(id, address, count, into, at, tries));
  }

  /** Writes `count` bytes of `data` to `address` of `id`, which confirms it. */
  write(id: number, address: number, data: Uint8Array, count: number, tries = PATIENT_TRIES): ReplyStatus {
    const bytes = this.protocol.write(this.#request, id, address, data, 0, count);
    return this.#counted(this.#askOne(bytes, id, this.#scratch, 0, 0, tries));
  }

  /**
   * Reads `count` bytes from `address` of each of the first `servos` of `ids` into `into`, `count` bytes each in the
   * order of `ids`. Servos that did not answer are asked once more if time permits. Returns how many answered (see
   * `hasAnswered`); their bytes are new, those of the others unchanged.
   */
  syncRead(ids: Uint8Array, servos: number, address: number, count: number, into: Uint8Array): number {
    for (let i = 0; i < servos; i++) this.#answered[ids[i]!] = 0;
    let missing = servos;
    for (let attempt = 0; attempt < 2 && missing > 0 && !this.#isLost; attempt++) {
      if (attempt > 0) {
        if (this.line.clock.nowS() >= this.until[0]!) break;
        this.counters[BUS.retries] = this.counters[BUS.retries]! + missing;
      }
      missing = this.#readGroup(ids, servos, address, count, into, attempt);
    }
    this.counters[BUS.timeouts] = this.counters[BUS.timeouts]! + missing;
    return servos - missing;
  }

  /** Writes `count` bytes of `data` per servo to `address` of the first `servos` of `ids`. Not answered. */
  syncWrite(ids: Uint8Array, servos: number, address: number, data: Uint8Array, count: number): ReplyStatus {
    if (servos === 0) return 'ok';
    return this.#send(this.protocol.syncWrite(this.#request, ids, servos, address, data, count)) ? 'ok' : 'lost';
  }

  /** True if one request can read, or write, different addresses in each servo. */
  get isBulk(): boolean {
    return this.protocol.bulkRead !== undefined && this.protocol.bulkWrite !== undefined;
  }

  /** Reads `items` into `into`, one after another. No servo is asked twice; see `hasAnswered`. */
  bulkRead(items: readonly BulkItem[], into: Uint8Array): void {
    this.drain();
    let at = 0;
    let replyBytes = 0;
    for (let k = 0; k < items.length; k++) {
      const { id, bytes } = items[k]!;
      this.#answered[id] = 0;
      this.#slots[id] = at;
      this.#counts[id] = bytes;
      this.#orders[id] = k;
      this.#ids[k] = id;
      at += bytes;
      replyBytes += this.protocol.statusBytes(bytes);
    }
    this.#asked = items.length;
    const bytes = this.protocol.bulkRead!(this.#request, items);
    this.#await(bytes, items.length, replyBytes, into, items[0]!.bytes);
    this.counters[BUS.timeouts] = this.counters[BUS.timeouts]! + this.#pending;
    this.#endRequest();
  }

  /** Writes `items`. Not answered. */
  bulkWrite(items: readonly BulkItem[]): ReplyStatus {
    return this.#send(this.protocol.bulkWrite!(this.#request, items)) ? 'ok' : 'lost';
  }

  /** Reboots `id`, if its family supports that; it does not answer for a while. Returns false if unsupported, or the port is gone. */
  reboot(id: number): boolean {
    const bytes = this.protocol.reboot?.(this.#request, id) ?? 0;
    return bytes > 0 && this.#send(bytes);
  }

  /** Reads and drops the pending bytes, which no longer belong to a request. */
  drain(): void {
    this.#pending = 0;
    this.#slots.fill(-1);
    for (let k = 0; k < DRAINED_READS && this.#receive() > 0; k++);
    this.#reader.restart();
    this.#countReader();
  }

  /** Asks all servos that have not answered yet, once. Returns how many still have not. */
  #readGroup(
    ids: Uint8Array,
    servos: number,
    address: number,
    count: number,
    into: Uint8Array,
    attempt: number,
  ): number {
    const { protocol } = this;
    let asked = 0;
    for (let k = 0; k < servos; k++) {
      // In reverse order the second time: where each servo waits for the previous one, those behind a silent one are heard now.
      const id = ids[attempt === 0 ? k : servos - 1 - k]!;
      if (this.#answered[id] !== 0) continue;
      this.#orders[id] = asked;
      this.#ids[asked++] = id;
    }
    if (protocol.syncRead === undefined) {
      let missing = 0;
      for (let i = 0; i < servos; i++) {
        const id = ids[i]!;
        if (this.#answered[id] === 1) continue;
        if (this.line.clock.nowS() >= this.until[0]!) missing++;
        else if (this.#readOne(id, address, count, into, i * count, 1) !== 'ok') missing++;
      }
      return missing;
    }
    this.drain();
    for (let i = 0; i < servos; i++) {
      const id = ids[i]!;
      if (this.#answered[id] !== 0) continue;
      this.#slots[id] = i * count;
      this.#counts[id] = count;
    }
    this.#asked = asked;
    const chained = protocol.chainedBytes?.(asked, count);
    const reply = chained ?? asked * protocol.statusBytes(count);
    this.#reader.restart(chained === undefined ? undefined : count);
    const bytes = protocol.syncRead(this.#request, this.#ids, asked, address, count);
    this.#await(bytes, asked, reply, into, count);
    const missing = this.#pending + this.#doubtful;
    this.#endRequest();
    return missing;
  }

  #readOne(id: number, address: number, count: number, into: Uint8Array, at: number, tries: number): ReplyStatus {
    const bytes = this.protocol.read(this.#request, id, address, count);
    return this.#askOne(bytes, id, into, at, count, tries);
  }

  #counted(status: ReplyStatus): ReplyStatus {
    if (status === 'missing') this.counters[BUS.timeouts] = this.counters[BUS.timeouts]! + 1;
    return status;
  }

  #askOne(bytes: number, id: number, into: Uint8Array, at: number, count: number, tries: number): ReplyStatus {
    const beganS = this.line.clock.nowS();
    for (let attempt = 0; attempt < tries && !this.#isLost; attempt++) {
      if (attempt > 0) this.counters[BUS.retries] = this.counters[BUS.retries]! + 1;
      this.drain();
      this.#hasReturned = false;
      this.#answered[id] = 0;
      this.#slots[id] = at;
      this.#counts[id] = count;
      this.#orders[id] = 0;
      this.#patienceS = tries > 1 ? Math.max(PATIENT_ANSWER_S, this.#answerS) : this.#answerS;
      this.#await(bytes, 1, this.protocol.statusBytes(count), into, count);
      this.#patienceS = this.#answerS;
      const hasAnswered = this.#pending === 0;
      this.#endRequest();
      if (hasAnswered) {
        if (attempt > 0) this.#settle(beganS);
        return 'ok';
      }
      if (!this.#hasReturned || this.#echo !== 'unknown') continue;
      this.#probeEcho(id, bytes);
      // The packet was the answer.
      if (this.#isWithoutEcho) attempt--;
    }
    if (this.#isLost) return 'lost';
    if (tries > 1) this.#settle(beganS);
    return 'missing';
  }

  /**
   * A reply does not name its register, so that a late one would be taken for that of the next request: waits until
   * none has come for as long as the latest one since `beganS` took. For requests between ticks.
   */
  #settle(beganS: number): void {
    const { line } = this;
    let heardS = line.clock.nowS();
    const quietS = Math.min(heardS - beganS, MOST_QUIET_S);
    const endS = heardS + MOST_SETTLE_S;
    for (let nowS = heardS; nowS < Math.min(heardS + quietS, endS); nowS = line.clock.nowS()) {
      line.wait(nowS + LOOK_S);
      const got = this.#receive();
      if (got < 0) return;
      if (got > 0) heardS = line.clock.nowS();
    }
    this.drain();
  }

  get #isWithoutEcho(): boolean {
    return this.#echo === 'no';
  }

  /** Decides whether the packet was the echo of the request of `bytes` bytes or its answer, by a request with a longer answer. */
  #probeEcho(id: number, bytes: number): void {
    this.#kept.set(this.#request.subarray(0, bytes));
    this.drain();
    this.#hasReturned = false;
    this.#slots[id] = 0;
    this.#counts[id] = PROBE_BYTES;
    const probe = this.protocol.read(this.#request, id, 0, PROBE_BYTES);
    this.#await(probe, 1, this.protocol.statusBytes(PROBE_BYTES), this.#scratch, PROBE_BYTES);
    if (this.#pending === 0 && this.#echo === 'unknown') this.#echo = 'no';
    this.#endRequest();
    this.#request.set(this.#kept.subarray(0, bytes));
  }

  /** Returns true if a packet is the echo of the request. */
  #isEcho(id: number, error: number, bytes: Uint8Array, at: number, count: number): boolean {
    const echo = this.protocol.echoOf?.(this.#request, id, error, bytes, at, count) ?? 'no';
    if (echo === 'no') return false;
    if (echo === 'surely' || this.#counts[id] !== count) {
      this.#hasReturned = true;
      this.#echo = 'yes';
      return true;
    }
    // Of two equal packets, the second is the answer.
    const isFirst = this.#echo !== 'no' && !this.#hasReturned;
    this.#hasReturned = true;
    return isFirst;
  }

  /** Sends the request and receives replies until all have come, or none can come any more. */
  #await(bytes: number, servos: number, replyBytes: number, into: Uint8Array, count: number): void {
    const { line, counters } = this;
    this.#into = into;
    this.#wanted = count;
    this.#pending = servos;
    counters[BUS.requests] = counters[BUS.requests]! + servos;
    if (!this.#send(bytes)) return;
    const sentAtS = line.clock.nowS();
    const onLineS = this.lineS(bytes + replyBytes);
    const untilS = Math.min(this.until[0]!, sentAtS + onLineS + this.#patienceS);
    // No complete reply can arrive before its transmission time.
    line.wait(Math.min(untilS, sentAtS + onLineS));
    for (;;) {
      const got = this.#receive();
      if (this.#pending === 0 || got < 0) return;
      const nowS = line.clock.nowS();
      if (nowS >= untilS) {
        // A wrong length holds back the packets behind it.
        this.#reader.restart();
        return;
      }
      line.wait(Math.min(untilS, nowS + LOOK_S));
    }
  }

  #send(bytes: number): boolean {
    const status = this.line.write(this.#request, bytes);
    if (status === 'lost') this.#isLost = true;
    if (status !== 'ok') return false;
    this.counters[BUS.sentBytes] = this.counters[BUS.sentBytes]! + bytes;
    return true;
  }

  /** Receives pending bytes. Returns their number; −1 if the port is gone. */
  #receive(): number {
    const got = this.line.read(this.#received, 0);
    if (got < 0) this.#isLost = true;
    if (got <= 0) return got;
    this.counters[BUS.receivedBytes] = this.counters[BUS.receivedBytes]! + got;
    this.#reader.push(this.#received, 0, got);
    return got;
  }

  #take(id: number, error: number, bytes: Uint8Array, at: number, count: number): void {
    if (this.#isEcho(id, error, bytes, at, count)) return;
    const slot = this.#slots[id]!;
    if (this.#pending === 0 || slot < 0 || count !== this.#counts[id]) {
      this.counters[BUS.foreignReplies] = this.counters[BUS.foreignReplies]! + 1;
      // A servo that was not asked has answered in the requested form: ids cannot be trusted.
      if (slot < 0 && count === this.#wanted) this.#doubtFrom(0);
      return;
    }
    const order = this.#orders[id]!;
    if (order <= this.#lastOrder) {
      // Servos answer in the order of the request: after a duplicate or late reply, it and those since may be another servo's.
      this.#doubtFrom(order);
      this.counters[BUS.foreignReplies] = this.counters[BUS.foreignReplies]! + 1;
      return;
    }
    this.#lastOrder = order;
    for (let i = 0; i < count; i++) this.#into[slot + i] = bytes[at + i]!;
    this.#errors[id] = error;
    this.#answered[id] = 1;
    this.#pending--;
    this.counters[BUS.replies] = this.counters[BUS.replies]! + 1;
  }

  /** Marks the answers from the `order`-th on as missing, to be asked again. */
  #doubtFrom(order: number): void {
    for (let k = order; k < this.#asked; k++) {
      const id = this.#ids[k]!;
      if (this.#answered[id] === 0) continue;
      this.#answered[id] = 0;
      this.#doubtful++;
    }
  }

  #endRequest(): void {
    this.#slots.fill(-1);
    this.#pending = 0;
    this.#doubtful = 0;
    this.#lastOrder = -1;
    this.#asked = 0;
    this.#countReader();
  }

  #countReader(): void {
    this.counters[BUS.checksumErrors] = this.#checksumErrorsBefore + this.#reader.checksumErrors;
    this.counters[BUS.skippedBytes] = this.#skippedBytesBefore + this.#reader.skippedBytes;
  }
}
