/**
 * Requests to a VESC and their answers, on one line. They have no numbers: each request for values asks for a different
 * combination of two spare ones, and an answer repeats that, so that a late one is recognised.
 */
import { ReinError } from '../../model/index.ts';
import { BUS, BUS_COUNTERS } from '../../rows/index.ts';
import type { SerialLine } from '../serial/line.ts';
import {
  COMMAND,
  getInt,
  OVERHEAD_BYTES,
  writeCommand,
  writeCurrent,
  writeGetImu,
  writeGetSelected,
} from './protocol.ts';
import { VescReader } from './reader.ts';
import {
  IMU_BYTES,
  IMU_MASK,
  IMU_NUMBERS,
  readIdentity,
  readImu,
  readSelected,
  STATUS,
  selectedBytes,
  VALUE,
  VALUE_COUNT,
  type VescIdentity,
} from './values.ts';

/** More full buffers than this are no backlog. */
const DRAINED_READS = 16;
/** Poll interval of the line while an answer is due, s. */
const LOOK_S = 200e-6;
const BITS_PER_BYTE = 10;
/** Row 46: delay after the last command within which the firmware stops the motor; tolerance for its clock and the request, s. */
const FIRMWARE_TIMEOUT_S = 0.2;
const FIRMWARE_SLACK_S = 0.03;
/** Timeout of requests between ticks, s, and number of tries. */
const PATIENT_S = 0.1;
const PATIENT_TRIES = 10;
/** Longest answer to these requests. */
const LONGEST_ANSWER_BYTES = 96;

const ALWAYS =
  (1 << VALUE.mosfetC) |
  (1 << VALUE.motorA) |
  (1 << VALUE.inputA) |
  (1 << VALUE.erpm) |
  (1 << VALUE.inputV) |
  (1 << VALUE.drawnAh) |
  (1 << VALUE.tachometer) |
  (1 << VALUE.tachometerAbs) |
  (1 << VALUE.fault) |
  (1 << VALUE.status);
const TAGS: readonly number[] = [0, 1, 2, 3].map(
  (tag) => ((tag & 1) !== 0 ? 1 << VALUE.controllerId : 0) | ((tag & 2) !== 0 ? 1 << VALUE.motorC : 0),
);

export interface VescLinkOptions {
  readonly wantsImu: boolean;
  /** Time that VESC and adapter may take to answer, beside the time on the line, s. */
  readonly answerS: number;
}

/** Difference from what is required, and its remedy. */
export interface VescProblem {
  readonly message: string;
  readonly remedy: string;
}

export class VescLink {
  /** Values last answered, by `VALUE`; those of the IMU, by `IMU`. */
  readonly values: Float64Array = new Float64Array(VALUE_COUNT);
  readonly imu: Float64Array = new Float64Array(IMU_NUMBERS);
  /** Buffer for commands that are sent with a request. */
  readonly out: Uint8Array = new Uint8Array(128);
  /** In the order of `BUS_COUNTERS`. */
  readonly counters: Float64Array = new Float64Array(BUS_COUNTERS.length);
  line: SerialLine | undefined;
  /** The port is gone. */
  isLost = false;
  /** The line echoes what is sent; echoes are dropped. */
  hasEcho = false;
  /** Time at which the VESC had received the newest request, s. */
  askedAtS = 0;
  readonly #options: VescLinkOptions;
  readonly #reader: VescReader;
  readonly #received: Uint8Array = new Uint8Array(1024);
  #identity: VescIdentity | undefined;
  /** Mask of the pending request, 0: none; and values and IMU received for it. */
  #asked = 0;
  #got = 0;
  #hasImu = false;
  #tag = 0;
  #answerDueS = 0;
  #readUntilS = 0;

  constructor(options: VescLinkOptions) {
    this.#options = options;
    this.#reader = new VescReader(
      (command, bytes, at, count) => this.#take(command, bytes, at, count),
      LONGEST_ANSWER_BYTES,
    );
  }

  /** True if a request is pending and its answer was not awaited. Tick path, like all members not marked otherwise. */
  get isAsked(): boolean {
    return this.#asked !== 0;
  }

  /** Continues at `line`, which the caller closes. */
  attach(line: SerialLine): void {
    this.line = line;
    this.isLost = false;
  }

  /** Appends requests to the `end` bytes in `out`, and sends all; false: not accepted. Earlier bytes on the line are dropped. */
  ask(end: number): boolean {
    const line = this.line!;
    this.#asked = 0;
    // A line that never falls silent is not waited for.
    for (let k = 0; k < DRAINED_READS && this.#receive() > 0; k++);
    this.#reader.restart();
    this.#got = 0;
    this.#hasImu = false;
    this.#tag = (this.#tag + 1) % TAGS.length;
    const mask = ALWAYS | TAGS[this.#tag]!;
    let bytes = writeGetSelected(this.out, end, mask);
    let answer = selectedBytes(mask) + OVERHEAD_BYTES;
    const { counters } = this;
    counters[BUS.requests] = counters[BUS.requests]! + 1;
    if (this.#options.wantsImu) {
      bytes = writeGetImu(this.out, bytes, IMU_MASK);
      answer += 1 + IMU_BYTES + OVERHEAD_BYTES;
      counters[BUS.requests] = counters[BUS.requests]! + 1;
    }
    if (!this.send(bytes)) return false;
    const byteS = BITS_PER_BYTE / line.baud;
    const nowS = line.clock.nowS();
    this.#asked = mask;
    // The VESC answers one request after the other, and begins before it has received all.
    this.askedAtS = nowS + (end + 2 * OVERHEAD_BYTES) * byteS;
    this.#readUntilS = this.askedAtS + answer * byteS;
    this.#answerDueS = this.#readUntilS + this.#options.answerS;
    return true;
  }

  /** Waits for the answer until it is there, overdue, or `untilS`; returns true if it is there. */
  answer(untilS: number): boolean {
    this.#await(this.line!, Math.min(this.#answerDueS, untilS));
    this.#asked = 0;
    return this.#isAnswered;
  }

  /** Sends the first `bytes` of `out`; returns false if they were not accepted. */
  send(bytes: number): boolean {
    const status = this.line!.write(this.out, bytes);
    if (status === 'lost') this.isLost = true;
    if (status !== 'ok') return false;
    this.counters[BUS.sentBytes] = this.counters[BUS.sentBytes]! + bytes;
    return true;
  }

  /** Updates the counters that the reader keeps. */
  count(): void {
    this.counters[BUS.checksumErrors] = this.#reader.checksumErrors;
    this.counters[BUS.skippedBytes] = this.#reader.skippedBytes;
  }

  /** Returns the identity, and reads the values. Between ticks. Throws `ReinError('driver')` if no VESC answers, or one that is too old. */
  identify(): VescIdentity {
    const line = this.line!;
    const { path, baud } = line;
    this.#identity = undefined;
    for (let i = 0; i < PATIENT_TRIES && this.#identity === undefined; i++) {
      this.send(writeCommand(this.out, 0, COMMAND.firmware));
      this.#await(line, line.clock.nowS() + PATIENT_S, () => this.#identity !== undefined);
    }
    // Written by the callback, which the compiler does not see.
    const identity = this.#identity as VescIdentity | undefined;
    if (identity === undefined) {
      throw new ReinError('driver', `No VESC answers on ${path} at ${baud} bit/s.`, {
        remedy:
          'Check its supply and cable, and in VESC Tool that App Settings, APP to Use is UART and has this baud rate.',
      });
    }
    if (!this.measure()) {
      throw new ReinError('driver', `The VESC on ${path} (firmware ${identity.firmware}) does not report its state.`, {
        remedy: 'Write firmware 6.00 or newer with VESC Tool.',
      });
    }
    return identity;
  }

  /** Sends requests until values arrive; returns false if none do. Between ticks. */
  measure(): boolean {
    const line = this.line!;
    for (let i = 0; i < PATIENT_TRIES; i++) {
      this.ask(0);
      this.#await(line, line.clock.nowS() + PATIENT_S);
      this.#asked = 0;
      if (this.#isAnswered) return true;
    }
    return false;
  }

  /**
   * Tests the firmware's own timeout (row 46): the motor is released, and nothing is sent for as long as the timeout
   * may be. Returns the problem. Between ticks; `firmware`: version from `identify`.
   */
  timeoutProblem(firmware: string): VescProblem | undefined {
    const line = this.line!;
    this.send(writeCurrent(this.out, 0, 0));
    line.wait(line.clock.nowS() + FIRMWARE_TIMEOUT_S + FIRMWARE_SLACK_S);
    const isAnswered = this.measure();
    const hasStatus = (this.#got & (1 << VALUE.status)) !== 0;
    if (isAnswered && hasStatus && (this.values[VALUE.status]! & STATUS.hasTimedOut) !== 0) return undefined;
    const message = hasStatus
      ? `The VESC's firmware (${firmware}) does not stop the motor ${1e3 * FIRMWARE_TIMEOUT_S} ms after the last command (fault 46).`
      : `Whether the VESC's firmware (${firmware}) stops the motor by itself cannot be read: it is older than 6.00 (fault 46).`;
    const remedy = hasStatus
      ? 'VESC Tool: App Settings, General: set Timeout to 100 ms, let nothing but UART drive the motor, and write it.'
      : 'Write firmware 6.00 or newer with VESC Tool, and set Timeout to 100 ms there: App Settings, General.';
    return { message, remedy };
  }

  get #isAnswered(): boolean {
    return this.#got !== 0 && (this.#hasImu || !this.#options.wantsImu);
  }

  /** Receives until the answer is complete, or `untilS`. */
  #await(line: SerialLine, untilS: number, isDone?: () => boolean): void {
    // No complete answer can arrive before its transmission time.
    if (isDone === undefined) line.wait(Math.min(untilS, this.#readUntilS));
    for (;;) {
      const got = this.#receive();
      if (got < 0 || (isDone === undefined ? this.#isAnswered : isDone())) return;
      const nowS = line.clock.nowS();
      if (nowS >= untilS) break;
      line.wait(Math.min(untilS, nowS + LOOK_S));
    }
    // A wrong length may hold back the answer.
    this.#reader.restart();
  }

  #receive(): number {
    const got = this.line!.read(this.#received, 0);
    if (got < 0) this.isLost = true;
    if (got <= 0) return got;
    this.counters[BUS.receivedBytes] = this.counters[BUS.receivedBytes]! + got;
    this.#reader.push(this.#received, 0, got);
    return got;
  }

  #take(command: number, bytes: Uint8Array, at: number, count: number): void {
    if (isRequest(command, count)) {
      this.hasEcho = true;
      return;
    }
    if (command === COMMAND.firmware && count >= 2) {
      this.#identity = readIdentity(bytes, at, count);
      return;
    }
    const { counters } = this;
    const isExpected =
      this.#asked !== 0 &&
      ((command === COMMAND.getSelected && this.#got === 0 && this.#takeValues(bytes, at, count)) ||
        (command === COMMAND.getImu && this.#got !== 0 && !this.#hasImu && this.#takeImu(bytes, at, count)));
    const counter = isExpected ? BUS.replies : BUS.foreignReplies;
    counters[counter] = counters[counter]! + 1;
  }

  #takeValues(bytes: Uint8Array, at: number, count: number): boolean {
    // The mask is checked first: values of a late answer must not be stored.
    if (count < 4 || getInt(bytes, at, 4) !== this.#asked) return false;
    this.#got = readSelected(bytes, at, count, this.values);
    return this.#got !== 0;
  }

  #takeImu(bytes: Uint8Array, at: number, count: number): boolean {
    this.#hasImu = readImu(bytes, at, count, this.imu);
    return this.#hasImu;
  }
}

/** Commands that are never answered, and their numbers of bytes. */
const COMMANDED: Readonly<Record<number, number>> = {
  [COMMAND.setDuty]: 4,
  [COMMAND.setCurrent]: 4,
  [COMMAND.setBrake]: 4,
  [COMMAND.setRpm]: 4,
  [COMMAND.setServo]: 2,
  [COMMAND.alive]: 0,
};

/** Returns true for an echo of a request: no answer has that command, or so few bytes. */
function isRequest(command: number, count: number): boolean {
  if (command === COMMAND.firmware) return count === 0;
  if (command === COMMAND.getSelected) return count === 4;
  return count === (command === COMMAND.getImu ? 2 : COMMANDED[command]);
}
