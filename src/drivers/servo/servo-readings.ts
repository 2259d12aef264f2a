/** Readings of an arm's servos in each tick: positions, speeds, loads, and missed replies. */
import { BUS, type RobotState } from '../../rows/index.ts';
import { countsPerUnit, type Motor, type ServoFamily } from './family.ts';
import { type EncoderOptions, encodersOf, isEncoder, type ServoDriverOptions } from './options.ts';
import { readRegister } from './protocol.ts';
import { ReadGroup } from './register-groups.ts';
import type { ServoBus } from './servo-bus.ts';

/** Share of the control period for readings; the rest is for the safety chain and the goals. */
const READ_SHARE = 0.6;
/** A servo that missed this many requests in a row is left out of them, to cost the others no time, and probed at this interval, s. */
const QUARANTINE_MISSES = 5;
const PROBE_S = 0.5;

export interface ServoReadingsParts {
  readonly bus: ServoBus;
  readonly family: ServoFamily;
  readonly options: ServoDriverOptions;
  /** Servos of the joints, then encoders, then second servos of joints. */
  readonly motors: readonly Motor[];
  readonly periodS: number;
}

/** Arrays are indexed by motor. Tick path after construction. */
export class ServoReadings {
  /** Start of the newest reading, time since the previous one, and deadline, s. Fields, because passing numbers allocates. */
  nowS: number = Number.NaN;
  dtS: number = Number.NaN;
  deadlineS: number = Number.NaN;
  /** Newest reply: position, rad (or m, or the signal's own unit), torque, N·m, and time, s, NaN before the first. */
  readonly position: Float64Array;
  readonly torqueNm: Float64Array;
  /** Value of `torqueEnable` then; −1 if it is not read in every tick. */
  readonly torqueEnable: Int32Array;
  readonly readAtS: Float64Array;
  /** Start of ages until the first reply, s. */
  readonly #openedAtS: number;
  readonly #bus: ServoBus;
  readonly #motors: readonly Motor[];
  readonly #joints: number;
  readonly #periodS: number;
  readonly #groups: readonly ReadGroup[];
  readonly #velocity: Float64Array;
  readonly #nmPerLoad: Float64Array;
  /** [n] index of the second servo of each joint, or −1. */
  readonly #shadows: Int32Array;
  /** Missed requests in a row. */
  readonly #misses: Int32Array;
  /** [m] 1: its silence was reported. */
  readonly #told: Uint8Array;
  readonly #encoders: readonly EncoderOptions[];
  /** [k] source of each signal: index of a motor, or −1 for a fixed value. */
  readonly #signalMotor: Int32Array;
  readonly #signalValue: Float64Array;
  /** Readings in a row without any answer. */
  #silent = 0;
  #probeAtS = 0;
  #probeNext = 0;

  constructor({ bus, family, options, motors, periodS }: ServoReadingsParts) {
    this.#bus = bus;
    this.#motors = motors;
    this.#joints = options.jointNames.length;
    this.#periodS = periodS;
    this.#groups = ReadGroup.of(motors, (motor) => family.fastBlock(motor));
    this.position = new Float64Array(motors.length);
    this.torqueNm = new Float64Array(motors.length);
    this.torqueEnable = new Int32Array(motors.length).fill(-1);
    this.readAtS = new Float64Array(motors.length).fill(Number.NaN);
    this.#openedAtS = bus.line.clock.nowS();
    this.#velocity = new Float64Array(motors.length);
    this.#nmPerLoad = Float64Array.from(motors, (motor) => family.nmPerLoad(motor));
    this.#shadows = Int32Array.from(options.jointNames, (_, i) =>
      motors.findIndex((each) => each.shadowOf === motors[i]),
    );
    this.#misses = new Int32Array(motors.length);
    this.#told = new Uint8Array(motors.length);
    this.#encoders = encodersOf(options);
    this.#signalMotor = Int32Array.from(options.signalNames, (name) =>
      motors.findIndex((motor, i) => i >= this.#joints && motor.name === name),
    );
    this.#signalValue = Float64Array.from(options.signalNames, (name) => {
      const signal = options.signals.find((each) => each.name === name)!;
      return isEncoder(signal) ? Number.NaN : signal.value;
    });
  }

  /** Reads all servos within their share of the tick. Returns how many answered. */
  read(): number {
    const nowS = this.#bus.line.clock.nowS();
    this.dtS = Number.isNaN(this.nowS) ? this.#periodS : nowS - this.nowS;
    this.nowS = nowS;
    this.deadlineS = nowS + READ_SHARE * this.#periodS;
    return this.#read();
  }

  /** Like `read`, between ticks and without a deadline. */
  readPatiently(): number {
    this.nowS = this.#bus.line.clock.nowS();
    this.dtS = this.#periodS;
    this.deadlineS = Number.POSITIVE_INFINITY;
    return this.#read();
  }

  /** True if no servo has answered for some ticks. */
  get isSilent(): boolean {
    return this.#silent >= QUARANTINE_MISSES;
  }

  /** Returns true if motor `i` answered the newest reading. */
  isRead(i: number): boolean {
    return this.readAtS[i] === this.nowS;
  }

  /** Returns the number of readings in a row that motor `i` has missed, up to the number after which it is left out. */
  missesOf(i: number): number {
    return this.#misses[i]!;
  }

  /** Returns true if motor `i` answered the newest request for readings, or was not asked since its setup. */
  isHeard(i: number): boolean {
    return this.#misses[i] === 0;
  }

  /** True if some servo is left out of requests. */
  get hasLeftOut(): boolean {
    return this.#misses.some((misses) => misses >= QUARANTINE_MISSES);
  }

  /** Called after the setup of all servos: none is left out. */
  forgetMisses(): void {
    this.#misses.fill(0);
    this.#told.fill(0);
  }

  /** Returns a motor that is silent while others answer, once per silence; else −1. */
  takeSilent(): number {
    if (this.isSilent) return -1;
    for (let i = 0; i < this.#motors.length; i++) {
      if (this.#misses[i]! < QUARANTINE_MISSES) this.#told[i] = 0;
      else if (this.#told[i] === 0) {
        this.#told[i] = 1;
        return i;
      }
    }
    return -1;
  }

  /** Updates the bus counters: age of the oldest reading, and number of servos left out. */
  count(): void {
    let oldestS = 0;
    let quarantined = 0;
    for (let i = 0; i < this.#motors.length; i++) {
      const readAtS = this.readAtS[i]!;
      const ageS = this.nowS - (Number.isNaN(readAtS) ? this.#openedAtS : readAtS);
      if (ageS > oldestS) oldestS = ageS;
      if (this.#misses[i]! >= QUARANTINE_MISSES) quarantined++;
    }
    this.#bus.counters[BUS.oldestS] = oldestS;
    this.#bus.counters[BUS.quarantined] = quarantined;
  }

  fill(out: RobotState): void {
    for (let i = 0; i < this.#joints; i++) {
      out.positionRad[i] = this.position[i]!;
      out.velocityRadPerS[i] = this.#velocity[i]!;
      const shadow = this.#shadows[i]!;
      out.torqueNm[i] = this.torqueNm[i]! + (shadow < 0 ? 0 : this.torqueNm[shadow]!);
    }
    for (let k = 0; k < this.#signalMotor.length; k++) {
      const motor = this.#signalMotor[k]!;
      out.signals[k] = motor < 0 ? this.#signalValue[k]! : this.position[motor]!;
    }
    out.wrench.fill(0);
    out.measuredAtS = this.nowS;
  }

  #read(): number {
    // If no servo answers, the line or the computer is at fault: all return at once.
    const wasSilent = this.isSilent;
    const isProbe = this.nowS >= this.#probeAtS;
    if (isProbe) {
      this.#probeAtS = this.nowS + PROBE_S;
      this.#probeNext = (this.#probeNext + 1) % this.#motors.length;
    }
    let answered = 0;
    this.#bus.until[0] = this.deadlineS;
    for (let g = 0; g < this.#groups.length; g++) {
      const group = this.#groups[g]!;
      group.clear();
      for (let k = 0; k < group.motors.length; k++) {
        const i = group.motors[k]!;
        const isOut = this.#misses[i]! >= QUARANTINE_MISSES && !wasSilent && !(isProbe && this.#isProbed(i));
        if (!isOut) group.ask(k);
      }
      this.#bus.syncRead(group.ids, group.asked, group.address, group.bytes, group.into);
      for (let k = 0; k < group.asked; k++) {
        if (!this.#bus.hasAnswered(group.ids[k]!)) continue;
        answered++;
        this.#decode(group.askedMotor(k), group, k);
      }
    }
    this.#bus.until[0] = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#motors.length; i++) {
      const hasAnswered = this.isRead(i);
      // The cause of this servo's silence may have silenced others that are still out: the next is probed now.
      if (hasAnswered && this.#misses[i] === QUARANTINE_MISSES) this.#probeAtS = this.nowS;
      this.#misses[i] = hasAnswered ? 0 : Math.min(this.#misses[i]! + 1, QUARANTINE_MISSES);
    }
    this.#silent = answered === 0 ? this.#silent + 1 : 0;
    return answered;
  }

  /** Returns true if motor `i` is the next to be probed of those left out. */
  #isProbed(i: number): boolean {
    for (let k = 0; k < this.#motors.length; k++) {
      const j = (this.#probeNext + k) % this.#motors.length;
      if (this.#misses[j]! >= QUARANTINE_MISSES) return j === i;
    }
    return false;
  }

  #decode(i: number, group: ReadGroup, k: number): void {
    const motor = this.#motors[i]!;
    const { registers } = motor.model;
    const isLittle = this.#bus.protocol.isLittleEndian;
    const at = k * group.bytes;
    const { offsets } = group.block;
    const counts = readRegister(registers['presentPosition']!, group.into, at + offsets['presentPosition']!, isLittle);
    this.readAtS[i] = this.nowS;
    const torqueAt = offsets['torqueEnable'];
    if (torqueAt !== undefined) this.torqueEnable[i] = group.into[at + torqueAt]!;
    const { calibration } = motor;
    if (calibration === undefined) {
      const { zeroCounts, perCount } = this.#encoders[i - this.#joints]!;
      this.position[i] = (counts - zeroCounts) * perCount;
      return;
    }
    const speed = registers['presentSpeed']!;
    const load = registers['presentLoad']!;
    const sign = calibration.direction;
    this.position[i] = (sign * (counts - calibration.zeroCounts)) / countsPerUnit(motor);
    const radPerS = readRegister(speed, group.into, at + offsets['presentSpeed']!, isLittle) * speed.scale!;
    this.#velocity[i] = (sign * radPerS * motor.options.perTurn) / (2 * Math.PI);
    const share = readRegister(load, group.into, at + offsets['presentLoad']!, isLittle) * load.scale!;
    this.torqueNm[i] = sign * share * this.#nmPerLoad[i]!;
  }
}
