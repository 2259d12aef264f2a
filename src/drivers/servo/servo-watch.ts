/** Watches one servo: what it reports of itself, and whether it gives all it has and does not get there. */
import { type GuardNotice, HARDWARE } from '../../core/index.ts';
import { errorCure, type SupplyRead, supplyCure } from './error-cures.ts';
import type { Motor, ServoFamily } from './family.ts';
import type { ServoDriverOptions } from './options.ts';

/** A supply that is too low for so long is no dip of a load, s. */
const VOLTAGE_S = 0.2;
/** Torque off is written anew before it is read so often. */
const KEPT_ON_READS = 2;
/** Torque off is written in so many ticks: who has torque in one more was given it by somebody else. */
const OFF_TICKS = 5;
/** Value of `torqueEnable`. */
const ON = 1;
/** A servo that was too hot has to cool by so much before torque may come on again, °C. */
const COOL_BY_C = 5;
/** Bits of what `servoFault` stands for; those of the error that a status carries are below them. */
const CAUSE = { keptOn: 1 << 8, unread: 1 << 9, hot: 1 << 10, supply: 1 << 11, apart: 1 << 12 } as const;
/** Two servos at one joint that read so differently pull against each other, rad at the horn: backlash and load are less. */
const APART_RAD = 0.15;
/** What is seen here, and not reported by the servo. */
const WATCHED = Object.values(CAUSE).reduce((all, bit) => all | bit);
/** Where the bits of a register `hardwareError` are among them. */
const NAMED_SHIFT = 16;

const FOUND_REMEDY = 'Keep away from the arm; let no other program use its bus.';

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
  /** What `hardwareError` held as it was read last, in models that have it; and whether it is to be read out of its turn. */
  #named = 0;
  #wantsName = false;
  #isUnread = false;
  #isApart = false;
  #isLow = false;
  #lowS = 0;
  #staysOn = 0;
  /** In how many readings of every tick in a row it had torque that it should not have; and what `torqueEnable` held as torque was missed. */
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

  /** Torque comes on: what was before is over. */
  restart(): void {
    this.#stalledS = 0;
    this.#hasStopped = false;
    this.faults &= ~(HARDWARE.servoReset | HARDWARE.torqueCap | HARDWARE.stalled);
  }

  /**
   * After a reply: its error bits; how far the joint is from its set-point (rad or m) under which torque (N·m), which Dynamixel's X series
   * takes from its current where it measures one, and others from the duty of the motor: of one that stands, that is its share of the stall
   * current. Tick path.
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

  /** Whether the servo reports an error that the next slow block has to name: said once for each. Tick path. */
  takeWantsName(): boolean {
    const wants = this.#wantsName;
    this.#wantsName = false;
    return wants;
  }

  /** After a slow block with what the register `hardwareError` holds. Tick path. */
  name(bits: number): void {
    this.#named = this.#family.isFault(this.#error) ? bits : 0;
    this.#judge();
  }

  /** Whether one of its slow blocks has not been read for too long, though it answers for its position. Tick path. */
  leaveUnread(isUnread: boolean): void {
    if (isUnread === this.#isUnread) return;
    this.#isUnread = isUnread;
    this.#judge();
  }

  /** After a reading of both: how far a second servo reads from the first one of its joint, rad or m. Tick path. */
  compare(apart: number): void {
    const isApart = Math.abs(apart) > (APART_RAD * this.#motor.options.perTurn) / (2 * Math.PI);
    if (isApart === this.#isApart) return;
    this.#isApart = isApart;
    this.#judge();
  }

  /** After a slow block with what was written to it: `torqueEnable` and the cap as read back. Tick path. */
  readBack(torqueEnable: number, shouldBeOn: boolean, isCapKept: boolean): void {
    this.#missTorque(torqueEnable, shouldBeOn);
    this.#staysOn = torqueEnable === ON && !shouldBeOn ? this.#staysOn + 1 : 0;
    if (!isCapKept) this.faults |= HARDWARE.torqueCap;
    this.#judge();
  }

  /** What `torqueEnable` holds, of families that say so in every tick. Tick path. */
  seeTorque(torqueEnable: number, shouldBeOn: boolean): void {
    // Nothing to say in most ticks, and little code for those: what is not inlined boxes numbers.
    if ((torqueEnable === ON) === shouldBeOn && this.#ticksOn === 0) return;
    this.#missTorque(torqueEnable, shouldBeOn);
    this.#ticksOn = torqueEnable === ON && !shouldBeOn ? this.#ticksOn + 1 : 0;
  }

  /** It has torque that nobody gave it, and that nobody takes off yet. Tick path. */
  findOn(): void {
    this.#isFoundOn = true;
  }

  #missTorque(torqueEnable: number, shouldBeOn: boolean): void {
    // A fault of its own takes torque away too: that is no new start.
    if (!shouldBeOn || torqueEnable === ON || this.#family.isFault(this.#error)) return;
    this.#torqueFound = torqueEnable;
    this.faults |= HARDWARE.servoReset;
  }

  /** It says that it has stopped by itself, with its torque on. Tick path. */
  stop(): void {
    this.#hasStopped = true;
    this.faults |= HARDWARE.servoReset;
  }

  /** What is new, once: one fault, or one more cause of a servo's own fault, at a time. Allocates. */
  takeNotice(): GuardNotice | undefined {
    if (this.#isFoundOn) {
      this.#isFoundOn = false;
      const found = this.#told(13, 'had torque that this program did not give it: it is taken off', FOUND_REMEDY);
      return { ...found, level: 'warn', isOver: true };
    }
    if ((this.faults & HARDWARE.servoFault) === 0) this.#reportedCauses = 0;
    const causes = this.#causes & ~this.#reportedCauses;
    if (causes !== 0) {
      // Errors of its own are told of together.
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

  /** Torque was taken off, and it is read on again and again. */
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
      const what = 'has stopped by itself: its bus watchdog heard nothing for too long';
      return this.#told(13, what, 'Look for what held the bus or this computer up, then acknowledge.');
    }
    if (fresh === HARDWARE.servoReset && this.#torqueFound !== 0) {
      const what = `brakes and holds nothing (${this.#torqueFound} in torqueEnable), and not by this program`;
      return this.#told(13, what, 'Let no other program use its bus, then acknowledge.');
    }
    if (fresh === HARDWARE.servoReset) {
      const what = 'has started anew by itself: its torque is off';
      return this.#told(13, what, 'Its supply has dipped: check power and cables.');
    }
    if (fresh === HARDWARE.torqueCap) {
      const what = 'has another torque cap than was written';
      return this.#told(37, what, 'It may have started anew: check power and cables.');
    }
    const what = `has pushed against something for ${stall.afterS} s without getting there`;
    return this.#told(37, what, 'Free the joint; look whether something is in its way, or its torque cap too low.');
  }

  #noticeOfCause(cause: number): GuardNotice {
    const { named, temperatureMaxC, voltageMinV, voltageMaxV } = this.#options;
    if (cause === CAUSE.keptOn) {
      return this.#told(13, 'keeps its torque on, though it was taken off', 'Cut its supply; hold the arm.');
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
      const what = 'reads another place than the first servo of its joint: they pull against each other';
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
