/** VESC with a motor and a steering servo, byte by byte. Source of its behaviour: the firmware, github.com/vedderb/bldc 7.01. */
import type { RobotConfig } from '../../../../src/config/index.ts';
import { VescReader, vesc, vescValues } from '../../../../src/drivers/serial.ts';
import { clamp, type Rng } from '../../../../src/model/index.ts';
import { BodyClock, type EmulatedBody } from '../bodies/body.ts';
import type { BusCounts, DeviceState, EmulatedBus, PacketShape, Transmit } from '../device.ts';
import { noServoFaults, type ServoFaults } from '../faults.ts';
import { CarDriveTrain, type MotorDuty } from './car.ts';

const { COMMAND } = vesc;
const { STATUS, VALUE } = vescValues;
/** Id used in this emulator; a VESC has none on its line. */
const ID = 0;
/** Processing time of a packet, s: this project's choice. */
const PROCESS_S = 150e-6;
const JITTER_S = 50e-6;
const BITS_PER_BYTE = 10;
/** Speed control: gains of this project, minimum of the firmware (MCCONF_S_PID_MIN_RPM), ERPM. */
const SPEED_A_PER_ERPM = 0.012;
const SPEED_A_PER_ERPM_S = 0.03;
const ERPM_MIN = 900;
/** Current limit of motor and controller. */
const LIMIT_A = 60;
/** Period at which the firmware checks its timeout, s. */
const TIMEOUT_LOOK_S = 0.01;
const OVER_TEMP_FET = 5;
const UNDER_VOLTAGE = 2;
/** Undervoltage cut-off, V. */
const CUT_OFF_V = 8;
/** `Emulated car`, in ASCII. */
const UUID = '456d756c6174656420636172';
const AMBIENT_C = 25;
const HOT_C = 105;
/** Warming by current, K/(A²·s), and cooling, 1/s: this project's choice. */
const WARMING = 0.002;
const COOLING = 0.02;
const G_M_PER_S2 = 9.80665;
const DEG_PER_RAD = 180 / Math.PI;
const S_PER_H = 3600;

/** For `FaultyDevice`: the command is in the place of an id. */
export const VESC_PACKETS: PacketShape = {
  idAt: 2,
  seal: (packet) => {
    const end = packet.length - 3;
    const crc = vesc.crc16(packet, 2, end);
    packet[end] = crc >> 8;
    packet[end + 1] = crc & 0xff;
  },
};

export interface VescBusOptions {
  readonly robot: RobotConfig;
  /** From `carBody`. */
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** Battery voltage, V; absent: full. */
  readonly supplyV?: number | undefined;
  /** App Settings, General: Timeout, s; 0: never. The firmware's own default is 1. */
  readonly timeoutS?: number | undefined;
  readonly firmware?: string | undefined;
  /** UUID of its processor, 24 hexadecimal digits. */
  readonly uuid?: string | undefined;
}

export class VescBus implements EmulatedBus {
  readonly packets: PacketShape = VESC_PACKETS;
  readonly ids: readonly number[] = [ID];
  readonly faults: ServoFaults = noServoFaults();
  readonly car: CarDriveTrain;
  readonly body: EmulatedBody;
  /** As in `VescBusOptions`; mutable, for a VESC that takes its place. */
  uuid: string;
  /** Current by which another source drives the motor, e.g. a receiver, A; 0 for none. */
  foreignA = 0;
  /** Output of the servo, 0 to 1; last motor command, and its time, s. */
  servo = 0.5;
  command: { readonly kind: 'current' | 'brake' | 'duty' | 'erpm'; readonly value: number } = NEUTRAL;
  commandAtS = Number.NEGATIVE_INFINITY;
  readonly #clock: BodyClock;
  readonly #baud: number;
  readonly #rng: Rng;
  readonly #timeoutS: number;
  readonly #firmware: string;
  readonly #reader: VescReader;
  readonly #values: Float64Array = new Float64Array(vescValues.VALUE_COUNT);
  readonly #imu: Float64Array = new Float64Array(16);
  readonly #out: Uint8Array = new Uint8Array(600);
  #atS = 0;
  #timeS = 0;
  #freeS = 0;
  #zeroM = 0;
  /** Counters that never decrease while it runs: tachometer steps in either direction, and charge drawn from the battery. */
  #absCounts = 0;
  #drawnAh = 0;
  #lastCounts = 0;
  #gatheredA = 0;
  #mosfetC = AMBIENT_C;
  #speedMPerS = 0;
  #accelMPerS2 = 0;
  #requests = 0;
  #transmit: Transmit = () => undefined;

  constructor({ robot, body, baud, rng, supplyV, timeoutS = 0.15, firmware = '6.05', uuid = UUID }: VescBusOptions) {
    this.car = new CarDriveTrain(robot, supplyV);
    this.body = body;
    this.#clock = new BodyClock(body);
    this.#baud = baud;
    this.#rng = rng;
    this.#timeoutS = timeoutS;
    this.#firmware = firmware;
    this.uuid = uuid;
    this.#reader = new VescReader((command, bytes, at, count) =>
      this.#understand(command, bytes.slice(at, at + count)),
    );
  }

  get counts(): BusCounts {
    const { skippedBytes: wrongBytes, checksumErrors } = this.#reader;
    return { requests: this.#requests, wrongBytes, checksumErrors };
  }

  /** True if no command has come for longer than its timeout. */
  get hasTimedOut(): boolean {
    const look = Math.floor(this.#timeS / TIMEOUT_LOOK_S) * TIMEOUT_LOOK_S;
    return this.#timeoutS > 0 && look - this.commandAtS > this.#timeoutS;
  }

  /** Number of the reported fault. */
  get fault(): number {
    if (this.faults.errorBits !== 0) return this.faults.errorBits;
    if (this.faults.isOverloaded) return OVER_TEMP_FET;
    return this.car.inputV < CUT_OFF_V ? UNDER_VOLTAGE : 0;
  }

  faultsOf(id: number): ServoFaults | undefined {
    return id === ID ? this.faults : undefined;
  }

  states(): readonly DeviceState[] {
    const { motorA } = this.car;
    const { signals } = this.body;
    const [xM, yM, headingRad] = [signals.get('xM'), signals.get('yM'), signals.get('headingRad')];
    const isOnGround = xM !== undefined && yM !== undefined && headingRad !== undefined;
    return [
      {
        ...(isOnGround && { place: { xM, yM, headingRad } }),
        id: ID,
        model: 'vesc',
        position: this.#tachometer(),
        isTorqueOn: !this.hasTimedOut && this.command !== NEUTRAL,
        load: motorA / LIMIT_A,
        currentA: motorA,
        temperatureC: this.#mosfetC,
        errors: this.fault === 0 ? [] : [vescValues.faultName(this.fault)],
      },
    ];
  }

  receive(bytes: Uint8Array, count: number, atS: number, transmit: Transmit): void {
    this.#transmit = transmit;
    const byteS = BITS_PER_BYTE / this.#baud;
    for (let i = 0; i < count; i++) {
      this.#atS = atS - (count - 1 - i) * byteS;
      this.#reader.push(bytes, i, i + 1);
    }
  }

  advance(nowS: number, transmit: Transmit): void {
    this.#transmit = transmit;
    this.#timeS = Math.max(this.#timeS, nowS);
    const { positionRad, velocityRadPerS, torqueNm } = this.body;
    this.#clock.advance(nowS, (dtS) => {
      this.#endure(dtS);
      const speedMPerS = velocityRadPerS[0]!;
      const direction = this.#direction;
      torqueNm[0] =
        direction * this.car.forceN(this.#motorDuty(direction * speedMPerS, dtS), direction * speedMPerS, LIMIT_A);
      torqueNm[1] = this.car.steeringNm(this.servo, positionRad[1]!, this.faults.shiftRad);
      this.#accelMPerS2 += (dtS / 0.02) * ((speedMPerS - this.#speedMPerS) / dtS - this.#accelMPerS2);
      this.#speedMPerS = speedMPerS;
      const warmed = WARMING * this.car.motorA ** 2 - COOLING * (this.#mosfetC - AMBIENT_C);
      this.#mosfetC += dtS * warmed;
      this.#drawnAh += (dtS * Math.max(0, this.car.inputA)) / S_PER_H;
      this.#countSteps();
    });
  }

  /** Lets time without power pass, after which it restarts. */
  #endure(dtS: number): void {
    const { faults } = this;
    if (faults.unpoweredS === 0) return;
    faults.unpoweredS = Math.max(0, faults.unpoweredS - dtS);
    if (faults.unpoweredS === 0) this.powerCycle();
  }

  /** Resets counters, servo and motor to their state at power-up. */
  powerCycle(): void {
    this.#zeroM = this.body.positionRad[0]!;
    this.#lastCounts = this.#tachometer();
    this.#absCounts = 0;
    this.#drawnAh = 0;
    this.servo = 0.5;
    this.command = NEUTRAL;
    this.commandAtS = Number.NEGATIVE_INFINITY;
    this.#gatheredA = 0;
    this.#reader.restart();
  }

  /** A VESC counts turns in the direction in which it drives the motor: a reversed one also reads reversed. */
  get #direction(): 1 | -1 {
    return this.faults.isMirrored === this.faults.isReversed ? 1 : -1;
  }

  #motorDuty(speedMPerS: number, dtS: number): MotorDuty {
    if (this.fault !== 0 || this.faults.unpoweredS > 0) return { kind: 'current', currentA: 0 };
    if (this.foreignA !== 0) return { kind: 'current', currentA: this.foreignA };
    const { kind, value } = this.hasTimedOut ? NEUTRAL : this.command;
    if (kind !== 'erpm') this.#gatheredA = 0;
    if (kind === 'duty') return { kind, ratio: value };
    if (kind === 'brake') return { kind, currentA: Math.abs(value) };
    if (kind === 'current') return { kind, currentA: value };
    // Below the minimum speed the motor is released (`foc_run_pid_control_speed`).
    if (Math.abs(value) < ERPM_MIN) return { kind: 'current', currentA: 0 };
    const error = value - this.car.erpmPerMPerS * speedMPerS;
    this.#gatheredA = clamp(this.#gatheredA + SPEED_A_PER_ERPM_S * error * dtS, -LIMIT_A, LIMIT_A);
    return { kind: 'current', currentA: SPEED_A_PER_ERPM * error + this.#gatheredA };
  }

  #understand(command: number, data: Uint8Array): void {
    if (this.faults.isDead || this.faults.unpoweredS > 0) return;
    this.#requests++;
    const value = data.length >= 4 ? vesc.getInt(data, 0, 4) : Number.NaN;
    switch (command) {
      case COMMAND.firmware:
        this.#answer(vescValues.writeIdentity(this.#out, 0, this.#identity));
        return;
      case COMMAND.getValues:
        this.#measure();
        this.#answer(vescValues.writeValues(this.#out, 0, this.#values));
        return;
      case COMMAND.getSelected:
        if (Number.isNaN(value)) return;
        this.#measure();
        this.#answer(vescValues.writeSelected(this.#out, 0, this.#known(value), this.#values, value));
        return;
      case COMMAND.getImu:
        if (data.length !== 2) return;
        this.#measureImu();
        this.#answer(vescValues.writeImu(this.#out, 0, vesc.getInt(data, 0, 2) & 0xffff, this.#imu));
        return;
      case COMMAND.setServo:
        if (data.length === 2) this.servo = clamp(vesc.getInt(data, 0, 2) / 1e3, 0, 1);
        return;
      case COMMAND.alive:
        this.commandAtS = this.#atS;
        return;
      default:
        this.#obey(command, value);
    }
  }

  #obey(command: number, value: number): void {
    const scaled = MOTOR_COMMANDS[command];
    if (scaled === undefined || Number.isNaN(value)) return;
    const [kind, scale] = scaled;
    this.command = kind === 'current' && value === 0 ? NEUTRAL : { kind, value: value / scale };
    this.commandAtS = this.#atS;
  }

  get #identity(): vescValues.VescIdentity {
    return { firmware: this.#firmware, hardware: 'EMULATED', uuid: this.uuid };
  }

  /** Firmware before 6.00 reports no status. */
  #known(mask: number): number {
    return Number.parseInt(this.#firmware, 10) < 6 ? mask & ~(1 << VALUE.status) : mask;
  }

  #tachometer(): number {
    const { wrapTurns } = this.faults;
    const counts = this.#direction * this.car.countsPerM * (this.body.positionRad[0]! - this.#zeroM);
    // A turn of the wheels, for faults that count in turns.
    return Math.round(counts + wrapTurns * this.car.countsPerM * 0.3);
  }

  #countSteps(): void {
    const counts = this.#tachometer();
    this.#absCounts += Math.abs(counts - this.#lastCounts);
    this.#lastCounts = counts;
  }

  #measure(): void {
    const { car, faults } = this;
    const values = this.#values;
    values[VALUE.mosfetC] = faults.isOverloaded ? HOT_C : this.#mosfetC;
    values[VALUE.motorC] = this.#mosfetC;
    values[VALUE.motorA] = car.motorA;
    values[VALUE.inputA] = car.inputA;
    values[VALUE.dutyRatio] = car.dutyRatio;
    values[VALUE.inputV] = car.inputV;
    values[VALUE.fault] = this.fault;
    values[VALUE.status] = this.hasTimedOut ? STATUS.hasTimedOut : 0;
    if (faults.isFrozen) return;
    values[VALUE.erpm] = this.#direction * car.erpmPerMPerS * this.body.velocityRadPerS[0]!;
    this.#countSteps();
    values[VALUE.tachometer] = this.#lastCounts;
    values[VALUE.tachometerAbs] = this.#absCounts;
    values[VALUE.drawnAh] = this.#drawnAh;
  }

  /** On a level floor, without slip of the wheels: turn rate and lateral acceleration. */
  #measureImu(): void {
    const speedMPerS = this.body.velocityRadPerS[0]!;
    const turnRadPerS = (speedMPerS * Math.tan(this.body.positionRad[1]!)) / this.car.wheelbaseM;
    const { accelX, gyroX } = vescValues.IMU;
    this.#imu[accelX] = this.#accelMPerS2 / G_M_PER_S2;
    this.#imu[accelX + 1] = (speedMPerS * turnRadPerS) / G_M_PER_S2;
    this.#imu[accelX + 2] = 1;
    this.#imu[gyroX + 2] = turnRadPerS * DEG_PER_RAD;
  }

  /** Sends answers one after another. */
  #answer(bytes: number): void {
    const atS = Math.max(this.#freeS, this.#atS + PROCESS_S + this.#rng.uniform() * JITTER_S);
    this.#freeS = atS + (bytes * BITS_PER_BYTE) / this.#baud;
    this.#transmit(this.#out.slice(0, bytes), atS);
  }
}

const NEUTRAL = { kind: 'current', value: 0 } as const;

const MOTOR_COMMANDS: Readonly<Record<number, readonly [kind: VescBus['command']['kind'], scale: number]>> = {
  [COMMAND.setDuty]: ['duty', 1e5],
  [COMMAND.setCurrent]: ['current', 1e3],
  [COMMAND.setBrake]: ['brake', 1e3],
  [COMMAND.setRpm]: ['erpm', 1],
};
