/**
 * Car with motor and steering servo on a VESC.
 *
 * Bus timing: at 115 200 bit/s a byte takes 87 µs. Commands and requests are 28 to 36 bytes, 3.1 ms; the values are 40 to 43 bytes
 * and the IMU 33, together 6.6 ms; with the VESC's own time, 10 ms of a tick of 20 ms. A UART is full duplex, so `write` sends,
 * after its commands, the request for what the next `read` takes: the line works while the tick rests, a tick waits for nothing,
 * and 100 Hz are possible. The price is age: readings are a period minus 3 ms old, and are stamped so. If nothing was written,
 * `read` sends the request and waits for the answer within its share of the period: torque is off then, or a command is missing.
 */
import { clamp, ReinError, type RobotModel, type Vec } from '../../model/index.ts';
import { BUS, type GuardNotice, type RobotState } from '../../rows/index.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverReport,
  type DriverService,
  type DriverStatus,
  type ServiceAnswer,
} from '../driver.ts';
import { ackermannAxes, ReferenceMotion } from '../reference-motion.ts';
import type { OpenLine } from '../serial/line.ts';
import { LineKeeper } from '../serial/line-keeper.ts';
import { DriveLaw } from './drive-law.ts';
import { Odometer } from './odometer.ts';
import { countsPerM, VESC_SIGNALS, type VescDriverOptions } from './options.ts';
import { OVERHEAD_BYTES, writeBrake, writeCurrent, writeServo } from './protocol.ts';
import { IMU_NUMBERS, VALUE } from './values.ts';
import { VescLink } from './vesc-link.ts';
import { FROM_ITS_START, VescWatch } from './vesc-watch.ts';

/** Share of the control period that `read` may wait. */
const READ_SHARE = 0.6;
/** Ticks without an answer after which the VESC is lost. */
const MISSES = 3;
/** Row 46: without a reference for this time, the car is stopped, at the latest in the last tick that fits in, s. */
const NEUTRAL_S = 0.1;
/** Largest distance of a reference from the car, m: the guard stops a car that falls behind by less. */
const REACH_M = 3;
/** Longer than any packet of this program, to complete one that was truncated before a stop; and longer than any packet. */
const FILL_BYTES = 16;
const FLUSH_BYTES = 520;
const G_M_PER_S2 = 9.80665;
const RAD_PER_DEG = Math.PI / 180;

export interface VescDriverParts {
  readonly model: RobotModel;
  readonly options: VescDriverOptions;
  readonly openLine: OpenLine;
}

/** VESC driver; see `Driver`. The constructor throws `RangeError` for a robot that is no car. */
export class VescDriver implements Driver {
  /** `needsFirstMotion`: the motor was not seen to turn since the port was opened, or the VESC restarted or fell silent. */
  readonly report: DriverReport;
  readonly #options: VescDriverOptions;
  readonly #line: LineKeeper;
  readonly #model: RobotModel;
  readonly #axes: { readonly x: number; readonly steering: number };
  readonly #periodS: number;
  readonly #neutralAfterS: number;
  readonly #odometer: Odometer;
  readonly #law: DriveLaw;
  readonly #motion: ReferenceMotion;
  readonly #watch: VescWatch;
  readonly #link: VescLink;
  /** [k] index in `VESC_SIGNALS`. */
  readonly #signals: readonly number[];
  readonly #stopFrames: readonly Uint8Array[];
  #isOn = false;
  /** The VESC was silent or has restarted: no speed and no steering, whatever is commanded, until torque is switched on again. */
  #isLeft = false;
  #misses = 0;
  /** Processor number of the VESC, once one has answered. */
  #uuid: string | undefined;
  /** The count restarted while it was away: the car's position in its fence is unknown, until a new driver starts where it stands. */
  #isPlaceLost = false;
  #speedMPerS = 0;
  #isReleased = false;
  #busyS = 0;

  constructor({ model, options, openLine }: VescDriverParts) {
    this.#model = model;
    this.#options = options;
    this.#line = new LineKeeper(openLine);
    this.#axes = ackermannAxes(model);
    this.#periodS = 1 / model.controlHz;
    this.#neutralAfterS = NEUTRAL_S - 1.5 * this.#periodS;
    const { velocityMaxRadPerS: speedMaxMPerS, accelMaxRadPerS2 } = model.joints[this.#axes.x]!;
    const counts = (options.motor.isReversed ? -1 : 1) * countsPerM(options.motor);
    this.#odometer = new Odometer(counts, speedMaxMPerS, this.#periodS);
    this.#law = new DriveLaw(options, speedMaxMPerS, accelMaxRadPerS2);
    this.#motion = new ReferenceMotion(model);
    this.#signals = options.signalNames.map((name) => (VESC_SIGNALS as readonly string[]).indexOf(name));
    const wantsImu = this.#signals.some((signal) => signal >= 0 && signal < IMU_NUMBERS);
    this.#link = new VescLink({ wantsImu, answerS: options.answerMs / 1e3 });
    this.report = createDriverReport({ needsFirstMotion: true, busCounters: this.#link.counters });
    this.#watch = new VescWatch(options, this.#link.values, this.report);
    this.#stopFrames = stopFrames(options.drive.stopBrakeA);
  }

  /** Facts that `open` returns; the path of the bus is valid after it. */
  get facts(): DriverFacts {
    const jointNames = this.#model.joints.map(({ name }) => name);
    return {
      name: 'vesc',
      jointNames,
      signalNames: this.#options.signalNames,
      // The torque at the wheels is not known from the motor current.
      measuresTorque: false,
      countsBus: true,
      // A servo at a VESC gives no feedback.
      unmeasuredJoints: [jointNames[this.#axes.steering]!],
      bus: { path: this.#link.line?.path ?? this.#options.port, stopFrames: this.#stopFrames },
    };
  }

  async open(): Promise<DriverFacts> {
    if (this.#link.line !== undefined) throw new TypeError('the driver is open already');
    try {
      this.#start();
    } catch (error) {
      this.#link.line = undefined;
      throw error;
    }
    return this.facts;
  }

  service(request: DriverService): ServiceAnswer {
    switch (request) {
      case 'prepare':
        return this.#prepare();
      case 'recover':
        return this.#recover();
      case 'passFirstMotion':
        this.report.needsFirstMotion = false;
        return 'done';
      case 'endCommands':
        return 'nothing';
    }
  }

  /** Reopens an unplugged port, and checks the VESC again. A car with unknown position is not driven in its fence. */
  #prepare(): ServiceAnswer {
    if (this.#link.line === undefined) return { refusal: 'the driver is not open' };
    return this.#line.prepare(() => {
      if (this.#link.isLost) this.#start();
      else this.#identify();
      if (this.#isAstray) throw astray();
    });
  }

  /** Reopens a port that was gone, if it is back. */
  #recover(): ServiceAnswer {
    if (this.#link.line === undefined || !this.#link.isLost) return 'done';
    return this.#line.recover({ act: () => this.#start(), rowOf: () => 10, isBack: 'The VESC answers again.' });
  }

  takeNotice(): GuardNotice | undefined {
    return this.#line.takeNotice() ?? this.#watch.takeNotice();
  }

  torque(ratio: number): void {
    if (ratio === 1) this.#turnOn();
    if (ratio === 0) this.#turnOff();
  }

  #turnOn(): void {
    if (this.#link.line === undefined || this.#isAstray) return;
    this.#motion.positionRad[this.#axes.x] = this.#odometer.positionM;
    this.#motion.rest();
    this.#law.restart();
    this.#isLeft = false;
    this.#isOn = true;
  }

  #turnOff(): void {
    if (this.#link.line === undefined || !this.#isOn) return;
    this.#isOn = false;
    this.#motion.rest();
    this.#law.restart();
    this.#law.stop(this.#speedMPerS);
    this.#link.send(this.#law.write(this.#link.out, 0));
  }

  read(out: RobotState): DriverStatus {
    const link = this.#link;
    const { line } = link;
    if (line === undefined || link.isLost) return this.#miss('lost');
    const nowS = line.clock.nowS();
    if (!link.isAsked) {
      const isStale = !(nowS - this.#motion.writtenAtS <= this.#neutralAfterS);
      link.ask(isStale ? this.#writeStop() : 0);
    }
    const isAnswered = link.answer(nowS + READ_SHARE * this.#periodS);
    this.#busyS = line.clock.nowS() - nowS;
    this.#count(line.clock.nowS());
    if (!isAnswered) return this.#miss(link.isLost || this.#misses + 1 >= MISSES ? 'lost' : 'late');
    this.#misses = 0;
    this.#see();
    out.positionRad[this.#axes.x] = this.#odometer.positionM;
    out.velocityRadPerS[this.#axes.x] = this.#speedMPerS;
    // The steering angle is not measured: the wheels are assumed to be at the commanded angle.
    out.positionRad[this.#axes.steering] = this.#motion.positionRad[this.#axes.steering]!;
    out.velocityRadPerS[this.#axes.steering] = this.#motion.velocityRadPerS[this.#axes.steering]!;
    out.torqueNm.fill(0);
    out.wrench.fill(0);
    for (let k = 0; k < this.#signals.length; k++) out.signals[k] = this.#signal(this.#signals[k]!);
    out.measuredAtS = this.#odometer.takenAtS;
    return 'ok';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    const link = this.#link;
    const { line } = link;
    if (line === undefined || link.isLost || !this.#isOn) return 'lost';
    if (!this.#isReachable(referenceRad)) return 'rejected';
    const nowS = line.clock.nowS();
    this.#motion.follow(referenceRad, nowS);
    const isSilent = this.#misses >= MISSES;
    this.#isReleased = false;
    const isSent = link.ask(this.#writeCommands(referenceRad));
    link.counters[BUS.busyS] = this.#busyS + line.clock.nowS() - nowS;
    if (link.isLost || isSilent) return 'lost';
    return isSent ? 'ok' : 'late';
  }

  async close(): Promise<void> {
    this.torque(0);
    this.#link.line?.close();
    this.#link.line = undefined;
  }

  /** If this throws, a lost port stays lost. */
  #start(): void {
    const link = this.#link;
    link.line?.close();
    const { port: path, baud, firmwareTimeout } = this.#options;
    try {
      this.#line.open({ path, baud }, (line) => {
        this.report.needsFirstMotion = true;
        link.attach(line);
        this.#line.checkPath(line);
        const problem = link.timeoutProblem(this.#identify());
        if (problem === undefined) return;
        const { message, remedy } = problem;
        if (firmwareTimeout === 'required') throw new ReinError('driver', message, { remedy });
        this.#line.tell({ level: 'warn', row: 46, message, remedy });
      });
    } catch (error) {
      link.isLost = true;
      throw error;
    }
  }

  /** Returns the firmware version. Throws `ReinError('driver')` if no VESC answers, or one that is too old. */
  #identify(): string {
    const { firmware, uuid } = this.#link.identify();
    this.#misses = 0;
    this.#watch.restart();
    this.#uuid ??= uuid;
    if (this.#uuid !== uuid) {
      this.#uuid = uuid;
      this.#odometer.forget();
      this.#loseWay();
    }
    // If the VESC kept counting, this includes the distance that the car rolled meanwhile.
    this.#see();
    return firmware;
  }

  /** Updates odometry and supervision from new values. */
  #see(): void {
    const { values, askedAtS } = this.#link;
    const sinceS = askedAtS - this.#odometer.takenAtS;
    if (!this.#odometer.take(values, askedAtS)) this.#loseWay();
    this.#speedMPerS = values[VALUE.erpm]! / this.#law.erpmPerMPerS;
    this.#watch.see(this.#speedMPerS, this.#isReleased, Number.isNaN(sinceS) ? this.#periodS : clamp(sinceS, 0, 1));
  }

  /** Called when the VESC has restarted, or is another one. */
  #loseWay(): void {
    this.#watch.reset();
    this.report.needsFirstMotion = true;
    this.#isLeft = true;
    this.#isPlaceLost = true;
  }

  /** True if the car has a fence and its position in it is unknown. */
  get #isAstray(): boolean {
    return this.#isPlaceLost && this.#model.base?.fence !== undefined;
  }

  #miss(status: DriverStatus): DriverStatus {
    const { counters } = this.#link;
    counters[BUS.timeouts] = counters[BUS.timeouts]! + 1;
    this.#misses++;
    if (this.#misses >= MISSES) {
      this.#watch.lose();
      this.report.needsFirstMotion = true;
      this.#isLeft = true;
    }
    return status;
  }

  #count(nowS: number): void {
    const { counters } = this.#link;
    this.#link.count();
    counters[BUS.oldestS] = nowS - this.#odometer.takenAtS;
    counters[BUS.busyS] = this.#busyS;
  }

  /** Writes a stop, in every tick without a command. Returns the number of bytes in the link's `out`. */
  #writeStop(): number {
    this.#law.stop(this.#speedMPerS);
    this.#isReleased = this.#law.command === 'current';
    return this.#law.write(this.#link.out, 0);
  }

  /** Writes the commands sent with the request of a tick. Returns the number of bytes in the link's `out`. */
  #writeCommands(referenceRad: Vec<'rad'>): number {
    const { out } = this.#link;
    // After a silence or restart it gets neither speed nor steering any more (row 46).
    if (this.#isLeft) {
      this.#law.stop(this.#speedMPerS);
      return this.#law.write(out, 0);
    }
    // It may have restarted, which its next answer shows; meanwhile its own timeout runs.
    if (this.#misses > 0) return 0;
    const { x, steering } = this.#axes;
    const behindM = referenceRad[x]! - this.#odometer.positionM;
    this.#law.choose(this.#motion.velocityRadPerS[x]!, behindM, this.#speedMPerS, this.#periodS);
    return writeServo(out, this.#law.write(out, 0), this.#servoAt(referenceRad[steering]!));
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
      // Negated, so that NaN is rejected.
      if (!(referenceRad[i]! >= positionMinRad && referenceRad[i]! <= positionMaxRad)) return false;
    }
    return Math.abs(referenceRad[this.#axes.x]! - this.#odometer.positionM) <= REACH_M;
  }

  #signal(index: number): number {
    const { values, imu } = this.#link;
    if (index < 3) return imu[index]! * G_M_PER_S2;
    if (index < IMU_NUMBERS) return imu[index]! * RAD_PER_DEG;
    return values[SIGNAL_VALUES[index - IMU_NUMBERS]!]!;
  }
}

/** Refusal for a car whose position in its fence is unknown. */
function astray(): ReinError {
  const message = 'The VESC has restarted, and the position of the car in its fence is lost.';
  return new ReinError('driver', message, { remedy: FROM_ITS_START });
}

/** Values of the signals after those of the IMU. */
const SIGNAL_VALUES: readonly number[] = [VALUE.motorA, VALUE.inputA, VALUE.inputV, VALUE.mosfetC, VALUE.motorC];

/**
 * A stop at once; another after enough zeros to complete, with a wrong CRC, a truncated packet of this program; and another after more
 * bytes than any packet has. The firmware searches wrong packets for others, so that the first stop is found with the second at the latest.
 */
function stopFrames(brakeA: number): readonly Uint8Array[] {
  const stop = new Uint8Array(2 * OVERHEAD_BYTES);
  if (brakeA > 0) writeBrake(stop, 0, brakeA);
  else writeCurrent(stop, 0, 0);
  return [stop, new Uint8Array(FILL_BYTES), stop, new Uint8Array(FLUSH_BYTES), stop];
}
