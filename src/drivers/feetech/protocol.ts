/**
 * Packets of Feetech's bus servos: FF FF, id, length, instruction or error, parameters, checksum. Source: "Feetech Smart Servo
 * Communication Protocol" (STS and SMS: registers lowest byte first, with sync read; SCS: highest byte first, without).
 */
import type { Echo, OnStatus, ServoProtocol, StatusReader } from '../servo/protocol.ts';

export const INSTRUCTION = {
  ping: 0x01,
  read: 0x02,
  write: 0x03,
  regWrite: 0x04,
  action: 0x05,
  factoryReset: 0x06,
  /** Of the vendor's newer SDK: starts anew; and makes where it stands the middle, or the position that it is given. */
  restart: 0x0a,
  calibrateOffset: 0x0b,
  syncRead: 0x82,
  syncWrite: 0x83,
} as const;

export const BROADCAST_ID = 0xfe;
export const HEADER_BYTE = 0xff;
/** Header, id, length, instruction or error, checksum. */
const OVERHEAD_BYTES = 6;
/** Length counts the instruction (or error) and the checksum too. */
const LENGTH_BEYOND = 2;
const MAX_LENGTH = 250;
const MAX_PACKET_BYTES = MAX_LENGTH + 4;

/** Error bits of a status (the protocol's table of the working state). */
export const STATUS_ERROR = { voltage: 1, sensor: 2, temperature: 4, current: 8, angle: 16, overload: 32 } as const;

/** Which errors are set, in words. For people; allocates. */
export function errorNames(error: number): readonly string[] {
  return Object.entries(STATUS_ERROR).flatMap(([name, bit]) => ((error & bit) === 0 ? [] : [name]));
}

/** Fills in length and checksum of the packet in `out` whose parameters end before `end`; returns how many bytes it has. */
function finish(out: Uint8Array, id: number, instruction: number, end: number): number {
  out[0] = HEADER_BYTE;
  out[1] = HEADER_BYTE;
  out[2] = id;
  out[3] = end - 5 + LENGTH_BEYOND;
  out[4] = instruction;
  out[end] = checksumOf(out, 2, end);
  return end + 1;
}

/** Of the bytes from `from` up to `end` (excluded): id to last parameter. */
export function checksumOf(bytes: Uint8Array, from: number, end: number): number {
  let sum = 0;
  for (let i = from; i < end; i++) sum += bytes[i]!;
  return ~sum & 0xff;
}

/** A status as a servo sends it: what an emulator writes. Returns how many bytes it has. */
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

/** A request differs from an answer in nothing but who sends it: a ping from the answer of a servo with a voltage error, say. */
function echoOf(request: Uint8Array, id: number, error: number, bytes: Uint8Array, at: number, count: number): Echo {
  // Nobody has that id.
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
 * Packets in a stream, byte by byte. After a wrong checksum or length it goes on behind the header that was wrong, so that a packet
 * which stands inside is not lost. Reads requests too (their instruction stands where a status has its error): an emulator's end.
 */
export class FeetechReader implements StatusReader {
  readonly #onStatus: OnStatus;
  /** The packet so far; never more than one. */
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
      // What does not begin a packet is dropped from its front, until what is left may be one.
      while (!this.#isBegun()) this.#dropFirst();
    }
  }

  restart(): void {
    while (this.#length > 0) {
      this.#dropFirst();
      while (!this.#isBegun()) this.#dropFirst();
    }
  }

  /** Whether what is held may be the beginning of a packet; a whole one is handed out first. */
  #isBegun(): boolean {
    const packet = this.#packet;
    const length = this.#length;
    if (length === 0) return true;
    if (packet[0] !== HEADER_BYTE) return false;
    if (length < 2) return true;
    if (packet[1] !== HEADER_BYTE) return false;
    if (length < 3) return true;
    // FF is no id: a third one is the header's, and a byte before it was none.
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
    // Behind a length that lied there may be more than one.
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
