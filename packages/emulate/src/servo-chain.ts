/** Servos of one family on one line, as far as families are alike: their joints on the body, the supply, and the timing of bytes. */

import type { ServoModel } from '../../../src/drivers/serial.ts';
import type { Rng } from '../../../src/model/index.ts';
import { BodyClock, type EmulatedBody } from './bodies/body.ts';
import type { Motor } from './bodies/motor.ts';
import type { BusCounts, DeviceState, EmulatedBus, PacketShape, Transmit } from './device.ts';
import type { ServoFaults } from './faults.ts';
import type { RegisterFile } from './registers.ts';

/** Processing time of a request besides the return delay, s: this project's choice. */
export const PROCESS_S = 40e-6;
/** Timing jitter, as no two oscillators are the same, s. */
const JITTER_S = 8e-6;
/** Start, eight data bits, stop. */
const BITS_PER_BYTE = 10;
/** Share of its voltage below which a servo has no power at all: this project's choice. */
const DEAD_SHARE = 0.4;
/** Resistance of supply and cable, Ω: the voltage sags with the current. This project's choice. */
const SUPPLY_OHM = 0.15;

/** One servo as mounted. */
export interface ServoSpec<Model extends ServoModel = ServoModel> {
  readonly id: number;
  readonly model: Model;
  /** Index of the body's joint that it moves. */
  readonly joint?: number | undefined;
  /** Alternatively the signal that it measures: nothing is coupled to its motor. */
  readonly signal?: string | undefined;
  /** Reading without any offset at 0 of joint or signal, and counts per rad or m; negative: reversed. */
  readonly zeroCounts: number;
  readonly countsPerUnit: number;
  /** Id of the servo at the same joint whose requests it executes as well. */
  readonly shadowOf?: number | undefined;
  /** Registers that differ from factory values. */
  readonly registers?: Readonly<Record<string, number>> | undefined;
}

/** Interface of a family's servo to its line. */
interface EmulatedServo {
  readonly id: number;
  readonly spec: ServoSpec;
  readonly registers: RegisterFile;
  readonly motor: Motor;
  readonly faults: ServoFaults;
  readonly ratedV: number;
  readonly isTorqueOn: boolean;
  /** Advances by `dtS` with the joint or signal at `value`, moving at `perS`. Returns the torque on it, N·m (N for metres). */
  drive(value: number, perS: number, supplyV: number, dtS: number): number;
}

export interface ServoChainOptions<Servo> {
  readonly servos: readonly Servo[];
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** Supply voltage, V; absent: the first servo's rated voltage. Servos of another voltage have their own converter, in proportion. */
  readonly supplyV?: number | undefined;
}

/** Finds requests in a stream of bytes. */
interface RequestReader {
  readonly skippedBytes: number;
  readonly checksumErrors: number;
  push(bytes: Uint8Array, from: number, to: number): void;
  restart(): void;
}

export abstract class ServoChain<Servo extends EmulatedServo> implements EmulatedBus {
  abstract readonly packets: PacketShape;
  readonly servos: readonly Servo[];
  /** Mutable at any time, e.g. for a discharging battery. */
  supplyV: number;
  protected readonly baud: number;
  protected abstract readonly reader: RequestReader;
  /** Whole requests so far. */
  protected requests = 0;
  readonly #body: EmulatedBody;
  readonly #clock: BodyClock;
  readonly #rng: Rng;
  readonly #ratedV: number;
  #atS = 0;
  #transmit: Transmit = () => undefined;

  constructor({ servos, body, baud, rng, supplyV }: ServoChainOptions<Servo>) {
    this.servos = servos;
    this.#ratedV = servos[0]?.ratedV ?? 1;
    this.supplyV = supplyV ?? this.#ratedV;
    this.baud = baud;
    this.#body = body;
    this.#clock = new BodyClock(body);
    this.#rng = rng;
    this.#drive(0);
  }

  get ids(): readonly number[] {
    return this.servos.map(({ id }) => id);
  }

  faultsOf(id: number): ServoFaults | undefined {
    return this.servos.find((servo) => servo.id === id)?.faults;
  }

  setRegister(id: number, register: string, counts: number): boolean {
    const servo = this.servos.find((each) => each.id === id);
    if (servo?.registers.has(register) !== true) return false;
    servo.registers.set(register, counts);
    const { address, bytes } = servo.spec.model.registers[register]!;
    servo.registers.store(address, bytes);
    return true;
  }

  states(): readonly DeviceState[] {
    return this.servos.map((servo) => ({
      id: servo.id,
      model: servo.spec.model.name,
      position: servo.registers.get('presentPosition'),
      isTorqueOn: servo.isTorqueOn,
      load: this.loadOf(servo),
      currentA: servo.motor.currentA,
      temperatureC: servo.motor.temperatureC,
      errors: this.errorsOf(servo),
      measures:
        servo.spec.signal === undefined
          ? undefined
          : { signal: servo.spec.signal, perCount: 1 / servo.spec.countsPerUnit },
    }));
  }

  get counts(): BusCounts {
    const { skippedBytes: wrongBytes, checksumErrors } = this.reader;
    return { requests: this.requests, wrongBytes, checksumErrors };
  }

  receive(bytes: Uint8Array, count: number, atS: number, transmit: Transmit): void {
    this.#transmit = transmit;
    // Each byte at its own time: one piece may hold several requests.
    for (let i = 0; i < count; i++) {
      this.#atS = atS - this.lineS(count - 1 - i);
      this.reader.push(bytes, i, i + 1);
    }
  }

  advance(nowS: number, transmit: Transmit): void {
    this.#transmit = transmit;
    this.#clock.advance(nowS, this.#drive);
  }

  powerCycle(): void {
    for (const servo of this.servos) this.restart(servo);
    this.reader.restart();
    this.#drive(0);
  }

  /** Load as a share of the motor's maximum, −1 to 1; and names of the error bits. */
  protected abstract loadOf(servo: Servo): number;
  protected abstract errorsOf(servo: Servo): readonly string[];
  /** Restarts a servo at power-up. */
  protected abstract restart(servo: Servo): void;

  /** Duration of `bytes` bytes on the line, s. */
  protected lineS(bytes: number): number {
    return (bytes * BITS_PER_BYTE) / this.baud;
  }

  /** Answers the request whose last byte has just arrived: after the servo's own delay, and `laterS` for the answers before it. */
  protected send(packet: Uint8Array, returnDelayS: number, laterS: number): void {
    const ownS = returnDelayS + PROCESS_S + this.#rng.uniform() * JITTER_S;
    this.#transmit(packet, this.#atS + ownS + laterS);
  }

  readonly #drive = (dtS: number): void => {
    const { positionRad, velocityRadPerS, torqueNm, signals } = this.#body;
    const share = Math.max(0, this.supplyV - SUPPLY_OHM * this.#currentA()) / this.#ratedV;
    for (const { spec } of this.servos) if (spec.joint !== undefined) torqueNm[spec.joint] = 0;
    for (const servo of this.servos) {
      const { joint, signal } = servo.spec;
      const supplyV = share * servo.ratedV;
      // Unpowered until the voltage is back.
      if (this.supplyV < DEAD_SHARE * this.#ratedV)
        servo.faults.unpoweredS = Math.max(servo.faults.unpoweredS, 2 * dtS);
      if (joint === undefined) servo.drive(signals.get(signal ?? '') ?? 0, 0, supplyV, dtS);
      else torqueNm[joint]! += servo.drive(positionRad[joint]!, velocityRadPerS[joint]!, supplyV, dtS);
    }
  };

  #currentA(): number {
    let sum = 0;
    for (const { motor } of this.servos) sum += motor.currentA;
    return sum;
  }
}
