/**
 * One emulated servo of Dynamixel's X series: registers, position loop and protection. Source of its registers: ROBOTIS e-Manual, the page
 * of its model; anything that is not published there is marked as this project's choice.
 */
import {
  type DynamixelModel,
  dynamixel,
  dynamixelWithFirmware,
  HARDWARE_ERROR,
} from '../../../../src/drivers/serial.ts';
import { Motor } from '../bodies/motor.ts';
import { noServoFaults, type ServoFaults } from '../faults.ts';
import type { RegisterFile } from '../registers.ts';
import type { ServoSpec } from '../servo-chain.ts';
import { BUILDS, factoryOf, MODE, OFFSET_MAX_COUNTS, PWM_COUNTS } from './builds.ts';
import { ControlMemory, GOALS, RAN_OUT } from './control-memory.ts';

const { ALERT, STATUS_ERROR } = dynamixel;
const TURN = 2 * Math.PI;
/** e-Manual, Position PID Gain: counts of PWM per count of error at a gain of 1, as a share of full PWM; D and I with time in ms. */
const P_SCALE = 1 / 128 / PWM_COUNTS;
const I_SCALE = 1 / 65_536 / PWM_COUNTS;
const D_SCALE = 1 / 16 / PWM_COUNTS;
const MS = 1000;
/** Viscous friction of the gear, as a share of the braking by back-EMF: this project's choice. */
const GEAR_SHARE = 0.3;
/** Thermal model: this project's choice, close to bus servos of this size. */
const THERMAL = { thermalKPerW: 2.8, thermalTimeS: 300 };
/** Share of the stall current that counts as overload, time until it trips, s, and time to start, s: this project's choice. */
const OVERLOAD_RATIO = 0.9;
const OVERLOAD_S = 2;
const START_S = 0.2;
const ON_BY_GOAL = 0b1000;

export class DynamixelServo {
  readonly spec: ServoSpec<DynamixelModel>;
  readonly registers: RegisterFile;
  readonly motor: Motor;
  readonly faults: ServoFaults = noServoFaults();
  readonly ratedV: number;
  readonly #memory: ControlMemory;
  readonly #gearNmSPerRad: number;
  /** REG WRITE that waits for its ACTION. */
  waiting: { readonly address: number; readonly data: Uint8Array } | undefined;
  #errorSum = 0;
  #lastError = Number.NaN;
  #setPoint = Number.NaN;
  #duty = 0;
  #overloadS = 0;
  #startingS = 0;
  #silentS = 0;
  #turns = 0;
  /** True if turns are counted anew: the next reading is within one turn of the encoder. */
  #isTurnLost = true;
  #hasStarted = false;

  /** Throws `RangeError` for a firmware whose control table is not known. */
  constructor(spec: ServoSpec<DynamixelModel>) {
    const firmware = spec.registers?.['firmware'] ?? factoryOf(spec.model.name)['firmware']!;
    const model = dynamixelWithFirmware(spec.model, firmware);
    if (model === undefined) throw new RangeError(`no table of ${spec.model.name} with firmware ${firmware}`);
    const { ratedV, stallCurrentA = 1, noLoadPerMin } = BUILDS[model.name]!;
    const noLoadRadPerS = (noLoadPerMin * TURN) / 60;
    this.spec = { ...spec, model };
    this.ratedV = ratedV;
    this.#gearNmSPerRad = (GEAR_SHARE * model.stallTorqueNm) / noLoadRadPerS;
    this.motor = new Motor({
      stallTorqueNm: model.stallTorqueNm,
      ratedV,
      stallCurrentA: model.stallCurrentA ?? stallCurrentA,
      noLoadRadPerS,
      ...THERMAL,
    });
    this.#memory = new ControlMemory(model, { id: spec.id, ...spec.registers });
    this.registers = this.#memory.registers;
    this.#reset();
  }

  get id(): number {
    return this.registers.get('id');
  }

  get isTorqueOn(): boolean {
    return this.registers.get('torqueEnable') === 1;
  }

  /** False if dead, unpowered or still starting: it then neither receives nor answers. */
  get isAwake(): boolean {
    return !this.faults.isDead && this.faults.unpoweredS === 0 && this.#startingS <= 0;
  }

  /** Bits in the error byte of every status beside the error number. */
  get alert(): number {
    return (this.registers.get('hardwareError') === 0 ? 0 : ALERT) | this.faults.errorBits;
  }

  /** Notes a request to any id on the bus, which resets the bus watchdog. */
  hear(): void {
    this.#silentS = 0;
  }

  /** Reads `count` bytes from `address`; `undefined` beyond the table. */
  read(address: number, count: number): Uint8Array | undefined {
    return this.#memory.read(address, count);
  }

  /** Writes whole registers, or none of them; returns the error number, 0 for none. */
  write(address: number, data: Uint8Array): number {
    const writes = this.#memory.understand(address, data);
    if (typeof writes === 'number') return writes;
    for (const write of writes) {
      if ('pointer' in write) this.#memory.point(write.pointer, write.value);
      else this.#take(write.name, write.value);
    }
    return 0;
  }

  /** Resets all registers but `keep` to factory values, and reboots. */
  factoryReset(keep: readonly string[]): void {
    this.registers.factoryReset([...keep, 'firmware']);
    this.reboot();
  }

  /** Restarts, as after power-up or REBOOT: volatile state is lost, including errors. */
  reboot(): void {
    this.faults.isOverloaded = false;
    this.registers.powerCycle();
    this.#startingS = START_S;
    this.#reset();
  }

  /** Reduces the position to one turn again; refused while moving. */
  clearTurns(): number {
    if (this.registers.get('moving') !== 0) return STATUS_ERROR.resultFail;
    this.#isTurnLost = true;
    return 0;
  }

  /** Advances by `dtS` with the joint or signal at `value`, moving at `perS`. Returns the torque on it, N·m (N for metres). */
  drive(value: number, perS: number, supplyV: number, dtS: number): number {
    const { spec, faults, motor } = this;
    const perUnit = faults.isMirrored ? -spec.countsPerUnit : spec.countsPerUnit;
    const perTurn = spec.model.countsPerTurn;
    const counts = Math.floor(spec.zeroCounts + perUnit * value + (faults.shiftRad * perTurn) / TURN);
    const hornRadPerS = (perUnit * perS * TURN) / perTurn;
    if (faults.unpoweredS > 0) return this.#rest(hornRadPerS, dtS) * perUnit * (TURN / perTurn);
    this.#startingS -= dtS;
    const read = this.#reading(counts);
    // The servo's own loop closes on the same encoder.
    const reading = faults.isFrozen ? this.registers.get('presentPosition') : read;
    // After power-up the goal is the present position.
    if (!this.#hasStarted) this.registers.set('goalPosition', reading);
    this.#hasStarted = this.#startingS <= 0;
    this.#watch(dtS);
    this.#duty = this.isTorqueOn && spec.joint !== undefined ? this.#dutyFor(reading, hornRadPerS, supplyV, dtS) : 0;
    const driven = motor.drive(faults.isReversed ? -this.#duty : this.#duty, supplyV, hornRadPerS, dtS);
    this.#protect(supplyV, dtS);
    this.#report(reading, hornRadPerS, supplyV);
    if (spec.joint === undefined) return 0;
    return ((driven - this.#gearNmSPerRad * hornRadPerS) * perUnit * TURN) / perTurn;
  }

  /** Advances without power; at the end the servo restarts. */
  #rest(hornRadPerS: number, dtS: number): number {
    const { faults, motor } = this;
    motor.drive(0, 0, hornRadPerS, dtS);
    faults.unpoweredS = Math.max(0, faults.unpoweredS - dtS);
    if (faults.unpoweredS === 0) this.reboot();
    return this.spec.joint === undefined ? 0 : -this.#gearNmSPerRad * hornRadPerS;
  }

  #take(name: string, value: number): void {
    const { registers } = this;
    const wasOn = this.isTorqueOn;
    const oldMode = registers.get('operatingMode');
    // After a shutdown only a reboot enables torque again.
    const isHeldOff = name === 'torqueEnable' && (registers.get('hardwareError') & registers.get('shutdown')) !== 0;
    registers.set(name, isHeldOff ? 0 : value);
    // e-Manual, Drive Mode(10), bit 3: torque on by goal update.
    const turnsOn = GOALS.includes(name) && (registers.get('driveMode') & ON_BY_GOAL) !== 0;
    if (turnsOn && (registers.get('hardwareError') & registers.get('shutdown')) === 0) registers.set('torqueEnable', 1);
    const { address, bytes } = this.spec.model.registers[name]!;
    registers.store(address, bytes);
    if (name === 'busWatchdog') this.#silentS = 0;
    if (this.isTorqueOn !== wasOn) this.#switched();
    if (registers.get('operatingMode') !== oldMode) this.#changedMode();
  }

  /** e-Manual, Operating Mode: a change resets gains, profile and goal limits. */
  #changedMode(): void {
    const factory = factoryOf(this.spec.model.name);
    for (const gain of ['gainP', 'gainI', 'gainD']) this.registers.set(gain, factory[gain] ?? 0);
    this.registers.set('profileVelocity', 0);
    this.registers.set('profileAcceleration', 0);
    if (this.registers.get('operatingMode') === MODE.position) this.#isTurnLost = true;
    this.#resetLimits();
  }

  #resetLimits(): void {
    const { registers } = this;
    registers.set('goalPwm', registers.get('pwmMax'));
    if (registers.has('goalCurrent')) registers.set('goalCurrent', registers.get('currentMax'));
  }

  #reset(): void {
    this.#memory.pointHome();
    this.#resetLimits();
    this.waiting = undefined;
    this.#isTurnLost = true;
    this.#hasStarted = false;
    this.#switched();
  }

  /**
   * e-Manual, Present Position(132) and Homing Offset(20): power-up, torque on in position mode, and the change to that mode reduce the
   * encoder to one turn; from there it counts turns. The offset is added to that, and the sum is not wrapped.
   */
  #reading(counts: number): number {
    const turn = this.spec.model.countsPerTurn;
    if (this.#startingS > 0 || this.#isTurnLost) this.#turns = -Math.floor(counts / turn);
    this.#isTurnLost = false;
    const { registers } = this;
    const stored = registers.get('homingOffset');
    const isIgnored = registers.get('operatingMode') === MODE.position && Math.abs(stored) > OFFSET_MAX_COUNTS;
    return counts + (isIgnored ? 0 : stored) + (this.#turns + this.faults.wrapTurns) * turn;
  }

  /** Bus watchdog: with torque on, too long a silence on the bus stops the servo where it is. */
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

  /** PID on counts, limited by PWM and, in current-based position mode, by current. */
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
    // Torque of a duty: stall · (duty·V/V_rated − ω/ω₀), and the current is proportional to it.
    const { stallCurrentA, noLoadRadPerS, ratedV } = motor.spec;
    const ratio = Math.abs(registers.value('goalCurrent')) / stallCurrentA;
    const own = hornRadPerS / noLoadRadPerS!;
    const perDuty = Math.max(1e-3, supplyV / ratedV);
    return Math.min((own + ratio) / perDuty, Math.max((own - ratio) / perDuty, duty));
  }

  /** Moves the set-point to the goal at the profile velocity; 0: at once. Accelerations are not emulated. */
  #moveSetPoint(reading: number, dtS: number): number {
    const { registers, spec } = this;
    if (Number.isNaN(this.#setPoint)) this.#setPoint = reading;
    const way = registers.get('goalPosition') - this.#setPoint;
    const speed = (Math.abs(registers.value('profileVelocity')) * spec.model.countsPerTurn) / TURN;
    this.#setPoint += speed === 0 ? way : Math.sign(way) * Math.min(Math.abs(way), speed * dtS);
    return this.#setPoint;
  }

  /** Errors hold until a reboot; those selected by `shutdown` disable torque. */
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
    registers.set('presentPosition', reading);
    if (!faults.isFrozen) registers.set('presentSpeed', hornRadPerS / scaleOf('presentSpeed'));
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
    if (this.isTorqueOn && this.registers.get('operatingMode') === MODE.position) this.#isTurnLost = true;
  }
}
