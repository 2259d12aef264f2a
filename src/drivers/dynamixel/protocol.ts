/** Dynamixel Protocol 2.0 as a `ServoProtocol`, with and without fast sync read. */
import type { BulkItem, ServoProtocol } from '../servo/protocol.ts';
import {
  BROADCAST_ID,
  copy,
  finish,
  INSTRUCTION,
  MAX_PACKET_BYTES,
  PARAMETERS_AT,
  PART_OVERHEAD_BYTES,
  word,
} from './packet.ts';
import { DynamixelReader } from './reader.ts';

/** A status: header, id, length, instruction, error, CRC. */
const STATUS_OVERHEAD_BYTES = 11;

/** Key that `clear` requires, so that no damaged packet clears anything. */
const CLEAR_KEY = [0x44, 0x58, 0x4c, 0x22] as const;

/** Dynamixel protocol with the further requests of commissioning and tests. */
export interface DynamixelProtocol extends ServoProtocol {
  reboot(out: Uint8Array, id: number): number;
  regWrite(out: Uint8Array, id: number, address: number, data: Uint8Array, at: number, bytes: number): number;
  action(out: Uint8Array, id: number): number;
  /** `keep`: settings that are not reset. */
  factoryReset(out: Uint8Array, id: number, keep: 'nothing' | 'id' | 'idAndBaud'): number;
  /** Resets the turn count, so that the present position is within one turn again. */
  clearTurns(out: Uint8Array, id: number): number;
  bulkRead(out: Uint8Array, items: readonly BulkItem[]): number;
  fastBulkRead(out: Uint8Array, items: readonly BulkItem[]): number;
  bulkWrite(out: Uint8Array, items: readonly BulkItem[]): number;
  createReader(...on: ConstructorParameters<typeof DynamixelReader>): DynamixelReader;
}

const KEEP = { nothing: 0xff, id: 0x01, idAndBaud: 0x02 } as const;

function writing(instruction: number): ServoProtocol['write'] {
  return (out, id, address, data, at, bytes) => {
    word(out, PARAMETERS_AT, address);
    return finish(out, id, instruction, copy(out, PARAMETERS_AT + 2, data, at, bytes));
  };
}

function syncReading(instruction: number): NonNullable<ServoProtocol['syncRead']> {
  return (out, ids, count, address, bytes) => {
    word(out, PARAMETERS_AT, address);
    word(out, PARAMETERS_AT + 2, bytes);
    return finish(out, BROADCAST_ID, instruction, copy(out, PARAMETERS_AT + 4, ids, 0, count));
  };
}

function bulk(instruction: number): DynamixelProtocol['bulkRead'] {
  return (out, items) => {
    let end = PARAMETERS_AT;
    for (const { id, address, bytes, data } of items) {
      out[end] = id;
      word(out, end + 1, address);
      word(out, end + 3, bytes);
      end = data === undefined ? end + 5 : copy(out, end + 5, data, 0, bytes);
    }
    return finish(out, BROADCAST_ID, instruction, end);
  };
}

const BASE: DynamixelProtocol = {
  family: 'dynamixel',
  isLittleEndian: true,
  maxPacketBytes: MAX_PACKET_BYTES,
  statusBytes: (parameters) => STATUS_OVERHEAD_BYTES + parameters,
  ping: (out, id) => finish(out, id, INSTRUCTION.ping, PARAMETERS_AT),
  read: (out, id, address, bytes) => {
    word(out, PARAMETERS_AT, address);
    word(out, PARAMETERS_AT + 2, bytes);
    return finish(out, id, INSTRUCTION.read, PARAMETERS_AT + 4);
  },
  write: writing(INSTRUCTION.write),
  regWrite: writing(INSTRUCTION.regWrite),
  action: (out, id) => finish(out, id, INSTRUCTION.action, PARAMETERS_AT),
  factoryReset: (out, id, keep) => {
    out[PARAMETERS_AT] = KEEP[keep];
    return finish(out, id, INSTRUCTION.factoryReset, PARAMETERS_AT + 1);
  },
  reboot: (out, id) => finish(out, id, INSTRUCTION.reboot, PARAMETERS_AT),
  clearTurns: (out, id) => {
    out[PARAMETERS_AT] = 0x01;
    for (let i = 0; i < CLEAR_KEY.length; i++) out[PARAMETERS_AT + 1 + i] = CLEAR_KEY[i]!;
    return finish(out, id, INSTRUCTION.clear, PARAMETERS_AT + 1 + CLEAR_KEY.length);
  },
  syncRead: syncReading(INSTRUCTION.syncRead),
  syncWrite: (out, ids, count, address, data, bytes) => {
    word(out, PARAMETERS_AT, address);
    word(out, PARAMETERS_AT + 2, bytes);
    let end = PARAMETERS_AT + 4;
    for (let i = 0; i < count; i++) {
      out[end] = ids[i]!;
      end = copy(out, end + 1, data, i * bytes, bytes);
    }
    return finish(out, BROADCAST_ID, INSTRUCTION.syncWrite, end);
  },
  bulkRead: bulk(INSTRUCTION.bulkRead),
  bulkWrite: bulk(INSTRUCTION.bulkWrite),
  fastBulkRead: bulk(INSTRUCTION.fastBulkRead),
  createReader: (onStatus) => new DynamixelReader(onStatus),
};

/** Each servo answers a sync read with its own status; supported by every firmware. */
export const DYNAMIXEL_PROTOCOL: DynamixelProtocol = BASE;

/** All servos answer with one status: for firmware with fast sync read (`fastReadFirmware` of each model). */
export const FAST_DYNAMIXEL_PROTOCOL: DynamixelProtocol = {
  ...BASE,
  syncRead: syncReading(INSTRUCTION.fastSyncRead),
  chainedBytes: (servos, parameters) => PARAMETERS_AT + servos * (parameters + PART_OVERHEAD_BYTES),
};
