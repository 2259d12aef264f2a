/** Watch of one servo: errors that it reports, and stalls under load. */
import { type GuardNotice, HARDWARE } from '../../rows/index.ts';
import { errorCure, type SupplyRead, supplyCure } from './error-cures.ts';
import type { Motor, ServoFamily } from './family.ts';
import type { ServoDriverOptions } from './options.ts';

/** A supply that is too low for this time is more than a dip under load, s. */
const VOLTAGE_S = 0.2;
/** Readings with torque on until it counts as kept on: torque off is rewritten before. */
const KEPT_ON_READS = 2;
/** Torque off is written in this many ticks: torque in one more was switched on by another program. */
const OFF_TICKS = 5;
/** Value of `torqueEnable`. */
const ON = 1;
/** Cooling below the limit before torque may come on again, °C. */
const COOL_BY_C = 5;
/** Causes of `servoFault`; the error bits of a status are below them. */
const CAUSE = { keptOn: 1 << 8, unread: 1 << 9, hot: 1 << 10, supply: 1 << 11, apart: 1 << 12 } as const;
/** Two servos at one joint with readings this far apart pull against each other, rad at the horn: backlash and load cause less. */
const APART_RAD = 0.15;
/** Causes detected here, not reported by the servo. */
const WATCHED = Object.values(CAUSE).reduce((all, bit) => all | bit);
/** Position of the bits of register `hardwareError` among the causes. */
const NAMED_SHIFT = 16;

const FOUND_REMEDY = 'Keep away from the arm; let no other program use its bus.';

/** State of one servo beside its position. Written by the driver. */
export class ServoWatch {
  /** From the newest slow blocks; NaN before the first. */
  temperatureC: number = Number.NaN;
  voltageV: number = Number.NaN;
  /** Bits of `HARDWARE`. */
  faults = 0;
  readonly #motor: Motor;
  readonly #family: ServoFamily;
  readonly #options: ServoDriverOptions;
  readonly #capNm: number;
  #error = 0;
  /** Value of `hardwareError` when last read, in models that have it; and whether it is to be read out of turn. */
  #named = 0;
  #wantsName = false;
  #isUnread = false;
  #isApart = false;
  #isLow = false;
  #lowS = 0;
  #staysOn = 0;
  /** Consecutive per-tick readings with torque that should be off; value of `torqueEnable` when torque was missing. */
  #ticksOn = 0;
  #torqueFound = 0;
  #isFoundOn = false;
  #stalledS = 0;
  #isHot = false;
  #hasStopped = false;
  #causes = 0;
  #reported = 0;
  #reportedCauses = 0;

  constructor(motor: Motor, family: ServoFamily, options: ServoDriverOptions) {
    this.#motor = motor;
    this.#family = family;
    this.#options = options;
    this.#capNm = motor.model.stallTorqueNm * motor.options.torqueRatio;
  }

  /** Called when torque comes on: clears earlier findings. */
  restart(): void {
    this.#stalledS = 0;
    this.#hasStopped = false;
    this.faults &= ~(HARDWARE.servoReset | HARDWARE.torqueCap | HARDWARE.stalled);
  }

  /**
   * Evaluates a reply: its error bits, and distance of the joint from its set-point (rad or m) at this torque (N·m).
   * Torque comes from the current in Dynamixel X models that measure it, else from the motor's duty: at standstill,
   * that is its share of the stall current. Tick path.
   */
  see(error: number, errorRad: number, torqueNm: number, isOn: boolean, dtS: number): void {
    const { stall } = this.#options;
    const isFault = this.#family.isFault(error);
    if (isFault && !this.#family.isFault(this.#error)) this.#wantsName = true;
    if (!isFault) this.#named = 0;
    this.#error = error;
    const isLoaded = !this.#motor.options.grips && Math.abs(torqueNm) >= stall.loadRatio * this.#capNm;
    this.#stalledS = isOn && isLoaded && Math.abs(errorRad) >= stall.errorRad ? this.#stalledS + dtS : 0;
    this.#set(HARDWARE.stalled, this.#stalledS >= stall.afterS);
    this.#judge();
  }

  /** Evaluates temperature and supply voltage of a slow block, NaN if not in it. `dtS`: since the previous one. Tick path. */
  measure(temperatureC: number, voltageV: number, dtS: number): void {
    if (!Number.isNaN(temperatureC)) this.temperatureC = temperatureC;
    if (!Number.isNaN(voltageV)) {
      this.voltageV = voltageV;
      // It may have dropped at any time since the previous block.
      const isLow = voltageV < this.#options.voltageMinV;
      this.#lowS = isLow && this.#isLow ? this.#lowS + dtS : 0;
      this.#isLow = isLow;
    }
    const limitC = this.#options.temperatureMaxC - (this.#isHot ? COOL_BY_C : 0);
    this.#isHot = this.temperatureC > limitC;
    this.#judge();
  }

  /** Returns true, once per error, if the servo reports an error that the next slow block has to specify. Tick path. */
  takeWantsName(): boolean {
    const wants = this.#wantsName;
    this.#wantsName = false;
    return wants;
  }

  /** Evaluates register `hardwareError` of a slow block. Tick path. */
  name(bits: number): void {
    this.#named = this.#family.isFault(this.#error) ? bits : 0;
    this.#judge();
  }

  /** `isUnread`: one of the slow blocks has not been read for too long, though the servo reports its position. Tick path. */
  leaveUnread(isUnread: boolean): void {
    if (isUnread === this.#isUnread) return;
    this.#isUnread = isUnread;
    this.#judge();
  }

  /** Evaluates a reading of two servos at one joint. `apart`: second less first, rad or m. Tick path. */
  compare(apart: number): void {
    const isApart = Math.abs(apart) > (APART_RAD * this.#motor.options.perTurn) / (2 * Math.PI);
    if (isApart === this.#isApart) return;
    this.#isApart = isApart;
    this.#judge();
  }

  /** Evaluates `torqueEnable` and the cap, as read back in a slow block. Tick path. */
  readBack(torqueEnable: number, shouldBeOn: boolean, isCapKept: boolean): void {
    this.#missTorque(torqueEnable, shouldBeOn);
    this.#staysOn = torqueEnable === ON && !shouldBeOn ? this.#staysOn + 1 : 0;
    if (!isCapKept) this.faults |= HARDWARE.torqueCap;
    this.#judge();
  }

  /** Evaluates `torqueEnable`, in families that report it in every tick. Tick path. */
  seeTorque(torqueEnable: number, shouldBeOn: boolean): void {
    // Returns early in most ticks, with little code: functions that are not inlined box numbers.
    if ((torqueEnable === ON) === shouldBeOn && this.#ticksOn === 0) return;
    this.#missTorque(torqueEnable, shouldBeOn);
    this.#ticksOn = torqueEnable === ON && !shouldBeOn ? this.#ticksOn + 1 : 0;
  }

  /** Called for torque that this program did not switch on and is not switching off yet. Tick path. */
  findOn(): void {
    this.#isFoundOn = true;
  }

  #missTorque(torqueEnable: number, shouldBeOn: boolean): void {
    // The servo's own fault switches torque off too: that is no restart.
    if (!shouldBeOn || torqueEnable === ON || this.#family.isFault(this.#error)) return;
    this.#torqueFound = torqueEnable;
    this.faults |= HARDWARE.servoReset;
  }

  /** Called when the servo reports that it stopped by itself, with torque on. Tick path. */
  stop(): void {
    this.#hasStopped = true;
    this.faults |= HARDWARE.servoReset;
  }

  /** Returns what is new, once: one fault, or one more cause of a servo's own fault, at a time. Allocates. */
  takeNotice(): GuardNotice | undefined {
    if (this.#isFoundOn) {
      this.#isFoundOn = false;
      const found = this.#told(13, 'had torque that this program did not enable: torque is switched off', FOUND_REMEDY);
      return { ...found, level: 'warn', isOver: true };
    }
    if ((this.faults & HARDWARE.servoFault) === 0) this.#reportedCauses = 0;
    const causes = this.#causes & ~this.#reportedCauses;
    if (causes !== 0) {
      // The servo's own errors are reported together.
      const own = causes & ~WATCHED;
      const first = own !== 0 ? own : causes & -causes;
      this.#reportedCauses |= first;
      return this.#noticeOfCause(first);
    }
    const fresh = this.faults & ~this.#reported & ~HARDWARE.servoFault;
    const first = fresh & -fresh;
    this.#reported = (this.#reported & this.faults) | first;
    return first === 0 ? undefined : this.#noticeOf(first);
  }

  /** True if torque was switched off and is still read as on. */
  get #isKeptOn(): boolean {
    return this.#staysOn >= KEPT_ON_READS || this.#ticksOn > OFF_TICKS;
  }

  #judge(): void {
    const { voltageMaxV } = this.#options;
    let causes = this.#family.isFault(this.#error) ? this.#error | (this.#named << NAMED_SHIFT) : 0;
    if (this.#isKeptOn) causes |= CAUSE.keptOn;
    if (this.#isUnread) causes |= CAUSE.unread;
    if (this.#isHot) causes |= CAUSE.hot;
    if (this.#lowS >= VOLTAGE_S || this.voltageV > voltageMaxV) causes |= CAUSE.supply;
    if (this.#isApart) causes |= CAUSE.apart;
    this.#causes = causes;
    this.#set(HARDWARE.servoFault, causes !== 0);
  }

  #set(bit: number, isSet: boolean): void {
    this.faults = isSet ? this.faults | bit : this.faults & ~bit;
  }

  #noticeOf(fresh: number): GuardNotice {
    const { stall } = this.#options;
    if (fresh === HARDWARE.servoReset && this.#hasStopped) {
      const what = 'has stopped by itself: its bus watchdog timed out';
      return this.#told(13, what, 'Check what delayed the bus or this computer, then acknowledge.');
    }
    if (fresh === HARDWARE.servoReset && this.#torqueFound !== 0) {
      const what = `brakes and holds nothing (${this.#torqueFound} in torqueEnable), and not by this program`;
      return this.#told(13, what, 'Let no other program use its bus, then acknowledge.');
    }
    if (fresh === HARDWARE.servoReset) {
      const what = 'has restarted by itself: its torque is off';
      return this.#told(13, what, 'Its supply has dipped: check power and cables.');
    }
    if (fresh === HARDWARE.torqueCap) {
      const what = 'has another torque cap than was written';
      return this.#told(37, what, 'It may have restarted: check power and cables.');
    }
    const what = `has pushed for ${stall.afterS} s without reaching its goal`;
    return this.#told(37, what, 'Free the joint; check for an obstacle in its way, or a torque cap that is too low.');
  }

  #noticeOfCause(cause: number): GuardNotice {
    const { named, temperatureMaxC, voltageMinV, voltageMaxV } = this.#options;
    if (cause === CAUSE.keptOn) {
      return this.#told(13, 'keeps its torque on, although torque off was written', 'Cut its supply; hold the arm.');
    }
    if (cause === CAUSE.unread) {
      const what = 'reports its position, but no longer its temperature, supply voltage and torque';
      return this.#told(13, what, 'Check its cable and plugs; a slow bus may want a lower controlHz.');
    }
    if (cause === CAUSE.hot) {
      const what = `is at ${this.temperatureC.toFixed(0)} °C, beyond ${temperatureMaxC} °C`;
      return this.#told(13, what, `Let it cool below ${temperatureMaxC - COOL_BY_C} °C, then acknowledge.`);
    }
    if (cause === CAUSE.supply) {
      const what = `has ${this.voltageV.toFixed(1)} V, outside ${voltageMinV} to ${voltageMaxV} V`;
      const more = ` If the servos are made for it, rein doctor --robot ${named} says what to write.`;
      return this.#told(13, what, `${supplyCure(this.#supply)}${this.voltageV > voltageMaxV ? more : ''}`);
    }
    if (cause === CAUSE.apart) {
      const what = 'reads another position than the first servo of its joint: they pull against each other';
      return this.#told(13, what, 'Let go of the joint, and look at horn, drive mode and homing offset of both.');
    }
    const names = this.#family.errorNames(this.#error, this.#named);
    const remedy = `${errorCure(names, this.#supply)} Then acknowledge.`;
    return this.#told(13, `reports ${names.join(', ')}`, remedy);
  }

  get #supply(): SupplyRead {
    const { voltageMinV, voltageMaxV } = this.#options;
    return { volts: this.voltageV, leastV: voltageMinV, mostV: voltageMaxV };
  }

  #told(row: number, what: string, remedy: string): GuardNotice {
    return { level: 'error', row, message: `Servo ${this.#motor.id} (${this.#motor.name}) ${what}.`, remedy };
  }
}
