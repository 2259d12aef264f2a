/** Servos of one family on one line, as far as families are alike: their place on the body, the supply, and bytes at their moments. */
import type { Rng } from '../../../src/core/index.ts';
import type { ServoModel } from '../../../src/drivers/serial.ts';
import { BodyClock, type EmulatedBody } from './bodies/body.ts';
import type { Motor } from './bodies/motor.ts';
import type { BusCounts, DeviceState, EmulatedBus, PacketShape, Transmit } from './device.ts';
import type { ServoFaults } from './faults.ts';
import type { RegisterFile } from './registers.ts';

/** What a servo takes to understand a request, beside its return delay, s: this project's choice. */
export const PROCESS_S = 40e-6;
/** No two oscillators are the same, s. */
const JITTER_S = 8e-6;
/** Start, eight data bits, stop. */
const BITS_PER_BYTE = 10;
/** With less of its voltage a servo has no power at all: this project's choice. */
const DEAD_SHARE = 0.4;
/** Resistance of supply and cable, Ω: the voltage sags with the current. This project's choice. */
const SUPPLY_OHM = 0.15;

/** One servo as it is built in. */
export interface ServoSpec<Model extends ServoModel = ServoModel> {
  readonly id: number;
  readonly model: Model;
  /** Index of the joint of the body that it moves. */
  readonly joint?: number | undefined;
  /** Or the signal that it measures: nothing is coupled to its motor. */
  readonly signal?: string | undefined;
  /** Reading, without any offset, where joint or signal is 0, and how many counts a rad, or m, is; negative: it turns the other way. */
  readonly zeroCounts: number;
  readonly countsPerUnit: number;
  /** Id of the servo whose requests it obeys as well, at the same joint. */
  readonly shadowOf?: number | undefined;
  /** Registers that differ from the factory's. */
  readonly registers?: Readonly<Record<string, number>> | undefined;
}

/** What a family's servo is to its line. */
interface EmulatedServo {
  readonly id: number;
  readonly spec: ServoSpec;
  readonly registers: RegisterFile;
  readonly motor: Motor;
  readonly faults: ServoFaults;
  readonly ratedV: number;
  readonly isTorqueOn: boolean;
  /** A step of `dtS`: joint or signal stands at `value` and moves with `perS`. Returns the torque on it, N·m (N for metres). */
  drive(value: number, perS: number, supplyV: number, dtS: number): number;
}

export interface ServoChainOptions<Servo> {
  readonly servos: readonly Servo[];
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** Of the power supply; absent: what the first servo is rated for. Servos for another voltage have a converter of their own, in proportion. */
  readonly supplyV?: number | undefined;
}

/** Finds requests in bytes. */
interface RequestReader {
  readonly skippedBytes: number;
  readonly checksumErrors: number;
  push(bytes: Uint8Array, from: number, to: number): void;
  restart(): void;
}

export abstract class ServoChain<Servo extends EmulatedServo> implements EmulatedBus {
  abstract readonly packets: PacketShape;
  readonly servos: readonly Servo[];
  /** May be changed at any time: a battery that runs empty. */
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
    // Each byte at its own moment: several requests may come in one piece.
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

  /** Share of what the motor can, −1 to 1; and error bits in words. */
  protected abstract loadOf(servo: Servo): number;
  protected abstract errorsOf(servo: Servo): readonly string[];
  /** Power comes back. */
  protected abstract restart(servo: Servo): void;

  /** How long `bytes` bytes are on the line, s. */
  protected lineS(bytes: number): number {
    return (bytes * BITS_PER_BYTE) / this.baud;
  }

  /** Answers the request whose last byte has just come: after the servo's own delay, and `laterS` behind those that answer before it. */
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
      // Until it is back.
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
