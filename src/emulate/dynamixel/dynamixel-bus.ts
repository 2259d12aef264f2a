/** Dynamixel servos on one bus: who answers what, and when. Source: ROBOTIS e-Manual, "DYNAMIXEL Protocol 2.0". */
import type { Rng } from '../../core/index.ts';
import { DYNAMIXEL_BAUDS, DynamixelReader, dynamixel, hardwareErrorNames } from '../../drivers/serial.ts';
import { BodyClock, type EmulatedBody } from '../bodies/body.ts';
import type { BusCounts, DeviceState, EmulatedBus, PacketShape, Transmit } from '../device.ts';
import type { ServoFaults } from '../faults.ts';
import type { DynamixelServo } from './dynamixel-servo.ts';

const { BROADCAST_ID, INSTRUCTION, STATUS_ERROR } = dynamixel;
/** What a servo takes to understand a request, beside its return delay, s: this project's choice. */
const PROCESS_S = 40e-6;
/** No two oscillators are the same, s. */
const JITTER_S = 8e-6;
/** Start, eight data bits, stop. */
const BITS_PER_BYTE = 10;
/** Resistance of supply and cable, Ω: the voltage sags with the current. This project's choice. */
const SUPPLY_OHM = 0.15;
const PING_STATUS_BYTES = 14;
const CLEAR = [0x01, 0x44, 0x58, 0x4c, 0x22];
const KEEP: Readonly<Record<number, readonly string[]>> = { 1: ['id'], 2: ['id', 'baud'], 255: [] };

/** For `FaultyDevice`. */
const DYNAMIXEL_PACKETS: PacketShape = {
  idAt: 4,
  seal: (packet) => {
    const crc = dynamixel.crcOf(packet, 0, packet.length - 2);
    packet[packet.length - 2] = crc & 0xff;
    packet[packet.length - 1] = crc >> 8;
  },
};

export interface DynamixelBusOptions {
  readonly servos: readonly DynamixelServo[];
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** Of the power supply; absent: what the first servo is rated for. Servos for another voltage have a converter of their own, in proportion. */
  readonly supplyV?: number | undefined;
}

/** What one servo is asked for in a request to several. */
interface Asked {
  readonly id: number;
  readonly address: number;
  readonly count: number;
}

export class DynamixelBus implements EmulatedBus {
  readonly packets: PacketShape = DYNAMIXEL_PACKETS;
  readonly servos: readonly DynamixelServo[];
  /** May be changed at any time: a battery that runs empty. */
  supplyV: number;
  readonly #ratedV: number;
  readonly #body: EmulatedBody;
  readonly #clock: BodyClock;
  readonly #baud: number;
  readonly #rng: Rng;
  readonly #reader: DynamixelReader;
  readonly #out: Uint8Array = new Uint8Array(dynamixel.MAX_PACKET_BYTES);
  #atS = 0;
  #transmit: Transmit = () => undefined;
  #requests = 0;

  constructor({ servos, body, baud, rng, supplyV }: DynamixelBusOptions) {
    this.servos = servos;
    this.#ratedV = servos[0]?.ratedV ?? 1;
    this.supplyV = supplyV ?? this.#ratedV;
    this.#body = body;
    this.#clock = new BodyClock(body);
    this.#baud = baud;
    this.#rng = rng;
    this.#reader = new DynamixelReader(
      () => undefined,
      (id, instruction, bytes, at, count) => this.#understand(id, instruction, bytes.slice(at, at + count)),
    );
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
    return this.servos.map(({ id, spec, registers, motor, isTorqueOn }) => ({
      id,
      model: spec.model.name,
      position: registers.get('presentPosition'),
      isTorqueOn,
      load: motor.torqueNm / motor.spec.stallTorqueNm,
      currentA: motor.currentA,
      temperatureC: motor.temperatureC,
      errors: hardwareErrorNames(registers.get('hardwareError')),
      measures: spec.signal === undefined ? undefined : { signal: spec.signal, perCount: 1 / spec.countsPerUnit },
    }));
  }

  get counts(): BusCounts {
    const { skippedBytes: wrongBytes, checksumErrors } = this.#reader;
    return { requests: this.#requests, wrongBytes, checksumErrors };
  }

  receive(bytes: Uint8Array, count: number, atS: number, transmit: Transmit): void {
    this.#transmit = transmit;
    const byteS = BITS_PER_BYTE / this.#baud;
    // Each byte at its own moment: several requests may come in one piece.
    for (let i = 0; i < count; i++) {
      this.#atS = atS - (count - 1 - i) * byteS;
      this.#reader.push(bytes, i, i + 1);
    }
  }

  advance(nowS: number, transmit: Transmit): void {
    this.#transmit = transmit;
    this.#clock.advance(nowS, this.#drive);
  }

  powerCycle(): void {
    for (const servo of this.servos) servo.reboot();
    this.#reader.restart();
    this.#drive(0);
  }

  readonly #drive = (dtS: number): void => {
    const { positionRad, velocityRadPerS, torqueNm, signals } = this.#body;
    const share = Math.max(0, this.supplyV - SUPPLY_OHM * this.#currentA()) / this.#ratedV;
    for (const servo of this.servos) {
      const { joint, signal } = servo.spec;
      const supplyV = share * servo.ratedV;
      if (joint === undefined) servo.drive(signals.get(signal ?? '') ?? 0, 0, supplyV, dtS);
      else torqueNm[joint] = servo.drive(positionRad[joint]!, velocityRadPerS[joint]!, supplyV, dtS);
    }
  };

  #currentA(): number {
    let sum = 0;
    for (const { motor } of this.servos) sum += motor.currentA;
    return sum;
  }

  #understand(id: number, instruction: number, data: Uint8Array): void {
    this.#requests++;
    for (const servo of this.#hearing(BROADCAST_ID)) servo.hear();
    const { syncRead, fastSyncRead, bulkRead, fastBulkRead, syncWrite, bulkWrite } = INSTRUCTION;
    switch (instruction) {
      case syncRead:
      case fastSyncRead: {
        const [address, count] = [wordOf(data, 0), wordOf(data, 2)];
        const asked = Array.from(data.subarray(4), (each) => ({ id: each, address, count }));
        this.#readMany(asked, instruction === fastSyncRead);
        return;
      }
      case bulkRead:
      case fastBulkRead: {
        const asked: Asked[] = [];
        for (let at = 0; at + 5 <= data.length; at += 5) {
          asked.push({ id: data[at]!, address: wordOf(data, at + 1), count: wordOf(data, at + 3) });
        }
        this.#readMany(asked, instruction === fastBulkRead);
        return;
      }
      case syncWrite: {
        const [address, count] = [wordOf(data, 0), wordOf(data, 2)];
        for (let at = 4; at + 1 + count <= data.length; at += 1 + count)
          this.#writeTo(data, at, address, at + 1, count);
        return;
      }
      case bulkWrite:
        for (let at = 0; at + 5 <= data.length; at += 5 + wordOf(data, at + 3)) {
          this.#writeTo(data, at, wordOf(data, at + 1), at + 5, wordOf(data, at + 3));
        }
        return;
      default:
        for (const [k, servo] of this.#hearing(id).entries()) this.#obey(servo, id, instruction, data, k);
    }
  }

  /** Those that are addressed, alive, and listen at this speed. */
  #hearing(id: number): readonly DynamixelServo[] {
    return this.servos.filter((servo) => {
      const hears = servo.isAwake && DYNAMIXEL_BAUDS[servo.registers.get('baud')] === this.#baud;
      return hears && (id === BROADCAST_ID || servo.id === id);
    });
  }

  #writeTo(data: Uint8Array, idAt: number, address: number, at: number, count: number): void {
    const id = data[idAt]!;
    if (id === BROADCAST_ID) return;
    for (const servo of this.#hearing(id)) servo.write(address, data.slice(at, at + count));
  }

  #obey(servo: DynamixelServo, id: number, instruction: number, data: Uint8Array, k: number): void {
    const { registers } = servo;
    const level = registers.get('statusLevel');
    if (instruction === INSTRUCTION.ping) {
      const slotS = (PING_STATUS_BYTES * BITS_PER_BYTE) / this.#baud + PROCESS_S;
      this.#answer(
        servo,
        servo.id,
        0,
        Uint8Array.from([0, 1, 6], (at) => registers.bytes[at]!),
        k * slotS,
      );
      return;
    }
    if (instruction === INSTRUCTION.read) {
      const found = data.length === 4 ? servo.read(wordOf(data, 0), wordOf(data, 2)) : undefined;
      if (id === BROADCAST_ID || level === 0) return;
      this.#answer(servo, servo.id, found === undefined ? STATUS_ERROR.access : 0, found ?? NOTHING);
      return;
    }
    // Answered under the id that was addressed, even where that is what changes.
    const [ownId, returnDelayS] = [servo.id, registers.value('returnDelay')];
    const error = this.#change(servo, instruction, data, id === BROADCAST_ID);
    if (id !== BROADCAST_ID && level === 2) this.#answer(servo, ownId, error, NOTHING, 0, returnDelayS);
  }

  /** Number of the error; 0 for none. */
  #change(servo: DynamixelServo, instruction: number, data: Uint8Array, isForAll: boolean): number {
    const { write, regWrite, action, factoryReset, reboot, clear } = INSTRUCTION;
    switch (instruction) {
      case write:
        return servo.write(wordOf(data, 0), data.slice(2));
      case regWrite:
        servo.waiting = { address: wordOf(data, 0), data: data.slice(2) };
        servo.registers.set('registeredInstruction', 1);
        return 0;
      case action: {
        const { waiting } = servo;
        if (waiting === undefined) return STATUS_ERROR.instruction;
        servo.waiting = undefined;
        servo.registers.set('registeredInstruction', 0);
        return servo.write(waiting.address, waiting.data);
      }
      case factoryReset: {
        const keep = KEEP[data[0] ?? 0];
        if (keep === undefined || (isForAll && data[0] === 0xff)) return STATUS_ERROR.dataRange;
        servo.factoryReset(keep);
        return 0;
      }
      case reboot:
        servo.reboot();
        return 0;
      case clear:
        return CLEAR.every((byte, i) => data[i] === byte) ? servo.clearTurns() : STATUS_ERROR.dataRange;
      default:
        return STATUS_ERROR.instruction;
    }
  }

  /**
   * Each answers once it has heard the one before it. One that is not there leaves those behind it silent: what the manual does not say, and
   * the worse of the two for whoever asks.
   */
  #readMany(asked: readonly Asked[], isFast: boolean): void {
    const answers: { servo: DynamixelServo; data: Uint8Array; error: number }[] = [];
    for (const { id, address, count } of asked) {
      const servo = this.#hearing(id)[0];
      if (servo === undefined || id === BROADCAST_ID || servo.registers.get('statusLevel') === 0) break;
      const found = servo.read(address, count);
      answers.push({
        servo,
        data: found ?? new Uint8Array(count),
        error: found === undefined ? STATUS_ERROR.access : 0,
      });
    }
    const first = answers[0];
    if (first === undefined) return;
    if (!isFast) {
      let laterS = 0;
      for (const { servo, data, error } of answers) {
        const bytes = this.#answer(servo, servo.id, error, data, laterS);
        laterS += (bytes * BITS_PER_BYTE) / this.#baud + PROCESS_S;
      }
      return;
    }
    let end = dynamixel.beginSharedStatus(
      this.#out,
      asked.map(({ count }) => count),
    );
    for (const { servo, data, error } of answers) {
      end = dynamixel.addSharedPart(this.#out, end, servo.id, servo.alert | error, data, 0, data.length);
    }
    this.#send(end, first.servo.registers.value('returnDelay'), 0);
  }

  /** Returns how many bytes. */
  #answer(
    servo: DynamixelServo,
    id: number,
    error: number,
    data: Uint8Array,
    laterS = 0,
    returnDelayS = servo.registers.value('returnDelay'),
  ): number {
    const bytes = dynamixel.writeStatus(this.#out, id, servo.alert | error, data, 0, data.length);
    this.#send(bytes, returnDelayS, laterS);
    return bytes;
  }

  #send(bytes: number, returnDelayS: number, laterS: number): void {
    const ownS = returnDelayS + PROCESS_S + this.#rng.uniform() * JITTER_S;
    this.#transmit(this.#out.slice(0, bytes), this.#atS + ownS + laterS);
  }
}

function wordOf(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) + (data[at + 1] ?? 0) * 256;
}

const NOTHING: Uint8Array = new Uint8Array(0);
