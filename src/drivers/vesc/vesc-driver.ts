/**
 * A car whose motor and steering servo hang on a VESC.
 *
 * The arithmetic of the bus: at 115 200 bit/s a byte takes 87 µs. Commands and requests are 28 to 36 bytes, 3.1 ms; the values are 40 to 43
 * bytes and the IMU 33, together 6.6 ms; with the VESC's own time that is 10 ms of the 20 of a tick. But a UART carries both ways at once,
 * and so `write` asks, behind its commands, for what the next `read` takes: the line works while the tick rests, a tick waits for nothing,
 * and 100 Hz fit. What it costs is age: readings are a period minus 3 ms old, and are stamped so. Where nothing was written, `read`
 * asks by itself, and waits for it within its share of the period: no torque is on then, or a command is missing.
 */
import {
  BUS,
  BUS_COUNTERS,
  clamp,
  type GuardNotice,
  ReinError,
  type RobotModel,
  type RobotState,
  type Vec,
} from '../../core/index.ts';
import type { Driver, DriverBus, DriverStatus } from '../driver.ts';
import { ackermannAxes, ReferenceMotion } from '../reference-motion.ts';
import type { OpenLine, SerialLine } from '../serial/line.ts';
import { DriveLaw } from './drive-law.ts';
import { countsPerM, VESC_SIGNALS, type VescDriverOptions } from './options.ts';
import {
  COMMAND,
  IMU_BYTES,
  IMU_MASK,
  IMU_NUMBERS,
  OVERHEAD_BYTES,
  readImu,
  readSelected,
  STATUS,
  selectedBytes,
  VALUE,
  VALUE_COUNT,
  VescReader,
  writeBrake,
  writeCommand,
  writeCurrent,
  writeGetImu,
  writeGetSelected,
  writeServo,
} from './protocol.ts';
import { VescWatch } from './vesc-watch.ts';

/** Share of the control period that `read` may wait. */
const READ_SHARE = 0.6;
/** How often the line is looked at while an answer is due, s. */
const LOOK_S = 200e-6;
const BITS_PER_BYTE = 10;
/** So many ticks without an answer: the VESC is gone. */
const MISSES = 3;
/** Row 46: after so long without a reference the car is stopped, at the latest in the tick that this leaves room for, s. */
const NEUTRAL_S = 0.1;
/** Row 46: the firmware stops the motor so long after the last command; and what its own clock and the asking add, s. */
const FIRMWARE_TIMEOUT_S = 0.2;
const FIRMWARE_SLACK_S = 0.03;
/** Answers to requests that are made while the driver opens may take so long, s, and are asked for so often. */
const OPEN_ANSWER_S = 0.1;
const OPEN_TRIES = 10;
/** No reference is farther from the car than this, m: the guard has stopped a car that falls behind by less. */
const REACH_M = 3;
/** No answer to these requests is longer. */
const LONGEST_ANSWER_BYTES = 96;
/** More than any packet of ours: what was cut off before a stop is whole then. And more than any packet at all. */
const FILL_BYTES = 16;
const FLUSH_BYTES = 520;
/** A tachometer that moved by more than the car can, times this, began anew. */
const JUMP = 3;
const G_M_PER_S2 = 9.80665;
const RAD_PER_DEG = Math.PI / 180;

const ALWAYS =
  (1 << VALUE.mosfetC) |
  (1 << VALUE.motorA) |
  (1 << VALUE.inputA) |
  (1 << VALUE.erpm) |
  (1 << VALUE.inputV) |
  (1 << VALUE.tachometer) |
  (1 << VALUE.fault) |
  (1 << VALUE.status);
/** Answers have no number of their own, but repeat what was asked for: so two values come in turn, and an answer that is late is known. */
const TAGS: readonly number[] = [0, 1, 2, 3].map(
  (tag) => ((tag & 1) !== 0 ? 1 << VALUE.controllerId : 0) | ((tag & 2) !== 0 ? 1 << VALUE.motorC : 0),
);

export interface VescDriverParts {
  readonly model: RobotModel;
  readonly options: VescDriverOptions;
  readonly openLine: OpenLine;
}

/** See `Driver`. Throws `RangeError` from its constructor for a robot that is no car. */
export class VescDriver implements Driver {
  readonly name = 'vesc';
  /** What the motor's current makes of the wheels is not known. */
  readonly measuresTorque = false;
  readonly jointNames: readonly string[];
  readonly signalNames: readonly string[];
  readonly busCounters: Float64Array = new Float64Array(BUS_COUNTERS.length);
  readonly #options: VescDriverOptions;
  readonly #openLine: OpenLine;
  readonly #model: RobotModel;
  readonly #axes: { readonly x: number; readonly steering: number };
  readonly #periodS: number;
  readonly #neutralAfterS: number;
  readonly #countsPerM: number;
  readonly #mostCountsPerS: number;
  readonly #law: DriveLaw;
  readonly #motion: ReferenceMotion;
  readonly #values: Float64Array = new Float64Array(VALUE_COUNT);
  readonly #imu: Float64Array = new Float64Array(IMU_NUMBERS);
  readonly #watch: VescWatch;
  readonly #reader: VescReader;
  readonly #out: Uint8Array = new Uint8Array(128);
  readonly #received: Uint8Array = new Uint8Array(1024);
  /** [k] index in `VESC_SIGNALS`. */
  readonly #signals: readonly number[];
  readonly #wantsImu: boolean;
  readonly #stopFrames: readonly Uint8Array[];
  #line: SerialLine | undefined;
  #firmware = '';
  #isLost = false;
  #isOn = false;
  /** Mask of the request that is out, 0 for none; and what has come of it. */
  #asked = 0;
  #got = 0;
  #hasImu = false;
  #tag = 0;
  #askedAtS = 0;
  #answerDueS = 0;
  #readUntilS = 0;
  #misses = 0;
  #isCounted = false;
  #lastCounts = 0;
  #positionM = 0;
  #speedMPerS = 0;
  #measuredAtS = 0;
  #isReleased = false;
  #busyS = 0;

  constructor({ model, options, openLine }: VescDriverParts) {
    this.#model = model;
    this.#options = options;
    this.#openLine = openLine;
    this.#axes = ackermannAxes(model);
    this.#periodS = 1 / model.controlHz;
    this.#neutralAfterS = NEUTRAL_S - 1.5 * this.#periodS;
    this.jointNames = model.joints.map((joint) => joint.name);
    this.signalNames = options.signalNames;
    this.#countsPerM = (options.motor.isReversed ? -1 : 1) * countsPerM(options.motor);
    const { velocityMaxRadPerS: speedMaxMPerS, accelMaxRadPerS2 } = model.joints[this.#axes.x]!;
    this.#mostCountsPerS = JUMP * speedMaxMPerS * Math.abs(this.#countsPerM);
    this.#law = new DriveLaw(options, speedMaxMPerS, accelMaxRadPerS2);
    this.#motion = new ReferenceMotion(model);
    this.#watch = new VescWatch(options, this.#values);
    this.#signals = options.signalNames.map((name) => (VESC_SIGNALS as readonly string[]).indexOf(name));
    this.#wantsImu = this.#signals.some((signal) => signal >= 0 && signal < IMU_NUMBERS);
    this.#reader = new VescReader(
      (command, bytes, at, count) => this.#take(command, bytes, at, count),
      LONGEST_ANSWER_BYTES,
    );
    this.#stopFrames = stopFrames(options.drive.stopBrakeA);
  }

  get bus(): DriverBus {
    return { path: this.#line?.path ?? this.#options.port, stopFrames: this.#stopFrames };
  }

  get hardwareFaults(): number {
    return this.#watch.faults;
  }

  async open(): Promise<void> {
    if (this.#line !== undefined) throw new TypeError('the driver is open already');
    this.#start();
  }

  /** Opens what was unplugged, and asks the VESC anew who and how it is. */
  prepare(): string | undefined {
    try {
      if (this.#line === undefined) return 'the driver is not open';
      if (this.#isLost) this.#start();
      else this.#identify(this.#line);
      this.#watch.restart();
      return undefined;
    } catch (error) {
      if (error instanceof ReinError) return error.message.replace(/\.$/, '');
      throw error;
    }
  }

  takeNotice(): GuardNotice | undefined {
    return this.#watch.takeNotice();
  }

  enable(): void {
    if (this.#line === undefined) return;
    this.#motion.positionRad[this.#axes.x] = this.#positionM;
    this.#motion.rest();
    this.#law.restart();
    this.#isOn = true;
  }

  disable(): void {
    if (this.#line === undefined || !this.#isOn) return;
    this.#isOn = false;
    this.#motion.rest();
    this.#law.restart();
    this.#law.stop(this.#speedMPerS);
    this.#send(this.#law.write(this.#out, 0));
  }

  read(out: RobotState): DriverStatus {
    const line = this.#line;
    if (line === undefined || this.#isLost) return this.#miss('lost');
    const nowS = line.clock.nowS();
    if (this.#asked === 0) {
      const isStale = !(nowS - this.#motion.writtenAtS <= this.#neutralAfterS);
      this.#ask(isStale ? this.#writeStop() : 0);
    }
    this.#await(line, Math.min(this.#answerDueS, nowS + READ_SHARE * this.#periodS));
    const isAnswered = this.#isAnswered;
    this.#asked = 0;
    this.#busyS = line.clock.nowS() - nowS;
    this.#count();
    if (!isAnswered) return this.#miss(this.#isLost || this.#misses + 1 >= MISSES ? 'lost' : 'late');
    this.#misses = 0;
    this.#see();
    out.positionRad[this.#axes.x] = this.#positionM;
    out.velocityRadPerS[this.#axes.x] = this.#speedMPerS;
    // Nobody measures where the wheels point: they are taken to be where they were sent.
    out.positionRad[this.#axes.steering] = this.#motion.positionRad[this.#axes.steering]!;
    out.velocityRadPerS[this.#axes.steering] = this.#motion.velocityRadPerS[this.#axes.steering]!;
    out.torqueNm.fill(0);
    out.wrench.fill(0);
    for (let k = 0; k < this.#signals.length; k++) out.signals[k] = this.#signal(this.#signals[k]!);
    out.measuredAtS = this.#measuredAtS;
    return 'ok';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    const line = this.#line;
    if (line === undefined || this.#isLost || !this.#isOn) return 'lost';
    if (!this.#isReachable(referenceRad)) return 'rejected';
    const nowS = line.clock.nowS();
    this.#motion.follow(referenceRad, nowS);
    const { x, steering } = this.#axes;
    // What does not say how it is gets no speed any more (row 46).
    const isSilent = this.#misses >= MISSES;
    if (isSilent) {
      this.#law.stop(this.#speedMPerS);
    } else {
      const behindM = referenceRad[x]! - this.#positionM;
      this.#law.choose(this.#motion.velocityRadPerS[x]!, behindM, this.#speedMPerS, this.#periodS);
    }
    this.#isReleased = false;
    const end = this.#law.write(this.#out, 0);
    const isSent = this.#ask(writeServo(this.#out, end, this.#servoAt(referenceRad[steering]!)));
    this.busCounters[BUS.busyS] = this.#busyS + line.clock.nowS() - nowS;
    if (this.#isLost || isSilent) return 'lost';
    return isSent ? 'ok' : 'late';
  }

  async close(): Promise<void> {
    this.disable();
    this.#line?.close();
    this.#line = undefined;
  }

  #start(): void {
    this.#line?.close();
    const { port: path, baud } = this.#options;
    const line = this.#openLine({ path, baud });
    this.#line = line;
    this.#isLost = false;
    try {
      this.#identify(line);
      this.#checkTimeout(line);
    } catch (error) {
      line.close();
      this.#line = undefined;
      throw error;
    }
  }

  /** Throws `ReinError('driver')` where no VESC answers, or one that is too old. */
  #identify(line: SerialLine): void {
    const { path, baud } = line;
    this.#firmware = '';
    for (let i = 0; i < OPEN_TRIES && this.#firmware === ''; i++) {
      this.#send(writeCommand(this.#out, 0, COMMAND.firmware));
      this.#await(line, line.clock.nowS() + OPEN_ANSWER_S, () => this.#firmware !== '');
    }
    if (this.#firmware === '') {
      throw new ReinError('driver', `No VESC answers on ${path} at ${baud} bit/s.`, {
        remedy:
          'Check its supply and cable, and in VESC Tool that App Settings, APP to Use is UART and has this baud rate.',
      });
    }
    if (!this.#askOnce(line)) {
      throw new ReinError('driver', `The VESC on ${path} (firmware ${this.#firmware}) does not say how it is.`, {
        remedy: 'Write firmware 6.00 or newer with VESC Tool.',
      });
    }
    // Where it stands now is where odometry goes on from.
    this.#isCounted = false;
    this.#misses = 0;
    this.#see();
  }

  /** Whether the firmware stops the motor by itself: nothing is said to it for as long as that may take. Throws `ReinError('driver')`. */
  #checkTimeout(line: SerialLine): void {
    this.#send(writeCurrent(this.#out, 0, 0));
    line.wait(line.clock.nowS() + FIRMWARE_TIMEOUT_S + FIRMWARE_SLACK_S);
    const isAnswered = this.#askOnce(line);
    const hasStatus = (this.#got & (1 << VALUE.status)) !== 0;
    if (isAnswered && hasStatus && (this.#values[VALUE.status]! & STATUS.hasTimedOut) !== 0) return;
    const what = hasStatus
      ? `The VESC's firmware (${this.#firmware}) does not stop the motor ${1e3 * FIRMWARE_TIMEOUT_S} ms after the last command (fault 46)`
      : `Whether the VESC's firmware (${this.#firmware}) stops the motor by itself cannot be asked: it is older than 6.00 (fault 46)`;
    const remedy =
      'VESC Tool: App Settings, General: set Timeout to 100 ms, let nothing but UART drive the motor, and write it; or set driver.firmwareTimeout to reported.';
    if (this.#options.firmwareTimeout === 'required') throw new ReinError('driver', `${what}.`, { remedy });
    this.#watch.tell({ level: 'warn', row: 46, message: `${what}.`, remedy });
  }

  /** Asks until there is an answer, between ticks. */
  #askOnce(line: SerialLine): boolean {
    for (let i = 0; i < OPEN_TRIES; i++) {
      this.#ask(0);
      this.#await(line, line.clock.nowS() + OPEN_ANSWER_S);
      this.#asked = 0;
      if (this.#isAnswered) return true;
    }
    return false;
  }

  get #isAnswered(): boolean {
    return this.#got !== 0 && (this.#hasImu || !this.#wantsImu);
  }

  /** Appends requests to the `end` bytes in `#out`, and sends it all; false: it was not taken. What was on the line before belongs to nothing any more. */
  #ask(end: number): boolean {
    const line = this.#line!;
    this.#asked = 0;
    while (this.#receive() > 0);
    this.#reader.restart();
    this.#got = 0;
    this.#hasImu = false;
    this.#tag = (this.#tag + 1) % TAGS.length;
    const mask = ALWAYS | TAGS[this.#tag]!;
    let bytes = writeGetSelected(this.#out, end, mask);
    let answer = selectedBytes(mask) + OVERHEAD_BYTES;
    const counters = this.busCounters;
    counters[BUS.requests] = counters[BUS.requests]! + 1;
    if (this.#wantsImu) {
      bytes = writeGetImu(this.#out, bytes, IMU_MASK);
      answer += 1 + IMU_BYTES + OVERHEAD_BYTES;
      counters[BUS.requests] = counters[BUS.requests]! + 1;
    }
    if (!this.#send(bytes)) return false;
    const byteS = BITS_PER_BYTE / line.baud;
    const nowS = line.clock.nowS();
    this.#asked = mask;
    // It answers one after the other, and begins before it has heard all.
    this.#askedAtS = nowS + (end + 2 * OVERHEAD_BYTES) * byteS;
    this.#readUntilS = this.#askedAtS + answer * byteS;
    this.#answerDueS = this.#readUntilS + this.#options.answerMs / 1e3;
    return true;
  }

  /** Takes what comes until all of it has come, or `untilS`. */
  #await(line: SerialLine, untilS: number, isDone?: () => boolean): void {
    // Nothing whole can be there before the line has carried it.
    if (isDone === undefined) line.wait(Math.min(untilS, this.#readUntilS));
    for (;;) {
      const got = this.#receive();
      if (got < 0 || (isDone === undefined ? this.#isAnswered : isDone())) return;
      const nowS = line.clock.nowS();
      if (nowS >= untilS) break;
      line.wait(Math.min(untilS, nowS + LOOK_S));
    }
    // A length that lied may hold the answer up.
    this.#reader.restart();
  }

  #send(bytes: number): boolean {
    const status = this.#line!.write(this.#out, bytes);
    if (status === 'lost') this.#isLost = true;
    if (status !== 'ok') return false;
    this.busCounters[BUS.sentBytes] = this.busCounters[BUS.sentBytes]! + bytes;
    return true;
  }

  #receive(): number {
    const got = this.#line!.read(this.#received, 0);
    if (got < 0) this.#isLost = true;
    if (got <= 0) return got;
    this.busCounters[BUS.receivedBytes] = this.busCounters[BUS.receivedBytes]! + got;
    this.#reader.push(this.#received, 0, got);
    return got;
  }

  #take(command: number, bytes: Uint8Array, at: number, count: number): void {
    if (command === COMMAND.firmware && count >= 2) {
      this.#firmware = `${bytes[at]}.${String(bytes[at + 1]).padStart(2, '0')}`;
      return;
    }
    const counters = this.busCounters;
    const isExpected =
      this.#asked !== 0 &&
      ((command === COMMAND.getSelected && this.#got === 0 && this.#takeValues(bytes, at, count)) ||
        (command === COMMAND.getImu && this.#got !== 0 && !this.#hasImu && this.#takeImu(bytes, at, count)));
    const counter = isExpected ? BUS.replies : BUS.foreignReplies;
    counters[counter] = counters[counter]! + 1;
  }

  #takeValues(bytes: Uint8Array, at: number, count: number): boolean {
    // The mask first: a late answer must not leave its values here.
    const asked = this.#asked;
    const mask = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]! | 0;
    if (mask !== asked) return false;
    this.#got = readSelected(bytes, at, count, this.#values);
    return this.#got !== 0;
  }

  #takeImu(bytes: Uint8Array, at: number, count: number): boolean {
    this.#hasImu = readImu(bytes, at, count, this.#imu);
    return this.#hasImu;
  }

  /** Odometry and supervision from new values. */
  #see(): void {
    const values = this.#values;
    const counts = values[VALUE.tachometer]!;
    const dtS = this.#isCounted ? clamp(this.#askedAtS - this.#measuredAtS, 0, 1) : this.#periodS;
    const steps = this.#isCounted ? (counts - this.#lastCounts) | 0 : 0;
    // One that began anew says nothing of where the car went.
    if (Math.abs(steps) > this.#mostCountsPerS * Math.max(dtS, this.#periodS) + 10) this.#watch.reset();
    else this.#positionM += steps / this.#countsPerM;
    this.#lastCounts = counts;
    this.#isCounted = true;
    this.#speedMPerS = values[VALUE.erpm]! / this.#law.erpmPerMPerS;
    this.#measuredAtS = this.#askedAtS;
    this.#watch.see(this.#speedMPerS, this.#isReleased, dtS);
  }

  #miss(status: DriverStatus): DriverStatus {
    this.busCounters[BUS.timeouts] = this.busCounters[BUS.timeouts]! + 1;
    this.#misses++;
    if (this.#misses >= MISSES) this.#watch.lose();
    return status;
  }

  #count(): void {
    const { busCounters } = this;
    busCounters[BUS.checksumErrors] = this.#reader.checksumErrors;
    busCounters[BUS.skippedBytes] = this.#reader.skippedBytes;
    busCounters[BUS.oldestS] = this.#line!.clock.nowS() - this.#measuredAtS;
    busCounters[BUS.busyS] = this.#busyS;
  }

  /** Nothing is commanded: it stops, and is told so in every tick. Returns how many bytes stand in `#out`. */
  #writeStop(): number {
    this.#law.stop(this.#speedMPerS);
    this.#isReleased = this.#law.command === 'current';
    return this.#law.write(this.#out, 0);
  }

  #servoAt(angleRad: number): number {
    const { centre, perRad, min, max } = this.#options.steering;
    return clamp(centre + perRad * angleRad, min, max);
  }

  #isReachable(referenceRad: Vec<'rad'>): boolean {
    const { joints } = this.#model;
    if (referenceRad.length !== joints.length) return false;
    for (let i = 0; i < joints.length; i++) {
      const { positionMinRad, positionMaxRad } = joints[i]!;
      // Written so that what is no number is refused.
      if (!(referenceRad[i]! >= positionMinRad && referenceRad[i]! <= positionMaxRad)) return false;
    }
    return Math.abs(referenceRad[this.#axes.x]! - this.#positionM) <= REACH_M;
  }

  #signal(index: number): number {
    const values = this.#values;
    if (index < 3) return this.#imu[index]! * G_M_PER_S2;
    if (index < IMU_NUMBERS) return this.#imu[index]! * RAD_PER_DEG;
    return values[SIGNAL_VALUES[index - IMU_NUMBERS]!]!;
  }
}

/** Of the signals behind those of the IMU. */
const SIGNAL_VALUES: readonly number[] = [VALUE.motorA, VALUE.inputA, VALUE.inputV, VALUE.mosfetC, VALUE.motorC];

/**
 * A stop at once; then again behind so many zeros that a packet of ours that was cut off before is whole, and wrong; and again behind more
 * than any packet has. The firmware looks for packets inside what was wrong, so that the first is found at the latest with the second.
 */
function stopFrames(brakeA: number): readonly Uint8Array[] {
  const stop = new Uint8Array(2 * OVERHEAD_BYTES);
  if (brakeA > 0) writeBrake(stop, 0, brakeA);
  else writeCurrent(stop, 0, 0);
  return [stop, new Uint8Array(FILL_BYTES), stop, new Uint8Array(FLUSH_BYTES), stop];
}
