/** Feetech servos on one bus: their replies and the timing of these. Source: "Feetech Smart Servo Communication Protocol". */
import { FEETECH_BAUDS, feetech } from '../../../../src/drivers/serial.ts';
import type { PacketShape } from '../device.ts';
import { PROCESS_S, ServoChain } from '../servo-chain.ts';
import type { FeetechServo } from './feetech-servo.ts';

const { BROADCAST_ID, INSTRUCTION } = feetech;
/** Length of a status without parameters. */
const STATUS_BYTES = 6;
/** For `FaultyDevice`. */
const FEETECH_PACKETS: PacketShape = {
  idAt: 2,
  seal: (packet) => {
    packet[packet.length - 1] = feetech.checksumOf(packet, 2, packet.length - 1);
  },
};

export class FeetechBus extends ServoChain<FeetechServo> {
  readonly packets: PacketShape = FEETECH_PACKETS;
  protected readonly reader: feetech.FeetechReader = new feetech.FeetechReader((id, instruction, bytes, at, count) =>
    this.#understand(id, instruction, bytes.slice(at, at + count)),
  );
  readonly #out: Uint8Array = new Uint8Array(256);

  protected loadOf({ registers }: FeetechServo): number {
    return registers.get('presentLoad') / 1000;
  }

  protected errorsOf({ error }: FeetechServo): readonly string[] {
    return feetech.errorNames(error);
  }

  protected restart(servo: FeetechServo): void {
    servo.powerCycle();
  }

  #understand(id: number, instruction: number, data: Uint8Array): void {
    this.requests++;
    if (instruction === INSTRUCTION.syncRead) this.#syncRead(data);
    else if (instruction === INSTRUCTION.syncWrite) this.#syncWrite(data);
    else if (instruction === INSTRUCTION.ping) this.#ping(id);
    else for (const servo of this.#hearing(id)) this.#obey(servo, id, instruction, data);
  }

  /** Returns the servos that are addressed, alive, and listening at this baud rate. */
  #hearing(id: number): readonly FeetechServo[] {
    return this.servos.filter((servo) => {
      const { isDead, unpoweredS } = servo.faults;
      const hears = !isDead && unpoweredS === 0 && FEETECH_BAUDS[servo.registers.get('baud')] === this.baud;
      return hears && (id === BROADCAST_ID || servo.id === id);
    });
  }

  #obey(servo: FeetechServo, id: number, instruction: number, data: Uint8Array): void {
    const isAnswered = id !== BROADCAST_ID && servo.registers.get('statusLevel') !== 0;
    const { read, write, regWrite, action, factoryReset, restart, calibrateOffset } = INSTRUCTION;
    switch (instruction) {
      case read:
        if (id === BROADCAST_ID || data.length !== 2) return;
        this.#answer(servo, servo.registers.bytes, data[0]!, data[1]!);
        return;
      case write:
      case regWrite:
        if (data.length === 0) return;
        // Answered under the addressed id, even if the request changes it.
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        if (instruction === write) servo.write(data[0]!, data.slice(1));
        else servo.waiting = { address: data[0]!, data: data.slice(1) };
        servo.showWaiting();
        return;
      case action:
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        if (servo.waiting !== undefined) servo.write(servo.waiting.address, servo.waiting.data);
        servo.waiting = undefined;
        servo.showWaiting();
        return;
      case factoryReset:
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        servo.factoryReset();
        return;
      case restart:
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        servo.powerCycle();
        return;
      case calibrateOffset:
        if (isAnswered) this.#answer(servo, NOTHING, 0, 0);
        servo.calibrate(data.length === 2 ? data[0]! + 256 * data[1]! : undefined);
        return;
      default:
    }
  }

  /** Servos pinged together answer one after another, as masters that search for all of them expect; real behaviour is not published. */
  #ping(id: number): void {
    const slotS = this.lineS(STATUS_BYTES) + PROCESS_S;
    for (const [k, servo] of this.#hearing(id).entries()) this.#answer(servo, NOTHING, 0, 0, k * slotS);
  }

  /** Servos answer one after another, in the requested order; a missing one leaves its slot empty. */
  #syncRead(data: Uint8Array): void {
    const [address = 0, count = 0] = data;
    const slotS = this.lineS(6 + count) + PROCESS_S;
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
    this.send(this.#out.slice(0, bytes), servo.registers.value('returnDelay'), laterS);
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);
