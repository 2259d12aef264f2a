/** Feetech servos on one bus: who answers what, and when. Source: "Feetech Smart Servo Communication Protocol". */
import type { Rng } from '../../core/index.ts';
import { FEETECH_BAUDS, feetech } from '../../drivers/serial.ts';
import { BodyClock, type EmulatedBody } from '../bodies/body.ts';
import type { BusCounts, DeviceState, EmulatedBus, PacketShape, Transmit } from '../device.ts';
import type { ServoFaults } from '../faults.ts';

import type { FeetechServo } from './feetech-servo.ts';

const { BROADCAST_ID, INSTRUCTION } = feetech;
/** What a servo takes to understand a request, beside its return delay, s: this project's choice. */
const PROCESS_S = 40e-6;
/** No two oscillators are the same, s. */
const JITTER_S = 8e-6;
/** Start, eight data bits, stop. */
const BITS_PER_BYTE = 10;
/** Resistance of supply and cable, Ω: the voltage sags with the current. This project's choice. */
const SUPPLY_OHM = 0.15;

/** For `FaultyDevice`. */
export const FEETECH_PACKETS: PacketShape = {
  idAt: 2,
  seal: (packet) => {
    packet[packet.length - 1] = feetech.checksumOf(packet, 2, packet.length - 1);
  },
};

export interface FeetechBusOptions {
  readonly servos: readonly FeetechServo[];
  readonly body: EmulatedBody;
  readonly baud: number;
  readonly rng: Rng;
  /** Of the power supply; absent: what the first servo is rated for. */
  readonly supplyV?: number | undefined;
}

export class FeetechBus implements EmulatedBus {
  readonly packets: PacketShape = FEETECH_PACKETS;
  readonly servos: readonly FeetechServo[];
  /** May be changed at any time: a battery that runs empty. */
  supplyV: number;
  readonly #body: EmulatedBody;
  readonly #clock: BodyClock;
  readonly #baud: number;
  readonly #rng: Rng;
  readonly #reader: feetech.FeetechReader;
  readonly #out: Uint8Array = new Uint8Array(256);
  #atS = 0;
  #transmit: Transmit = () => undefined;
  #requests = 0;

  constructor({ servos, body, baud, rng, supplyV }: FeetechBusOptions) {
    this.servos = servos;
    this.supplyV = supplyV ?? servos[0]?.ratedV ?? 0;
    this.#body = body;
    this.#clock = new BodyClock(body);
    this.#baud = baud;
    this.#rng = rng;
    this.#reader = new feetech.FeetechReader((id, instruction, bytes, at, count) =>
      this.#understand(id, instruction, bytes.slice(at, at + count)),
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
    return this.servos.map(({ id, spec, registers, motor, isTorqueOn, error }) => ({
      id,
      model: spec.model.name,
      position: registers.get('presentPosition'),
      isTorqueOn,
      load: registers.get('presentLoad') / 1000,
      currentA: motor.currentA,
      temperatureC: motor.temperatureC,
      errors: feetech.errorNames(error),
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
    for (const servo of this.servos) servo.powerCycle();
    this.#reader.restart();
    this.#drive(0);
  }

  readonly #drive = (dtS: number): void => {
    const { positionRad, velocityRadPerS, torqueNm, signals } = this.#body;
    const supplyV = Math.max(0, this.supplyV - SUPPLY_OHM * this.#currentA());
    for (const servo of this.servos) {
      const { joint, signal } = servo.spec;
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
    if (instruction === INSTRUCTION.syncRead) this.#syncRead(data);
    else if (instruction === INSTRUCTION.syncWrite) this.#syncWrite(data);
    else for (const servo of this.#hearing(id)) this.#obey(servo, id, instruction, data);
  }

  /** Those that are addressed, alive, and listen at this speed. */
  #hearing(id: number): readonly FeetechServo[] {
    return this.servos.filter((servo) => {
      const hears = !servo.faults.isDead && FEETECH_BAUDS[servo.registers.get('baud')] === this.#baud;
      return hears && (id === BROADCAST_ID || servo.id === id);
    });
  }

  #obey(servo: FeetechServo, id: number, instruction: number, data: Uint8Array): void {
    const isAnswered = id !== BROADCAST_ID && servo.registers.get('statusLevel') !== 0;
    const { ping, read, write, regWrite, action, factoryReset } = INSTRUCTION;
    switch (instruction) {
      case ping:
        this.#answer(servo, NOTHING, 0, 0);
        return;
      case read:
        if (id === BROADCAST_ID || data.length !== 2) return;
        this.#answer(servo, servo.registers.bytes, data[0]!, data[1]!);
        return;
      case write:
      case regWrite:
        if (data.length === 0) return;
        // Answered under the id that was addressed, even where that is what changes.
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        if (instruction === write) servo.write(data[0]!, data.slice(1));
        else servo.waiting = { address: data[0]!, data: data.slice(1) };
        servo.registers.set('asyncWrite', servo.waiting === undefined ? 0 : 1);
        return;
      case action:
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        if (servo.waiting !== undefined) servo.write(servo.waiting.address, servo.waiting.data);
        servo.waiting = undefined;
        servo.registers.set('asyncWrite', 0);
        return;
      case factoryReset:
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        servo.factoryReset();
        return;
      default:
    }
  }

  /** One after another, in the order asked for; one that is not there leaves its time empty. */
  #syncRead(data: Uint8Array): void {
    const [address = 0, count = 0] = data;
    const slotS = ((6 + count) * BITS_PER_BYTE) / this.#baud + PROCESS_S;
    for (const [i, id] of data.subarray(2).entries()) {
      for (const servo of this.#hearing(id)) {
        if (id !== BROADCAST_ID) this.#answer(servo, servo.registers.bytes, address, count, i * slotS);
      }
    }
  }

  #syncWrite(data: Uint8Array): void {
    const [address = 0, count = 0] = data;
    for (let at = 2; at + 1 + count <= data.length; at += 1 + count) {
      for (const servo of this.#hearing(data[at]!)) servo.write(address, data.slice(at + 1, at + 1 + count));
    }
  }

  #answer(servo: FeetechServo, data: Uint8Array, at: number, count: number, laterS = 0): void {
    const room = Math.max(0, Math.min(count, data.length - at));
    const bytes = feetech.writeStatus(this.#out, servo.id, servo.error, data, at, room);
    const ownS = servo.registers.value('returnDelay') + PROCESS_S + this.#rng.uniform() * JITTER_S;
    this.#transmit(this.#out.slice(0, bytes), this.#atS + ownS + laterS);
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);
