/** Watches one servo: what it reports of itself, and whether it gives all it has and does not get there. */
import { type GuardNotice, HARDWARE } from '../../core/index.ts';
import type { Motor, ServoFamily } from './family.ts';
import type { ServoDriverOptions } from './options.ts';

/** A supply that is too low for so long is no dip of a load, s. */
const VOLTAGE_S = 0.2;
/** Torque off is written anew before it is read so often. */
const KEPT_ON_READS = 2;
/** A servo that was too hot has to cool by so much before torque may come on again, °C. */
const COOL_BY_C = 5;

/** What is known of a servo beside its position. Written by the driver. */
export class ServoWatch {
  /** Of the newest slow blocks; NaN before the first. */
  temperatureC: number = Number.NaN;
  voltageV: number = Number.NaN;
  /** Bits of `HARDWARE`. */
  faults = 0;
  readonly #motor: Motor;
  readonly #family: ServoFamily;
  readonly #options: ServoDriverOptions;
  readonly #capNm: number;
  #error = 0;
  #isLow = false;
  #lowS = 0;
  #staysOn = 0;
  #stalledS = 0;
  #isHot = false;
  #hasStopped = false;
  #reported = 0;
  #notice: GuardNotice | undefined;

  constructor(motor: Motor, family: ServoFamily, options: ServoDriverOptions) {
    this.#motor = motor;
    this.#family = family;
    this.#options = options;
    this.#capNm = motor.model.stallTorqueNm * motor.options.torqueRatio;
  }

  /** Torque comes on: what was before is over. */
  restart(): void {
    this.#stalledS = 0;
    this.#hasStopped = false;
    this.faults &= ~(HARDWARE.servoReset | HARDWARE.torqueCap | HARDWARE.stalled);
  }

  /** After a reply: its error bits; how far the joint is from its set-point (rad or m) under which torque (N·m). Tick path. */
  see(error: number, errorRad: number, torqueNm: number, isOn: boolean, dtS: number): void {
    const { stall } = this.#options;
    this.#error = error;
    const isLoaded = !this.#motor.options.grips && Math.abs(torqueNm) >= stall.loadRatio * this.#capNm;
    this.#stalledS = isOn && isLoaded && Math.abs(errorRad) >= stall.errorRad ? this.#stalledS + dtS : 0;
    this.#set(HARDWARE.stalled, this.#stalledS >= stall.afterS);
    this.#judge();
  }

  /** After a slow block: temperature and supply, NaN where it had none. `dtS`: since the one before. Tick path. */
  measure(temperatureC: number, voltageV: number, dtS: number): void {
    if (!Number.isNaN(temperatureC)) this.temperatureC = temperatureC;
    if (!Number.isNaN(voltageV)) {
      this.voltageV = voltageV;
      // It may have become so at any time since the block before.
      const isLow = voltageV < this.#options.voltageMinV;
      this.#lowS = isLow && this.#isLow ? this.#lowS + dtS : 0;
      this.#isLow = isLow;
    }
    const limitC = this.#options.temperatureMaxC - (this.#isHot ? COOL_BY_C : 0);
    this.#isHot = this.temperatureC > limitC;
    this.#judge();
  }

  /** After a slow block with what was written to it: `isOn` and `cap` as read back. Tick path. */
  readBack(isOn: boolean, shouldBeOn: boolean, isCapKept: boolean): void {
    // A fault of its own takes torque away too: that is no new start.
    if (shouldBeOn && !isOn && !this.#family.isFault(this.#error)) this.faults |= HARDWARE.servoReset;
    this.#staysOn = isOn && !shouldBeOn ? this.#staysOn + 1 : 0;
    if (!isCapKept) this.faults |= HARDWARE.torqueCap;
    this.#judge();
  }

  /** It says that it has stopped by itself, with its torque on. Tick path. */
  stop(): void {
    this.#hasStopped = true;
    this.faults |= HARDWARE.servoReset;
  }

  /** What is new, once. Allocates. */
  takeNotice(): GuardNotice | undefined {
    const fresh = this.faults & ~this.#reported;
    // One at a time.
    const first = fresh & -fresh;
    this.#reported = (this.#reported & this.faults) | first;
    if (first !== 0) this.#notice = this.#noticeOf(first);
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
  }

  /** Torque was taken off, and it is read on again and again. */
  get #isKeptOn(): boolean {
    return this.#staysOn >= KEPT_ON_READS;
  }

  #judge(): void {
    const { voltageMaxV } = this.#options;
    const isSupplyWrong = this.#lowS >= VOLTAGE_S || this.voltageV > voltageMaxV;
    this.#set(HARDWARE.servoFault, this.#isKeptOn || this.#family.isFault(this.#error) || this.#isHot || isSupplyWrong);
  }

  #set(bit: number, isSet: boolean): void {
    this.faults = isSet ? this.faults | bit : this.faults & ~bit;
  }

  #noticeOf(fresh: number): GuardNotice {
    const who = `Servo ${this.#motor.id} (${this.#motor.name})`;
    const { named, temperatureMaxC, voltageMinV, voltageMaxV, stall } = this.#options;
    const told = (row: number, what: string, remedy: string): GuardNotice => ({
      level: 'error',
      row,
      message: `${who} ${what}.`,
      remedy,
    });
    if ((fresh & HARDWARE.servoReset) !== 0 && this.#hasStopped) {
      const what = 'has stopped by itself: its bus watchdog heard nothing for too long';
      return told(13, what, 'Look for what held the bus or this computer up, then acknowledge.');
    }
    if ((fresh & HARDWARE.servoReset) !== 0) {
      return told(
        13,
        'has started anew by itself: its torque is off',
        'Its supply has dipped: check power and cables.',
      );
    }
    if ((fresh & HARDWARE.torqueCap) !== 0) {
      return told(37, 'has another torque cap than was written', 'It may have started anew: check power and cables.');
    }
    if ((fresh & HARDWARE.stalled) !== 0) {
      const what = `has pushed against something for ${stall.afterS} s without getting there`;
      return told(37, what, 'Free the joint; look whether something is in its way, or its torque cap too low.');
    }
    if (this.#isKeptOn)
      return told(13, 'keeps its torque on, though it was taken off', 'Cut its supply; hold the arm.');
    const names = this.#family.errorNames(this.#error);
    if (names.length > 0) {
      const cool = `reports ${names.join(', ')}`;
      return told(
        13,
        cool,
        'Let it cool, take the load off, then acknowledge. Overload wants torque off and on again.',
      );
    }
    if (this.#isHot) {
      const what = `is at ${this.temperatureC.toFixed(0)} °C, beyond ${temperatureMaxC} °C`;
      return told(13, what, `Let it cool below ${temperatureMaxC - COOL_BY_C} °C, then acknowledge.`);
    }
    const what = `has ${this.voltageV.toFixed(1)} V, outside ${voltageMinV} to ${voltageMaxV} V`;
    const check = 'Check the supply and its cables.';
    const more = ` If the servos are made for it, rein doctor --robot ${named} says what to write.`;
    return told(13, what, this.voltageV > voltageMaxV ? `${check}${more}` : check);
  }
}
