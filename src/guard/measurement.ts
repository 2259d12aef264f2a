/** The driver's measurements and their validation: stage `read` of a tick, and the beginning of `check`. */

import type { Driver, DriverStatus } from '../drivers/index.ts';
import { allFinite, type Clock, type RobotModel } from '../model/index.ts';
import { copyRobotState, createRobotState, type GuardFrame, type RobotState } from '../rows/index.ts';
import {
  checkTick,
  DRIVER_LOST,
  EMERGENCY_STOP,
  HardwareWatch,
  MeasurementWatchdog,
  READING_NOT_FINITE,
} from '../safety/index.ts';

/** Number of consecutive ticks without a measurement, or with a rejected reference, after which a driver is lost. */
export const MISSED_TICKS = 3;
/**
 * Stamps that advance more than this times the guard's clock, or not at all, are not in seconds: milliseconds, a counter, NaN. Readings
 * that queued may come twice as fast.
 */
const STAMPS_AHEAD = 2;
/** The shortest plausible time between two readings is the period divided by this. */
const STAMPS_BEHIND = 100;

/** Reads `driver`, and copies trusted readings into `frame`. Tick-safe after construction. */
export class Measurement {
  readonly frame: GuardFrame;
  /** Start of this tick, and time since the start of the previous one, on the guard's clock, s. */
  nowS: number = Number.NaN;
  dtS: number = Number.NaN;
  /** False if the driver returned the same reading again, or none. */
  isNew = false;
  readonly #driver: Driver;
  readonly #clock: Clock;
  readonly #periodS: number;
  readonly #reading: RobotState;
  readonly #watchdog: MeasurementWatchdog;
  readonly #hardware: HardwareWatch = new HardwareWatch();
  #status: DriverStatus = 'ok';
  #missed = 0;
  #hasAnswered = false;
  #sinceReadS = 0;
  /** The driver's stamp of the newest reading; NaN for a driver without stamps, for which each reading is new. */
  #stampS: number = Number.NaN;
  /** [1] time between the newest reading and the previous one, s. */
  readonly #betweenS: Float64Array = new Float64Array(1);
  /** Arrival of the newest reading on the guard's clock, s. */
  #readAtS: number = Number.NaN;
  /** Sum over the readings since `takeStampedS`, s: for a simulator, a late tick is not a longer period. */
  #stampedS = 0;

  constructor(driver: Driver, clock: Clock, model: RobotModel, frame: GuardFrame) {
    this.#driver = driver;
    this.#clock = clock;
    this.frame = frame;
    this.#periodS = 1 / model.controlHz;
    this.#reading = createRobotState(model.joints.length, frame.robot.signals.length);
    this.#watchdog = new MeasurementWatchdog(model);
    this.nowS = clock.nowS();
    this.dtS = this.#periodS;
  }

  read(): void {
    const reading = this.#reading;
    const nowS = this.#clock.nowS();
    this.dtS = nowS - this.nowS;
    this.nowS = nowS;
    // A repeated reading is recognised by its stamp.
    reading.measuredAtS = this.#stampS;
    this.#status = this.#driver.read(reading);
    this.isNew = this.#status === 'ok' && reading.measuredAtS !== this.#stampS;
    if (this.isNew) {
      this.#takeBetween(reading.measuredAtS);
      this.#stampedS += this.#betweenS[0]!;
      this.#stampS = reading.measuredAtS;
      this.#readAtS = nowS;
    }
    reading.measuredAtS = this.#readAtS;
    this.#hardware.check(this.#driver.report.hardwareFaults, nowS);
    this.#count();
  }

  /** Computes the time since the previous reading, s; 0 for the first: from plausible stamps of the driver, else from the clock. */
  #takeBetween(stampS: number): void {
    const clockS = this.nowS - this.#readAtS;
    const passedS = stampS - this.#stampS;
    const isBelieved =
      passedS >= this.#periodS / STAMPS_BEHIND && passedS <= STAMPS_AHEAD * Math.max(clockS, this.#periodS);
    if (Number.isNaN(clockS)) this.#betweenS[0] = 0;
    else this.#betweenS[0] = isBelieved ? passedS : clockS;
  }

  /** Validates the result of `read`, once per tick; returns fault flags. The frame keeps the previous reading if this is not trusted. */
  check(): number {
    this.#sinceReadS += this.dtS;
    if (this.#status !== 'ok') {
      this.#missed++;
      this.#watchdog.isTrusted = false;
      return 0;
    }
    this.#missed = 0;
    this.#hasAnswered = true;
    const { positionRad, velocityRadPerS } = this.#reading;
    const flags = this.#watchdog.check(positionRad, this.#sinceReadS);
    if (this.isNew) this.#sinceReadS = 0;
    if (!this.#watchdog.isTrusted) return flags;
    if (!allFinite(velocityRadPerS)) {
      this.#watchdog.isTrusted = false;
      return flags | READING_NOT_FINITE;
    }
    copyRobotState(this.frame.robot, this.#reading);
    this.frame.stampS = this.#stampS;
    this.frame.meanWrench.set(this.#driver.report.meanWrench);
    return flags;
  }

  /** Counts readings, for the operator. */
  #count(): void {
    const frame = this.frame;
    if (this.isNew) frame.readings++;
    else if (this.#status === 'ok' || this.#status === 'late') frame.lateReadings++;
    else frame.lostReadings++;
  }

  /** Copies the driver's bus counters, including this tick's writes. */
  takeBus(): void {
    this.frame.busCounters.set(this.#driver.report.busCounters);
  }

  /** True if the joints were read in this tick and the reading is trusted. */
  get isTrusted(): boolean {
    return this.#watchdog.isTrusted;
  }

  get isLost(): boolean {
    return this.#missed >= MISSED_TICKS;
  }

  /** A robot that reports itself lost counts as connected for the first ticks. */
  get isConnected(): boolean {
    return this.#status !== 'lost' || !this.isLost;
  }

  /** Current fault flags of the driver. A robot that starts after the guard is not lost: the guard waits in the state `disconnected`. */
  get driverFaults(): number {
    const button = this.#driver.report.isEmergencyStopPressed ? EMERGENCY_STOP : 0;
    const said = button | this.#hardware.flags;
    return this.isLost && this.#hasAnswered ? said | DRIVER_LOST : said;
  }

  /** `tickStalled` if this tick began much too late; else 0. */
  get stalled(): number {
    return checkTick(this.dtS, this.#periodS);
  }

  /** Time from the previous reading to the newest, s; 0 for the first. */
  get betweenS(): number {
    return this.#betweenS[0]!;
  }

  /** Measured time since the last call, s. */
  takeStampedS(): number {
    const stampedS = this.#stampedS;
    this.#stampedS = 0;
    return stampedS;
  }

  /** The next reading may be anywhere; no reading is trusted before it. */
  forget(): void {
    this.#watchdog.restart();
  }

  /** Like `forget`, after the robot was just placed elsewhere: time counts from now. */
  restart(): void {
    this.forget();
    this.#sinceReadS = 0;
    this.nowS = this.#clock.nowS();
  }
}
