/**
 * One emulated servo of Dynamixel's X series: its registers, its position loop and what protects it. What registers do: ROBOTIS e-Manual,
 * the page of its model; what is not published there is named as this project's choice.
 */
import {
  DYNAMIXEL_BAUDS,
  type DynamixelModel,
  dynamixel,
  HARDWARE_ERROR,
  type Register,
} from '../../drivers/serial.ts';
import { Motor } from '../bodies/motor.ts';
import { noServoFaults, type ServoFaults } from '../faults.ts';
import { RegisterFile } from '../registers.ts';

const { ALERT, STATUS_ERROR } = dynamixel;
/** Addresses that can be read and written. */
const SIZE = 256;
const TURN = 2 * Math.PI;
/** Registers that no request may change while the bus watchdog has run out. */
const GOALS: readonly string[] = ['goalPwm', 'goalCurrent', 'goalVelocity', 'goalPosition'];
const MODE = { position: 3, extendedPosition: 4, currentPosition: 5 } as const;
const RAN_OUT = -1;

/** As they leave the factory, at 1 Mbit/s where they come with 57 600. Firmware 46. */
const FACTORY: Readonly<Record<string, number>> = {
  firmware: 46,
  id: 1,
  baud: 3,
  returnDelay: 250,
  operatingMode: MODE.position,
  shadowId: 255,
  protocolType: 2,
  movingThreshold: 10,
  temperatureMax: 80,
  voltageMax: 160,
  voltageMin: 95,
  pwmMax: 885,
  velocityMax: 1023,
  positionMax: 4095,
  shutdown: 52,
  statusLevel: 2,
  gainP: 800,
};

interface Build {
  readonly ratedV: number;
  /** Stall current, where the model's table has none, A. */
  readonly stallCurrentA?: number;
  readonly noLoadPerMin: number;
  readonly registers: Readonly<Record<string, number>>;
}

/** The e-Manual's page of each model: the row of the voltage in its driver's table, and initial values that differ from `FACTORY`. */
const BUILDS: Readonly<Record<string, Build>> = {
  'xl330-m077': {
    ratedV: 5,
    noLoadPerMin: 383,
    registers: {
      temperatureMax: 70,
      voltageMax: 70,
      voltageMin: 35,
      currentMax: 1750,
      shutdown: 53,
      gainP: 400,
      gainI: 400,
    },
  },
  'xl330-m288': {
    ratedV: 5,
    noLoadPerMin: 103,
    registers: { temperatureMax: 70, voltageMax: 70, voltageMin: 35, currentMax: 1750, shutdown: 53, gainP: 400 },
  },
  'xl430-w250': {
    ratedV: 12,
    stallCurrentA: 1.4,
    noLoadPerMin: 61,
    registers: { temperatureMax: 72, voltageMax: 140, voltageMin: 60, gainP: 640, gainD: 4000 },
  },
  'xc430-w240': {
    ratedV: 12,
    stallCurrentA: 1.4,
    noLoadPerMin: 70,
    registers: { voltageMin: 60, gainP: 700 },
  },
  'xm430-w350': { ratedV: 12, noLoadPerMin: 46, registers: { currentMax: 1193 } },
  'xm540-w270': { ratedV: 12, noLoadPerMin: 30, registers: { currentMax: 2047 } },
  'xh540-w270': { ratedV: 12, noLoadPerMin: 39, registers: { currentMax: 2047 } },
};

/** e-Manual, Position PID Gain: what a gain of 1 makes of a count, in counts of PWM; D and I a millisecond. */
const PWM_COUNTS = 885;
const P_SCALE = 1 / 128 / PWM_COUNTS;
const I_SCALE = 1 / 65_536 / PWM_COUNTS;
const D_SCALE = 1 / 16 / PWM_COUNTS;
const MS = 1000;
/** Viscous friction of the gear, as a share of what the motor's own voltage brakes: this project's choice. */
const GEAR_SHARE = 0.3;
/** Heat: this project's choice, near to what bus servos of this size do. */
const THERMAL = { thermalKPerW: 2.8, thermalTimeS: 300 };
/** Share of the stall current that overloads it after a time, s, and how long it starts: this project's choice. */
const OVERLOAD_RATIO = 0.9;
const OVERLOAD_S = 2;
const START_S = 0.2;

export interface DynamixelServoSpec {
  readonly id: number;
  readonly model: DynamixelModel;
  /** Index of the joint of the body that it moves; or the signal that it measures. */
  readonly joint?: number | undefined;
  readonly signal?: string | undefined;
  /** Reading, without the offset, where joint or signal is 0, and how many counts a rad, or m, is; negative: it turns the other way. */
  readonly zeroCounts: number;
  readonly countsPerUnit: number;
  /** Registers that differ from the factory's. */
  readonly registers?: Readonly<Record<string, number>> | undefined;
}

export class DynamixelServo {
  readonly spec: DynamixelServoSpec;
  readonly registers: RegisterFile;
  readonly motor: Motor;
  readonly faults: ServoFaults = noServoFaults();
  readonly ratedV: number;
  readonly #gearNmSPerRad: number;
  /** A REG WRITE that waits for its ACTION. */
  waiting: { readonly address: number; readonly data: Uint8Array } | undefined;
  #errorSum = 0;
  #lastError = Number.NaN;
  #setPoint = Number.NaN;
  #duty = 0;
  #overloadS = 0;
  #startingS = 0;
  #silentS = 0;
  #turns = 0;
  #hasStarted = false;

  constructor(spec: DynamixelServoSpec) {
    const { model } = spec;
    const { ratedV, stallCurrentA = 1, noLoadPerMin, registers } = BUILDS[model.name]!;
    const noLoadRadPerS = (noLoadPerMin * TURN) / 60;
    this.spec = spec;
    this.ratedV = ratedV;
    this.#gearNmSPerRad = (GEAR_SHARE * model.stallTorqueNm) / noLoadRadPerS;
    this.motor = new Motor({
      stallTorqueNm: model.stallTorqueNm,
      ratedV,
      stallCurrentA: model.stallCurrentA ?? stallCurrentA,
      noLoadRadPerS,
      ...THERMAL,
    });
    this.registers = new RegisterFile({
      model,
      size: SIZE,
      isLittleEndian: true,
      factory: { ...FACTORY, ...registers },
    });
    for (const [name, value] of Object.entries({ id: spec.id, ...spec.registers })) this.registers.set(name, value);
    this.registers.store(0, SIZE);
    this.#reset();
  }

  get id(): number {
    return this.registers.get('id');
  }

  get isTorqueOn(): boolean {
    return this.registers.get('torqueEnable') === 1;
  }

  /** Neither hears nor answers while it starts. */
  get isAwake(): boolean {
    return !this.faults.isDead && this.#startingS <= 0;
  }

  /** What every status has in its error byte beside its number. */
  get alert(): number {
    return (this.registers.get('hardwareError') === 0 ? 0 : ALERT) | this.faults.errorBits;
  }

  /** Any request on the bus, to whomever. */
  hear(): void {
    this.#silentS = 0;
  }

  /** What is read from `address` on, through indirect addresses; `undefined` where there is nothing. */
  read(address: number, count: number): Uint8Array | undefined {
    if (address + count > SIZE) return undefined;
    return Uint8Array.from({ length: count }, (_, i) => this.registers.bytes[this.#direct(address + i)]!);
  }

  /** Writes whole registers, or none of them; returns the number of the error, 0 for none. */
  write(address: number, data: Uint8Array): number {
    const writes = this.#registersOf(address, data);
    if (typeof writes === 'number') return writes;
    for (const { name, value } of writes) {
      const error = this.#refusal(name, value);
      if (error !== 0) return error;
    }
    for (const { name, value } of writes) this.#take(name, value);
    return 0;
  }

  /** Its registers but `keep` are the factory's, and it starts anew. */
  factoryReset(keep: readonly string[]): void {
    this.registers.factoryReset([...keep, 'firmware']);
    this.reboot();
  }

  /** Power comes back, or REBOOT: what is not stored is lost, an error among it. */
  reboot(): void {
    this.registers.powerCycle();
    this.#startingS = START_S;
    this.#reset();
  }

  /** The position is within a turn again; refused while it moves. */
  clearTurns(): number {
    if (this.registers.get('moving') !== 0) return STATUS_ERROR.resultFail;
    this.#turns = 0;
    return 0;
  }

  /** A step of `dtS`: joint or signal stands at `value` and moves with `perS`. Returns the torque on it, N·m (N for metres). */
  drive(value: number, perS: number, supplyV: number, dtS: number): number {
    const { spec, faults, motor } = this;
    const perUnit = faults.isMirrored ? -spec.countsPerUnit : spec.countsPerUnit;
    const perTurn = spec.model.countsPerTurn;
    const counts = Math.floor(spec.zeroCounts + perUnit * value + (faults.shiftRad * perTurn) / TURN);
    const hornRadPerS = (perUnit * perS * TURN) / perTurn;
    this.#startingS -= dtS;
    const reading = this.#reading(counts);
    // After power-up the goal is where it stands.
    if (!this.#hasStarted) this.registers.set('goalPosition', reading);
    this.#hasStarted = this.#startingS <= 0;
    this.#watch(dtS);
    this.#duty = this.isTorqueOn && spec.joint !== undefined ? this.#dutyFor(reading, hornRadPerS, supplyV, dtS) : 0;
    const driven = motor.drive(this.#duty, supplyV, hornRadPerS, dtS);
    this.#protect(supplyV, dtS);
    this.#report(reading, hornRadPerS, supplyV);
    if (spec.joint === undefined) return 0;
    return ((driven - this.#gearNmSPerRad * hornRadPerS) * perUnit * TURN) / perTurn;
  }

  /** The register whose byte stands at `address`, through indirect addresses. */
  #direct(address: number): number {
    const { registers } = this.spec.model;
    const data = registers['indirectData']!.address;
    const k = address - data;
    if (k < 0 || k >= this.spec.model.indirectBytes) return address;
    const at = registers['indirectAddress']!.address + 2 * k;
    const target = this.registers.bytes[at]! + this.registers.bytes[at + 1]! * 256;
    return target < SIZE ? target : address;
  }

  /** What a write of `data` means, register by register; or the number of its error. */
  #registersOf(address: number, data: Uint8Array): readonly { name: string; value: number }[] | number {
    const found: { name: string; value: number }[] = [];
    for (let i = 0; i < data.length; ) {
      const at = address + i;
      const direct = at < SIZE ? this.#direct(at) : at;
      const indirect = this.#indirectName(direct);
      const name = indirect ?? this.registers.nameAt(direct);
      if (name === undefined) return STATUS_ERROR.access;
      const register: Pick<Register, 'bytes' | 'sign'> =
        indirect === undefined ? this.spec.model.registers[name]! : { bytes: 2 };
      if (data.length - i < register.bytes) return STATUS_ERROR.dataLength;
      let value = 0;
      for (let k = register.bytes - 1; k >= 0; k--) value = value * 256 + data[i + k]!;
      const turn = 256 ** register.bytes;
      found.push({ name, value: register.sign === 'twosComplement' && value >= turn / 2 ? value - turn : value });
      i += register.bytes;
    }
    return found;
  }

  /** `indirectAddress`, or the one that stands so many addresses on. */
  #indirectName(address: number): string | undefined {
    const { registers, indirectBytes } = this.spec.model;
    const k = address - registers['indirectAddress']!.address;
    return k >= 0 && k < 2 * indirectBytes && k % 2 === 0 ? `indirect ${k / 2}` : undefined;
  }

  /** Number of the error that a write ends with; 0: it is taken. */
  #refusal(name: string, value: number): number {
    if (name.startsWith('indirect')) return value < 64 || value >= SIZE ? STATUS_ERROR.dataRange : 0;
    const { registers, spec } = this;
    const { isReadOnly, isStored } = spec.model.registers[name]!;
    if (isReadOnly === true || (isStored === true && this.isTorqueOn)) return STATUS_ERROR.access;
    const hasRunOut = registers.get('busWatchdog') === RAN_OUT;
    if (hasRunOut && GOALS.includes(name)) return STATUS_ERROR.dataRange;
    const most = this.#mostOf(name);
    if (most !== undefined && Math.abs(value) > most) return STATUS_ERROR.dataLimit;
    return this.#isInRange(name, value) ? 0 : STATUS_ERROR.dataRange;
  }

  #mostOf(name: string): number | undefined {
    const limit = { goalPwm: 'pwmMax', goalCurrent: 'currentMax', goalVelocity: 'velocityMax' }[name];
    return limit === undefined ? undefined : this.registers.get(limit);
  }

  #isInRange(name: string, value: number): boolean {
    const { registers, spec } = this;
    switch (name) {
      case 'goalPosition':
        return (
          registers.get('operatingMode') !== MODE.position ||
          (value >= registers.get('positionMin') && value <= registers.get('positionMax'))
        );
      case 'torqueEnable':
        return value <= 1;
      case 'statusLevel':
        return value <= 2;
      case 'busWatchdog':
        return value >= 0;
      case 'operatingMode': {
        const ofCurrent: readonly number[] = spec.model.stallCurrentA === undefined ? [] : [0, MODE.currentPosition];
        return [1, MODE.position, MODE.extendedPosition, 16, ...ofCurrent].includes(value);
      }
      case 'baud':
        return value < DYNAMIXEL_BAUDS.length;
      case 'pwmMax':
        return value >= 0 && value <= PWM_COUNTS;
      default:
        return true;
    }
  }

  #take(name: string, value: number): void {
    const { registers } = this;
    if (name.startsWith('indirect')) {
      const at = this.spec.model.registers['indirectAddress']!.address + 2 * Number(name.slice(9));
      registers.bytes[at] = value & 0xff;
      registers.bytes[at + 1] = value >> 8;
      return;
    }
    const wasOn = this.isTorqueOn;
    const oldMode = registers.get('operatingMode');
    // After a shutdown only a reboot brings torque back.
    const isHeldOff = name === 'torqueEnable' && (registers.get('hardwareError') & registers.get('shutdown')) !== 0;
    registers.set(name, isHeldOff ? 0 : value);
    const { address, bytes } = this.spec.model.registers[name]!;
    registers.store(address, bytes);
    if (name === 'busWatchdog') this.#silentS = 0;
    if (this.isTorqueOn !== wasOn) this.#switched();
    if (registers.get('operatingMode') !== oldMode) this.#changedMode();
  }

  /** e-Manual, Operating Mode: a change resets gains, profile and the limits of goals. */
  #changedMode(): void {
    const factory = { ...FACTORY, ...BUILDS[this.spec.model.name]!.registers };
    for (const gain of ['gainP', 'gainI', 'gainD']) this.registers.set(gain, factory[gain] ?? 0);
    this.registers.set('profileVelocity', 0);
    this.registers.set('profileAcceleration', 0);
    this.#resetLimits();
  }

  #resetLimits(): void {
    const { registers } = this;
    registers.set('goalPwm', registers.get('pwmMax'));
    if (registers.has('goalCurrent')) registers.set('goalCurrent', registers.get('currentMax'));
  }

  #reset(): void {
    const { registers, spec } = this;
    const { indirectAddress, indirectData } = spec.model.registers;
    for (let k = 0; k < spec.model.indirectBytes; k++) {
      registers.bytes[indirectAddress!.address + 2 * k] = (indirectData!.address + k) & 0xff;
      registers.bytes[indirectAddress!.address + 2 * k + 1] = (indirectData!.address + k) >> 8;
    }
    this.#resetLimits();
    this.waiting = undefined;
    this.#turns = 0;
    this.#hasStarted = false;
    this.#switched();
  }

  #reading(counts: number): number {
    const turn = this.spec.model.countsPerTurn;
    // Power-up finds the position within one turn; from there on it counts.
    if (this.#startingS > 0) this.#turns = -Math.floor(counts / turn);
    return counts + this.registers.get('homingOffset') + (this.#turns + this.faults.wrapTurns) * turn;
  }

  /** With torque on, silence on the bus for too long stops it where it is. */
  #watch(dtS: number): void {
    const { registers } = this;
    if (registers.get('busWatchdog') <= 0 || !this.isTorqueOn) {
      this.#silentS = 0;
      return;
    }
    this.#silentS += dtS;
    if (this.#silentS <= registers.value('busWatchdog')) return;
    registers.set('busWatchdog', RAN_OUT);
    registers.set('profileVelocity', 0);
    registers.set('profileAcceleration', 0);
    registers.set('goalPosition', registers.get('presentPosition'));
  }

  /** PID on counts, within PWM limit and, in current-based position mode, current. */
  #dutyFor(reading: number, hornRadPerS: number, supplyV: number, dtS: number): number {
    const { registers, motor } = this;
    const error = this.#moveSetPoint(reading, dtS) - reading;
    const change = Number.isNaN(this.#lastError) ? 0 : (error - this.#lastError) / (dtS * MS);
    this.#lastError = error;
    const gainI = registers.get('gainI');
    this.#errorSum = gainI === 0 ? 0 : this.#errorSum + error * dtS * MS;
    const wanted =
      registers.get('gainP') * P_SCALE * error +
      gainI * I_SCALE * this.#errorSum +
      registers.get('gainD') * D_SCALE * change;
    const most = Math.abs(registers.get('goalPwm')) / PWM_COUNTS;
    const duty = Math.min(most, Math.max(-most, wanted));
    if (registers.get('operatingMode') !== MODE.currentPosition) return duty;
    // Torque of a duty: stall · (duty·V/V_rated − ω/ω₀), and the current goes with it.
    const { stallCurrentA, noLoadRadPerS, ratedV } = motor.spec;
    const ratio = Math.abs(registers.value('goalCurrent')) / stallCurrentA;
    const own = hornRadPerS / noLoadRadPerS!;
    const perDuty = Math.max(1e-3, supplyV / ratedV);
    return Math.min((own + ratio) / perDuty, Math.max((own - ratio) / perDuty, duty));
  }

  /** The set-point goes to the goal with the speed that is set; 0: at once. Accelerations are not emulated. */
  #moveSetPoint(reading: number, dtS: number): number {
    const { registers, spec } = this;
    if (Number.isNaN(this.#setPoint)) this.#setPoint = reading;
    const way = registers.get('goalPosition') - this.#setPoint;
    const speed = (Math.abs(registers.value('profileVelocity')) * spec.model.countsPerTurn) / TURN;
    this.#setPoint += speed === 0 ? way : Math.sign(way) * Math.min(Math.abs(way), speed * dtS);
    return this.#setPoint;
  }

  /** Errors hold until a reboot; those of `shutdown` take torque away. */
  #protect(supplyV: number, dtS: number): void {
    const { registers, motor, faults } = this;
    this.#overloadS = motor.currentA >= OVERLOAD_RATIO * motor.spec.stallCurrentA ? this.#overloadS + dtS : 0;
    const volts = supplyV * 10;
    const isSupplyWrong = volts < registers.get('voltageMin') || volts > registers.get('voltageMax');
    const error =
      registers.get('hardwareError') |
      (isSupplyWrong ? HARDWARE_ERROR.voltage : 0) |
      (motor.temperatureC > registers.get('temperatureMax') ? HARDWARE_ERROR.temperature : 0) |
      (faults.isOverloaded || this.#overloadS > OVERLOAD_S ? HARDWARE_ERROR.overload : 0);
    registers.set('hardwareError', error);
    if ((error & registers.get('shutdown')) !== 0 && this.isTorqueOn) {
      registers.set('torqueEnable', 0);
      this.#switched();
    }
  }

  #report(reading: number, hornRadPerS: number, supplyV: number): void {
    const { registers, faults, motor, spec } = this;
    const scaleOf = (name: string): number => spec.model.registers[name]!.scale!;
    if (!faults.isFrozen) {
      registers.set('presentPosition', reading);
      registers.set('presentSpeed', hornRadPerS / scaleOf('presentSpeed'));
    }
    const load = spec.model.stallCurrentA === undefined ? this.#duty : Math.sign(motor.torqueNm) * motor.currentA;
    registers.set('presentLoad', load / scaleOf('presentLoad'));
    registers.set('presentPwm', this.#duty * PWM_COUNTS);
    registers.set('presentVoltage', supplyV * 10);
    registers.set('presentTemperature', motor.temperatureC);
    registers.set('moving', Math.abs(hornRadPerS) > registers.value('movingThreshold') ? 1 : 0);
  }

  #switched(): void {
    this.#overloadS = 0;
    this.#errorSum = 0;
    this.#lastError = Number.NaN;
    this.#setPoint = Number.NaN;
    this.#silentS = 0;
  }
}
