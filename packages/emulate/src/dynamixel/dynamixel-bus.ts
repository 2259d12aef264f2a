/** Dynamixel servos on one bus: their replies and the timing of these. Source: ROBOTIS e-Manual, "DYNAMIXEL Protocol 2.0". */
import { DYNAMIXEL_BAUDS, DynamixelReader, dynamixel, hardwareErrorNames } from '../../../../src/drivers/serial.ts';
import type { PacketShape } from '../device.ts';
import { PROCESS_S, ServoChain } from '../servo-chain.ts';
import type { DynamixelServo } from './dynamixel-servo.ts';

const { BROADCAST_ID, INSTRUCTION, STATUS_ERROR } = dynamixel;
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

/** Read of one servo within a request to several. */
interface Asked {
  readonly id: number;
  readonly address: number;
  readonly count: number;
}

export class DynamixelBus extends ServoChain<DynamixelServo> {
  readonly packets: PacketShape = DYNAMIXEL_PACKETS;
  protected readonly reader: DynamixelReader = new DynamixelReader(
    () => undefined,
    (id, instruction, bytes, at, count) => this.#understand(id, instruction, bytes.slice(at, at + count)),
  );
  readonly #out: Uint8Array = new Uint8Array(dynamixel.MAX_PACKET_BYTES);

  protected loadOf({ motor }: DynamixelServo): number {
    return motor.torqueNm / motor.spec.stallTorqueNm;
  }

  protected errorsOf({ registers }: DynamixelServo): readonly string[] {
    return hardwareErrorNames(registers.get('hardwareError'));
  }

  protected restart(servo: DynamixelServo): void {
    servo.reboot();
  }

  #understand(id: number, instruction: number, data: Uint8Array): void {
    this.requests++;
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
        for (const servo of this.#shadowing(id)) this.#change(servo, instruction, data, false);
    }
  }

  /** Returns the servos that are addressed, alive, and listening at this baud rate. */
  #hearing(id: number): readonly DynamixelServo[] {
    return this.servos.filter((servo) => {
      const hears = servo.isAwake && DYNAMIXEL_BAUDS[servo.registers.get('baud')] === this.baud;
      return hears && (id === BROADCAST_ID || servo.id === id);
    });
  }

  /** e-Manual, Secondary(Shadow) ID(12): servos that also execute requests to `id`, without answering them. */
  #shadowing(id: number): readonly DynamixelServo[] {
    if (id === BROADCAST_ID) return [];
    return this.#hearing(BROADCAST_ID).filter((servo) => servo.id !== id && servo.registers.get('shadowId') === id);
  }

  #writeTo(data: Uint8Array, idAt: number, address: number, at: number, count: number): void {
    const id = data[idAt]!;
    if (id === BROADCAST_ID) return;
    for (const servo of [...this.#hearing(id), ...this.#shadowing(id)])
      servo.write(address, data.slice(at, at + count));
  }

  #obey(servo: DynamixelServo, id: number, instruction: number, data: Uint8Array, k: number): void {
    const { registers } = servo;
    const level = registers.get('statusLevel');
    if (instruction === INSTRUCTION.ping) {
      const slotS = this.lineS(PING_STATUS_BYTES) + PROCESS_S;
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
    // Answered under the addressed id, even if the request changes it.
    const [ownId, returnDelayS] = [servo.id, registers.value('returnDelay')];
    const error = this.#change(servo, instruction, data, id === BROADCAST_ID);
    if (id !== BROADCAST_ID && level === 2) this.#answer(servo, ownId, error, NOTHING, 0, returnDelayS);
  }

  /** Returns the error number; 0 for none. */
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
   * Each servo answers once it has received the answer before its own. A missing servo silences those behind it: the manual does not
   * specify this, and it is the worse case for the host.
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
        laterS += this.lineS(bytes) + PROCESS_S;
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
    this.send(this.#out.slice(0, end), first.servo.registers.value('returnDelay'), 0);
  }

  /** Returns the number of bytes. */
  #answer(
    servo: DynamixelServo,
    id: number,
    error: number,
    data: Uint8Array,
    laterS = 0,
    returnDelayS = servo.registers.value('returnDelay'),
  ): number {
    const bytes = dynamixel.writeStatus(this.#out, id, servo.alert | error, data, 0, data.length);
    this.send(this.#out.slice(0, bytes), returnDelayS, laterS);
    return bytes;
  }
}

function wordOf(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) + (data[at + 1] ?? 0) * 256;
}

const NOTHING: Uint8Array = new Uint8Array(0);
