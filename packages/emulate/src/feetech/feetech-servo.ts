/**
 * One emulated servo of Feetech's STS or SCS series: registers, position loop and protection. Source of its registers: Feetech, "STS series
 * memory table"; anything that is not published there is marked as this project's choice.
 */
import { Motor, type MotorSpec } from '../bodies/motor.ts';
import { noServoFaults, type ServoFaults } from '../faults.ts';
import { RegisterFile } from '../registers.ts';
import type { ServoSpec } from '../servo-chain.ts';

/** Size of the address space. */
const SIZE = 128;
/** Factory values; voltages are those of the 7.4 V version except for `HIGH_VOLTAGE`. Firmware 3.10. */
const FACTORY: Readonly<Record<string, number>> = {
  firmwareMajor: 3,
  firmwareMinor: 10,
  id: 1,
  returnDelay: 250,
  statusLevel: 1,
  positionMax: 4095,
  temperatureMax: 70,
  voltageMax: 80,
  voltageMin: 40,
  torqueMax: 1000,
  phase: 12,
  unloadConditions: 44,
  ledConditions: 47,
  gainP: 32,
  gainD: 32,
  startForce: 16,
  deadZonePositive: 1,
  deadZoneNegative: 1,
  currentMax: 500,
  resolution: 1,
  protectiveTorque: 20,
  protectionTime: 200,
  overloadTorque: 80,
  speedGainP: 10,
  overcurrentTime: 200,
  speedGainI: 10,
  torqueLimit: 1000,
  lock: 1,
};
const HIGH_VOLTAGE = { voltageMax: 140 };
/** Rated voltage and stall current by model; stall torques are in the driver's table. Source: Feetech's data sheets. */
const SUPPLIES: Readonly<Record<string, { readonly ratedV: number; readonly stallCurrentA: number }>> = {
  sts3215: { ratedV: 7.4, stallCurrentA: 2.4 },
  sts3215_12v: { ratedV: 12, stallCurrentA: 2.7 },
  sts3250: { ratedV: 12, stallCurrentA: 3.6 },
};
/** Data sheet of the STS3215: 45 turns a minute. */
const NO_LOAD_RAD_PER_S = (45 * 2 * Math.PI) / 60;
/**
 * Duty per radian of error and unit of P. 1.04 N·m deflected a servo of 12 V (2.94 N·m) by 20 to 30 counts with P = 32 (SO-ARM100 on
 * GitHub, issue 134): 28 N·m/rad. At 7.4 V that is 18 N·m/rad; 17.8 were identified (SO-ARM100, Simulation/SO101/joints_properties.xml).
 */
const DUTY_PER_RAD_AND_P = 28 / 2.94 / 32;
/** Duty per rad/s and unit of D: this project's choice, for about half of critical damping. */
const DUTY_PER_RAD_PER_S_AND_D = 0.3 / 1.91 / 32;
/** Viscous friction of the gear, N·m·s/rad: the identified total (0.60, the same file) less the effect of back-EMF. */
const GEAR_NM_S_PER_RAD = 0.2;
/** 23 K at half of the stall torque of 12 V, i.e. 8 W of loss, and most of it within ten minutes (the same issue). */
const THERMAL = { thermalKPerW: 2.8, thermalTimeS: 300 };
/** Hysteresis of the temperature error, K: it ends that far below `temperatureMax`. This project's choice. */
const COOL_DOWN_K = 5;

const STATUS = { voltage: 1, sensor: 2, temperature: 4, current: 8, angle: 16, overload: 32 };
const TURN = 2 * Math.PI;
const LOCKED = 1;
/** Values of `torqueEnable` besides 0. Source: memory table (40): 2 is damping, 128 makes the present position the middle. */
const TORQUE = { on: 1, damping: 2, middle: 128 } as const;
/** Bits of `phase`, and counts/s per count of speed if `fineSpeed` is not set. */
const PHASE = { fineSpeed: 4, zeroSpeedIsMost: 8, countsTurns: 16 };
const COARSE_SPEED = 50;
const MODE = { position: 0, speed: 1 };

export class FeetechServo {
  readonly spec: ServoSpec;
  readonly registers: RegisterFile;
  readonly motor: Motor;
  readonly faults: ServoFaults = noServoFaults();
  readonly ratedV: number;
  /** REG WRITE that waits for its ACTION. */
  waiting: { readonly address: number; readonly data: Uint8Array } | undefined;
  #actualCounts = 0;
  #setPoint = Number.NaN;
  #setPointPerS = 0;
  #errorSum = 0;
  #duty = 0;
  #overloadS = 0;
  #overcurrentS = 0;
  /** Bits of `STATUS` that are latched until torque is switched. */
  #latched = 0;
  #isHot = false;
  /** Counts of the whole turns made before power-up, which are lost; NaN until the first reading. */
  #lostCounts = Number.NaN;

  constructor(spec: ServoSpec) {
    const { model } = spec;
    const { ratedV, stallCurrentA } = SUPPLIES[model.name] ?? { ratedV: 6, stallCurrentA: 1 };
    const highVoltage = ratedV > 8 ? HIGH_VOLTAGE : {};
    const motor: MotorSpec = {
      stallTorqueNm: model.stallTorqueNm,
      ratedV,
      stallCurrentA,
      noLoadRadPerS: NO_LOAD_RAD_PER_S,
      ...THERMAL,
    };
    this.spec = spec;
    this.ratedV = ratedV;
    this.motor = new Motor(motor);
    this.registers = new RegisterFile({
      model,
      size: SIZE,
      isLittleEndian: model.registers['homingOffset'] !== undefined,
      factory: { ...FACTORY, positionMax: model.goalMaxCounts ?? FACTORY['positionMax']!, ...highVoltage },
    });
    for (const [name, value] of Object.entries({ id: spec.id, ...spec.registers })) this.registers.set(name, value);
    this.registers.store(0, SIZE);
  }

  get id(): number {
    return this.registers.get('id');
  }

  /** Error bits, as in every status. */
  get error(): number {
    const { errorBits, isOverloaded } = this.faults;
    return this.registers.get('status') | errorBits | (isOverloaded ? STATUS.overload : 0);
  }

  get isTorqueOn(): boolean {
    return this.registers.get('torqueEnable') === TORQUE.on;
  }

  /**
   * Writes the bytes of a request from `address` on, except read-only ones. A goal enables torque: the manufacturer's own examples rely on
   * that and never write `torqueEnable` (FTServo_Python, sms_sts/write.py; scscl/write.py).
   */
  write(address: number, data: Uint8Array): void {
    const { registers } = this;
    const wasOn = this.isTorqueOn;
    for (const [i, byte] of data.entries()) {
      const at = address + i;
      if (at < SIZE && !registers.isReadOnly(at)) registers.bytes[at] = byte;
    }
    if (registers.get('lock') !== LOCKED) registers.store(address, data.length);
    const goalAt = registers.model.registers['goalPosition']!.address;
    if (address <= goalAt && goalAt < address + data.length) registers.set('torqueEnable', TORQUE.on);
    const enable = registers.get('torqueEnable');
    const damps = enable === TORQUE.damping && registers.has('homingOffset');
    if (enable === TORQUE.middle) this.#makeMiddle();
    else if (enable > TORQUE.on && !damps) registers.set('torqueEnable', TORQUE.on);
    if (this.isTorqueOn !== wasOn) this.#switched();
  }

  /** Updates the register that shows a pending REG WRITE, if the model has one. */
  showWaiting(): void {
    if (this.registers.has('asyncWrite')) this.registers.set('asyncWrite', this.waiting === undefined ? 0 : 1);
  }

  factoryReset(): void {
    this.registers.factoryReset(['id', 'firmwareMajor', 'firmwareMinor']);
    this.#switched();
  }

  powerCycle(): void {
    this.faults.isOverloaded = false;
    this.registers.powerCycle();
    if (this.registers.has('torqueLimit')) this.registers.set('torqueLimit', this.registers.get('torqueMax'));
    this.waiting = undefined;
    this.#lostCounts = Number.NaN;
    this.#switched();
  }

  /** Advances by `dtS` with the joint or signal at `value`, moving at `perS`. Returns the torque on it, N·m (N for metres). */
  drive(value: number, perS: number, supplyV: number, dtS: number): number {
    const { spec, faults, motor } = this;
    const perUnit = faults.isMirrored ? -spec.countsPerUnit : spec.countsPerUnit;
    const perTurn = spec.model.countsPerTurn;
    const shift = (faults.shiftRad * perTurn) / TURN;
    this.#actualCounts = spec.zeroCounts + perUnit * value + shift;
    const counts = this.#counts();
    const hornRadPerS = (perUnit * perS * TURN) / perTurn;
    if (faults.unpoweredS > 0) return this.#rest(hornRadPerS, dtS) * perUnit * (TURN / perTurn);
    this.#duty = this.isTorqueOn && spec.joint !== undefined ? this.#dutyFor(counts, hornRadPerS, dtS) : 0;
    const damps = this.registers.get('torqueEnable') === TORQUE.damping;
    const duty = faults.isReversed ? -this.#duty : this.#duty;
    const driven = motor.drive(damps ? 'shorted' : duty, supplyV, hornRadPerS, dtS);
    this.#protect(supplyV, dtS);
    this.#report(counts, hornRadPerS, supplyV);
    if (spec.joint === undefined) return 0;
    return ((driven - GEAR_NM_S_PER_RAD * hornRadPerS) * perUnit * TURN) / perTurn;
  }

  /** Advances without power; at the end the servo restarts. */
  #rest(hornRadPerS: number, dtS: number): number {
    const { faults, motor } = this;
    motor.drive(0, 0, hornRadPerS, dtS);
    faults.unpoweredS = Math.max(0, faults.unpoweredS - dtS);
    if (faults.unpoweredS === 0) this.powerCycle();
    return this.spec.joint === undefined ? 0 : -GEAR_NM_S_PER_RAD * hornRadPerS;
  }

  /**
   * Returns the reading less the stored offset: within one turn, or for an encoder within its register. A servo that counts turns is within
   * one turn at power-up. Fewer counts per turn at a coarser resolution are this project's choice.
   */
  #counts(): number {
    const turn = this.spec.model.countsPerTurn;
    const offset = this.registers.has('homingOffset') ? this.registers.get('homingOffset') : 0;
    const counts = Math.round(this.#actualCounts / this.#resolution - offset);
    if (Number.isNaN(this.#lostCounts)) this.#lostCounts = Math.floor(counts / turn) * turn;
    if (this.spec.joint === undefined) return counts;
    return this.#countsTurns ? counts - this.#lostCounts : counts - Math.floor(counts / turn) * turn;
  }

  /** True if it counts turns. Memory table: a bit of `phase`, or a range from 0 to 0. */
  get #countsTurns(): boolean {
    return (this.#fixed('phase') & PHASE.countsTurns) !== 0 || this.registers.get('positionMax') === 0;
  }

  get #resolution(): number {
    return Math.max(1, this.#fixed('resolution'));
  }

  /** Counts/s per count of a speed. */
  get #speedUnit(): number {
    return (this.#fixed('phase') & PHASE.fineSpeed) === 0 ? COARSE_SPEED : 1;
  }

  /** Speed on the way to a goal, counts/s. */
  get #goalSpeed(): number {
    const speed = Math.abs(this.registers.get('goalSpeed')) * this.#speedUnit;
    if (speed !== 0) return speed;
    return (this.#fixed('phase') & PHASE.zeroSpeedIsMost) === 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** PID on the error of the set-point, within the torque limit and outside the dead zone. */
  #dutyFor(counts: number, hornRadPerS: number, dtS: number): number {
    const { registers, spec } = this;
    const perCount = (TURN / spec.model.countsPerTurn) * this.#resolution;
    // The servo's own loop closes on the same encoder.
    const { isFrozen, wrapTurns } = this.faults;
    const seen = isFrozen ? registers.get('presentPosition') - wrapTurns * spec.model.countsPerTurn : counts;
    const seenRadPerS = isFrozen ? 0 : hornRadPerS;
    const error = this.#moveSetPoint(seen, dtS) - seen;
    const zone = this.#fixed(error > 0 ? 'deadZonePositive' : 'deadZoneNegative');
    const wanted = Math.abs(error) <= zone ? 0 : error * perCount;
    const gainI = registers.get('gainI');
    this.#errorSum = gainI === 0 ? 0 : this.#errorSum + wanted * dtS;
    const driven =
      registers.get('gainP') * DUTY_PER_RAD_AND_P * wanted +
      gainI * DUTY_PER_RAD_AND_P * this.#errorSum -
      registers.get('gainD') * DUTY_PER_RAD_PER_S_AND_D * seenRadPerS;
    const start =
      wanted === 0 ? 0 : Math.sign(wanted) * (registers.has('startForce') ? registers.value('startForce') : 0);
    const most = this.#limit();
    return Math.min(most, Math.max(-most, Math.abs(driven) < Math.abs(start) ? start : driven));
  }

  /** Value of a register; for a model without it (SCS), the factory value of the others. */
  #fixed(name: string): number {
    return this.registers.has(name) ? this.registers.get(name) : (FACTORY[name] ?? 0);
  }

  /** Present limit of the duty. */
  #limit(): number {
    const { registers } = this;
    const limit = Math.min(1, registers.value(registers.has('torqueLimit') ? 'torqueLimit' : 'torqueMax'));
    const isWeak = this.faults.isOverloaded || (this.#latched & STATUS.overload) !== 0;
    if (isWeak) return Math.min(limit, registers.value('protectiveTorque'));
    return this.#latched !== 0 && (this.#latched & this.#fixed('unloadConditions')) !== 0 ? 0 : limit;
  }

  /** Moves the set-point to the goal at the set speed and acceleration; 0: at once. */
  #moveSetPoint(counts: number, dtS: number): number {
    const { registers } = this;
    if (Number.isNaN(this.#setPoint)) {
      this.#setPoint = counts;
      this.#setPointPerS = 0;
    }
    const mode = this.#fixed('operatingMode');
    if (mode !== MODE.position) {
      if (mode === MODE.speed) this.#setPoint += registers.get('goalSpeed') * this.#speedUnit * dtS;
      return this.#setPoint;
    }
    const [least, most] = [registers.get('positionMin'), registers.get('positionMax')];
    const goal =
      most > least ? Math.min(most, Math.max(least, registers.get('goalPosition'))) : registers.get('goalPosition');
    const speed = this.#goalSpeed;
    const accel = registers.has('acceleration') ? registers.get('acceleration') * 100 : 0;
    const way = goal - this.#setPoint;
    if (accel === 0) {
      const step = Math.min(Math.abs(way), speed * dtS);
      this.#setPoint += Math.sign(way) * step;
      return this.#setPoint;
    }
    const wanted = Math.sign(way) * Math.min(speed, Math.sqrt(2 * accel * Math.abs(way)));
    const change = Math.min(accel * dtS, Math.max(-accel * dtS, wanted - this.#setPointPerS));
    this.#setPointPerS += change;
    const step = this.#setPointPerS * dtS;
    this.#setPoint = Math.abs(step) >= Math.abs(way) && step * way >= 0 ? goal : this.#setPoint + step;
    return this.#setPoint;
  }

  /** Overload and overcurrent latch after their times, heat if it is in `unloadConditions`; a voltage error lasts as long as its cause. */
  #protect(supplyV: number, dtS: number): void {
    const { registers, motor } = this;
    const overloaded = Math.abs(this.#duty) >= registers.value('overloadTorque') && this.#duty !== 0;
    this.#overloadS = overloaded ? this.#overloadS + dtS : 0;
    if (this.#overloadS > registers.value('protectionTime')) this.#latched |= STATUS.overload;
    if (registers.has('currentMax')) {
      const tooMuch = registers.get('currentMax') > 0 && motor.currentA > registers.value('currentMax');
      this.#overcurrentS = tooMuch ? this.#overcurrentS + dtS : 0;
      if (this.#overcurrentS > registers.value('overcurrentTime')) this.#latched |= STATUS.current;
    }
    const limitC = registers.get('temperatureMax');
    this.#isHot = motor.temperatureC > limitC - (this.#isHot ? COOL_DOWN_K : 0);
    if (this.#isHot && (this.#fixed('unloadConditions') & STATUS.temperature) !== 0)
      this.#latched |= STATUS.temperature;
    const volts = supplyV * 10;
    const voltage = volts < registers.get('voltageMin') || volts > registers.get('voltageMax');
    registers.set('status', this.#latched | (this.#isHot ? STATUS.temperature : 0) | (voltage ? STATUS.voltage : 0));
    registers.set('status', this.error);
  }

  #report(counts: number, hornRadPerS: number, supplyV: number): void {
    const { registers, faults, spec, motor } = this;
    if (!faults.isFrozen) {
      registers.set('presentPosition', counts + faults.wrapTurns * spec.model.countsPerTurn);
      registers.set('presentSpeed', (hornRadPerS * spec.model.countsPerTurn) / TURN / this.#speedUnit);
    }
    registers.set('presentLoad', this.#duty * 1000);
    registers.set('presentVoltage', supplyV * 10);
    registers.set('presentTemperature', motor.temperatureC);
    registers.set('moving', Math.abs(hornRadPerS) > 0.02 ? 1 : 0);
    if (registers.has('presentCurrent')) {
      registers.set(
        'presentCurrent',
        (Math.sign(this.#duty) * motor.currentA) / registers.model.registers['presentCurrent']!.scale!,
      );
    }
  }

  /** Called when torque is switched: clears latched errors, and holds the present position. */
  #switched(): void {
    this.#latched = 0;
    this.#overloadS = 0;
    this.#overcurrentS = 0;
    this.#errorSum = 0;
    this.#setPoint = Number.NaN;
  }

  /** Makes the present position 2048, the middle: the offset is stored, locked or not. */
  #makeMiddle(): void {
    this.calibrate();
    this.registers.set('torqueEnable', 0);
  }

  /** Makes the present position `counts`, or the middle: the offset is stored, locked or not. No effect if the model stores none. */
  calibrate(counts?: number): void {
    const { registers, spec } = this;
    if (!registers.has('homingOffset')) return;
    const turn = spec.model.countsPerTurn;
    const offset = this.#actualCounts - (counts ?? turn / 2);
    registers.set('homingOffset', offset - Math.round(offset / turn) * turn);
    const { address, bytes } = registers.model.registers['homingOffset']!;
    registers.store(address, bytes);
  }
}
