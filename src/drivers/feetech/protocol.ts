/**
 * Packets of Feetech bus servos: FF FF, id, length, instruction or error, parameters, checksum. Source: "Feetech Smart
 * Servo Communication Protocol" (STS and SMS: little-endian registers, with sync read; SCS: big-endian, without).
 */
import type { Echo, OnStatus, ServoProtocol, StatusReader } from '../servo/protocol.ts';

export const INSTRUCTION = {
  ping: 0x01,
  read: 0x02,
  write: 0x03,
  regWrite: 0x04,
  action: 0x05,
  factoryReset: 0x06,
  /** In the vendor's newer SDK only: restart; and set the present position as the middle, or as a given position. */
  restart: 0x0a,
  calibrateOffset: 0x0b,
  syncRead: 0x82,
  syncWrite: 0x83,
} as const;

export const BROADCAST_ID = 0xfe;
export const HEADER_BYTE = 0xff;
/** Header, id, length, instruction or error, checksum. */
const OVERHEAD_BYTES = 6;
/** The length field includes instruction (or error) and checksum. */
const LENGTH_BEYOND = 2;
const MAX_LENGTH = 250;
const MAX_PACKET_BYTES = MAX_LENGTH + 4;

/** Error bits of a status (the protocol's table of the working state). */
export const STATUS_ERROR = { voltage: 1, sensor: 2, temperature: 4, current: 8, angle: 16, overload: 32 } as const;

/** Returns the names of the errors in `error`. For messages; allocates. */
export function errorNames(error: number): readonly string[] {
  return Object.entries(STATUS_ERROR).flatMap(([name, bit]) => ((error & bit) === 0 ? [] : [name]));
}

/** Adds header, length and checksum to the packet in `out`, whose parameters end before `end`; returns its length in bytes. */
function finish(out: Uint8Array, id: number, instruction: number, end: number): number {
  out[0] = HEADER_BYTE;
  out[1] = HEADER_BYTE;
  out[2] = id;
  out[3] = end - 5 + LENGTH_BEYOND;
  out[4] = instruction;
  out[end] = checksumOf(out, 2, end);
  return end + 1;
}

/** Returns the checksum of the bytes from `from` to `end` (excluded): id to last parameter. */
export function checksumOf(bytes: Uint8Array, from: number, end: number): number {
  let sum = 0;
  for (let i = from; i < end; i++) sum += bytes[i]!;
  return ~sum & 0xff;
}

/** Writes a status as sent by a servo, for emulators. Returns its length in bytes. */
export function writeStatus(
  out: Uint8Array,
  id: number,
  error: number,
  data: Uint8Array,
  at: number,
  count: number,
): number {
  for (let i = 0; i < count; i++) out[5 + i] = data[at + i]!;
  return finish(out, id, error, 5 + count);
}

/** Requests and statuses share one format: a ping, for example, looks like the status of a servo with a voltage error. */
function echoOf(request: Uint8Array, id: number, error: number, bytes: Uint8Array, at: number, count: number): Echo {
  // No servo has the broadcast id.
  if (id === BROADCAST_ID) return 'surely';
  if (request[2] !== id || request[3] !== count + LENGTH_BEYOND || request[4] !== error) return 'no';
  for (let i = 0; i < count; i++) if (request[5 + i] !== bytes[at + i]) return 'no';
  return 'maybe';
}

function createProtocol(isLittleEndian: boolean): ServoProtocol {
  const base: ServoProtocol = {
    family: 'feetech',
    isLittleEndian,
    maxPacketBytes: MAX_PACKET_BYTES,
    statusBytes: (parameters) => OVERHEAD_BYTES + parameters,
    ping: (out, id) => finish(out, id, INSTRUCTION.ping, 5),
    read: (out, id, address, bytes) => {
      out[5] = address;
      out[6] = bytes;
      return finish(out, id, INSTRUCTION.read, 7);
    },
    write: (out, id, address, data, at, bytes) => {
      out[5] = address;
      for (let i = 0; i < bytes; i++) out[6 + i] = data[at + i]!;
      return finish(out, id, INSTRUCTION.write, 6 + bytes);
    },
    syncWrite: (out, ids, count, address, data, bytes) => {
      out[5] = address;
      out[6] = bytes;
      let end = 7;
      for (let i = 0; i < count; i++) {
        out[end++] = ids[i]!;
        for (let k = 0; k < bytes; k++) out[end++] = data[i * bytes + k]!;
      }
      return finish(out, BROADCAST_ID, INSTRUCTION.syncWrite, end);
    },
    createReader: (onStatus) => new FeetechReader(onStatus),
    echoOf,
  };
  if (!isLittleEndian) return base;
  return {
    ...base,
    syncRead: (out, ids, count, address, bytes) => {
      out[5] = address;
      out[6] = bytes;
      for (let i = 0; i < count; i++) out[7 + i] = ids[i]!;
      return finish(out, BROADCAST_ID, INSTRUCTION.syncRead, 7 + count);
    },
  };
}

export const STS_PROTOCOL: ServoProtocol = createProtocol(true);
export const SCS_PROTOCOL: ServoProtocol = createProtocol(false);

/**
 * Parser of packets in a byte stream. After a wrong checksum or length the search resumes behind the wrong header, so
 * that packets inside are not lost. Also reads requests (instruction in place of the error), for emulators.
 */
export class FeetechReader implements StatusReader {
  readonly #onStatus: OnStatus;
  /** Packet received so far; at most one. */
  readonly #packet: Uint8Array = new Uint8Array(MAX_PACKET_BYTES);
  #length = 0;
  #skippedBytes = 0;
  #checksumErrors = 0;

  constructor(onStatus: OnStatus) {
    this.#onStatus = onStatus;
  }

  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  get checksumErrors(): number {
    return this.#checksumErrors;
  }

  push(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#packet[this.#length++] = bytes[i]!;
      // Drops bytes from the front until the rest may be a packet.
      while (!this.#isBegun()) this.#dropFirst();
    }
  }

  restart(): void {
    while (this.#length > 0) {
      this.#dropFirst();
      while (!this.#isBegun()) this.#dropFirst();
    }
  }

  /** Returns true if the held bytes may begin a packet. A complete packet is delivered first. */
  #isBegun(): boolean {
    const packet = this.#packet;
    const length = this.#length;
    if (length === 0) return true;
    if (packet[0] !== HEADER_BYTE) return false;
    if (length < 2) return true;
    if (packet[1] !== HEADER_BYTE) return false;
    if (length < 3) return true;
    // FF is not a valid id: a third FF belongs to the header, and the first one does not.
    if (packet[2] === HEADER_BYTE) return false;
    if (length < 4) return true;
    const end = packet[3]! + 3;
    if (packet[3]! < LENGTH_BEYOND || packet[3]! > MAX_LENGTH) return false;
    if (length <= end) return true;
    if (checksumOf(packet, 2, end) !== packet[end]) {
      this.#checksumErrors++;
      return false;
    }
    this.#onStatus(packet[2]!, packet[4]!, packet, 5, packet[3]! - LENGTH_BEYOND);
    // After a wrong length, more than one packet may be held.
    this.#length -= end + 1;
    packet.copyWithin(0, end + 1, length);
    return this.#isBegun();
  }

  #dropFirst(): void {
    this.#skippedBytes++;
    this.#length--;
    this.#packet.copyWithin(0, 1, this.#length + 1);
  }
}
