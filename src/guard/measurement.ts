/** The robot as the driver measures it, and how much of that is believed: `read` of a tick, and what `check` begins with. */
import {
  allFinite,
  type Clock,
  copyRobotState,
  createRobotState,
  type GuardFrame,
  type RobotModel,
  type RobotState,
} from '../core/index.ts';
import type { Driver, DriverStatus } from '../drivers/index.ts';
import {
  checkTick,
  DRIVER_LOST,
  EMERGENCY_STOP,
  HardwareWatch,
  MeasurementWatchdog,
  READING_NOT_FINITE,
} from '../safety/index.ts';

/** A driver that gives no measurement, or takes no reference, this many ticks in a row is lost. */
export const MISSED_TICKS = 3;
/**
 * Stamps that advance so many times as fast as the guard's clock, or not at all, are none in seconds: milliseconds, a counter, NaN. Readings
 * that waited for each other may come twice as fast.
 */
const STAMPS_AHEAD = 2;
/** Nothing is measured twice within so small a part of a period. */
const STAMPS_BEHIND = 100;

/** Reads `driver`, and takes over into `frame` what can be believed. Tick-safe after construction. */
export class Measurement {
  readonly frame: GuardFrame;
  /** When this tick began, and how long after the one before, on the guard's clock, s. */
  nowS: number = Number.NaN;
  dtS: number = Number.NaN;
  /** False where the driver handed out the same reading again, or none. */
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
  /** The driver's own stamp of the newest reading; it stays NaN with a driver that stamps nothing, and each reading is new. */
  #stampS: number = Number.NaN;
  /** [1] how long the newest was taken after the one before, s. */
  readonly #betweenS: Float64Array = new Float64Array(1);
  /** When the newest reading came, on the guard's clock, s. */
  #readAtS: number = Number.NaN;
  /** Between the readings since `takeStampedS`: of a simulator, a tick that is late is no longer a period. */
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
    // A driver that hands out the same reading again shows it by its stamp.
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

  /** Notes how long after the reading before this one was taken, s; 0 after none: by the driver's stamps, where they advance like the clock. */
  #takeBetween(stampS: number): void {
    const clockS = this.nowS - this.#readAtS;
    const passedS = stampS - this.#stampS;
    const isBelieved =
      passedS >= this.#periodS / STAMPS_BEHIND && passedS <= STAMPS_AHEAD * Math.max(clockS, this.#periodS);
    if (Number.isNaN(clockS)) this.#betweenS[0] = 0;
    else this.#betweenS[0] = isBelieved ? passedS : clockS;
  }

  /** Judges what `read` has got, once: fault flags. The frame keeps the reading before where this one is not believed. */
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

  /** For people: how the driver does. */
  #count(): void {
    const frame = this.frame;
    if (this.isNew) frame.readings++;
    else if (this.#status === 'ok' || this.#status === 'late') frame.lateReadings++;
    else frame.lostReadings++;
  }

  /** What the driver's bus has done, writes of this tick included. */
  takeBus(): void {
    this.frame.busCounters.set(this.#driver.report.busCounters);
  }

  /** The joints were read in this tick, and the reading is believed. */
  get isTrusted(): boolean {
    return this.#watchdog.isTrusted;
  }

  get isLost(): boolean {
    return this.#missed >= MISSED_TICKS;
  }

  /** A robot that says itself that it is gone counts as connected for the first ticks. */
  get isConnected(): boolean {
    return this.#status !== 'lost' || !this.isLost;
  }

  /** Of the driver, as of now. A robot that comes up after the guard is not lost: it is waited for in the state `disconnected`. */
  get driverFaults(): number {
    const button = this.#driver.report.isEmergencyStopPressed ? EMERGENCY_STOP : 0;
    const said = button | this.#hardware.flags;
    return this.isLost && this.#hasAnswered ? said | DRIVER_LOST : said;
  }

  /** `tickStalled` where this tick began much too late; else 0. */
  get stalled(): number {
    return checkTick(this.dtS, this.#periodS);
  }

  /** Of the newest reading, how long after the one before it was taken, s; 0 where there was none. */
  get betweenS(): number {
    return this.#betweenS[0]!;
  }

  /** How long the driver has measured since this was last asked, s. */
  takeStampedS(): number {
    const stampedS = this.#stampedS;
    this.#stampedS = 0;
    return stampedS;
  }

  /** The next reading may be anywhere; until it has come none is believed. */
  forget(): void {
    this.#watchdog.restart();
  }

  /** As `forget`, where somebody has just put the robot elsewhere: time counts from now on. */
  restart(): void {
    this.forget();
    this.#sinceReadS = 0;
    this.nowS = this.#clock.nowS();
  }
}
