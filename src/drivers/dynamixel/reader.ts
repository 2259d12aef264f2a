/** Parser of Dynamixel Protocol 2.0 packets in a byte stream. */
import type { OnStatus, StatusReader } from '../servo/protocol.ts';
import {
  BROADCAST_ID,
  CRC_BYTES,
  crcOf,
  INSTRUCTION,
  INSTRUCTION_AT,
  LENGTH_AT,
  MAX_PACKET_BYTES,
  PARAMETERS_AT,
  PART_OVERHEAD_BYTES,
  unstuff,
} from './packet.ts';

/** Smallest length field: instruction and CRC. */
const LEAST_LENGTH = 3;
/** Damaged parts in a row after which a shared status is given up. */
const BAD_PARTS = 2;
/** Most parts of a fast bulk read. */
const MAX_PARTS = 64;
const HEADER = [0xff, 0xff, 0xfd, 0x00] as const;

/** Called for each request, in emulators: its parameters are `count` bytes of `bytes` from `at`. */
export type OnRequest = (id: number, instruction: number, bytes: Uint8Array, at: number, count: number) => void;

/**
 * After an error the search resumes at the next header, so that packets inside a damaged packet are not lost. Stuffing
 * keeps headers out of packets: a header inside a packet ends it at once, so a wrong length does not swallow what
 * follows. Only a shared status (fast read) is not stuffed; each part is checked by its own CRC on arrival, so that
 * servos before a missing one are received, and those after a damaged part too.
 */
export class DynamixelReader implements StatusReader {
  readonly #onStatus: OnStatus;
  readonly #onRequest: OnRequest | undefined;
  /** Begins with a possible packet; has room for a whole one and bytes received with it. */
  readonly #held: Uint8Array = new Uint8Array(2 * MAX_PACKET_BYTES);
  #length = 0;
  /** State of the shared status at the front: start of the next part, parts checked, and damaged parts in a row. */
  #partAt = 0;
  #parts = 0;
  #badParts = 0;
  /** Parameters of each part; −1: as in `#partSizes`; if that is empty too, no shared status is expected. */
  #partBytes = -1;
  readonly #partSizes: Uint16Array = new Uint16Array(MAX_PARTS);
  #sizes = 0;
  #skippedBytes = 0;
  #checksumErrors = 0;

  constructor(onStatus: OnStatus, onRequest?: OnRequest) {
    this.#onStatus = onStatus;
    this.#onRequest = onRequest;
  }

  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  get checksumErrors(): number {
    return this.#checksumErrors;
  }

  push(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; ) {
      const room = Math.min(to - i, this.#held.length - this.#length);
      for (let k = 0; k < room; k++) this.#held[this.#length + k] = bytes[i + k]!;
      this.#length += room;
      i += room;
      this.#scan();
    }
  }

  restart(chained?: number): void {
    while (this.#length > 0) {
      this.#dropHeader();
      this.#scan();
    }
    this.#partBytes = chained ?? -1;
    this.#sizes = 0;
  }

  /** Like `restart`, but the next packet may be a shared status of parts with `sizes` parameters (fast bulk read). */
  restartParts(sizes: readonly number[]): void {
    this.restart();
    this.#sizes = Math.min(sizes.length, MAX_PARTS);
    for (let i = 0; i < this.#sizes; i++) this.#partSizes[i] = sizes[i]!;
  }

  /** Takes complete packets from the front; a possible partial packet remains. */
  #scan(): void {
    for (;;) {
      this.#drop(this.#headerFrom(0));
      if (this.#length < PARAMETERS_AT) return;
      const end = this.#endOfPacket();
      if (end < 0) this.#dropHeader();
      else if (this.#isShared()) {
        if (!this.#takeParts(end)) return;
      } else {
        const inner = this.#headerFrom(INSTRUCTION_AT);
        // A header within the parameters: the packet was truncated, and another has begun.
        if (inner + HEADER.length <= Math.min(this.#length, end - CRC_BYTES)) this.#drop(inner);
        else if (this.#length < end) return;
        else this.#takePacket(end);
      }
    }
  }

  /** Returns the position of the first header from `from` on; at the end of the buffer it may be incomplete. */
  #headerFrom(from: number): number {
    const held = this.#held;
    for (let at = from; at < this.#length; at++) {
      let same = 0;
      while (same < HEADER.length && at + same < this.#length && held[at + same] === HEADER[same]) same++;
      if (same === HEADER.length || at + same === this.#length) return at;
    }
    return this.#length;
  }

  /** Returns the end of the packet at the front according to its length; −1 if id or length is invalid. */
  #endOfPacket(): number {
    const held = this.#held;
    const id = held[4]!;
    const length = held[LENGTH_AT]! + held[LENGTH_AT + 1]! * 256;
    const end = INSTRUCTION_AT + length;
    return id === 0xff || id === 0xfd || length < LEAST_LENGTH || end > MAX_PACKET_BYTES ? -1 : end;
  }

  #isShared(): boolean {
    const isExpected = this.#partBytes >= 0 || this.#sizes > 0;
    return isExpected && this.#held[4] === BROADCAST_ID && this.#held[INSTRUCTION_AT] === INSTRUCTION.status;
  }

  #takePacket(end: number): void {
    const held = this.#held;
    const crcAt = end - CRC_BYTES;
    if (crcOf(held, 0, crcAt) !== held[crcAt]! + held[crcAt + 1]! * 256) {
      this.#checksumErrors++;
      this.#dropHeader();
      return;
    }
    const instruction = held[INSTRUCTION_AT]!;
    const last = unstuff(held, INSTRUCTION_AT, crcAt);
    if (instruction !== INSTRUCTION.status) {
      // Some adapters echo our own requests.
      this.#onRequest?.(held[4]!, instruction, held, PARAMETERS_AT, last - PARAMETERS_AT);
    } else if (held[4] !== BROADCAST_ID && last > PARAMETERS_AT) {
      this.#onStatus(held[4]!, held[PARAMETERS_AT]!, held, PARAMETERS_AT + 1, last - PARAMETERS_AT - 1);
    }
    this.#forget(end);
  }

  /** Checks the complete parts of the shared status at the front. Returns true if the front has changed. */
  #takeParts(end: number): boolean {
    if (this.#partAt === 0) this.#partAt = PARAMETERS_AT;
    for (;;) {
      if (this.#partAt >= end) {
        // After a damaged last part, another packet may have begun.
        if (this.#badParts > 0) this.#dropHeader();
        else this.#forget(end);
        return true;
      }
      const count = this.#partBytes >= 0 ? this.#partBytes : (this.#partSizes[this.#parts] ?? 0);
      const partEnd = this.#partAt + count + PART_OVERHEAD_BYTES;
      if (partEnd > end || this.#badParts === BAD_PARTS || (this.#partBytes < 0 && this.#parts >= this.#sizes)) {
        this.#dropHeader();
        return true;
      }
      if (partEnd > this.#length) return false;
      this.#takePart(partEnd, count);
    }
  }

  #takePart(partEnd: number, count: number): void {
    const held = this.#held;
    const at = this.#partAt;
    const crcAt = partEnd - CRC_BYTES;
    // The previous part's CRC covers everything up to there, as its servo saw it: this part can be valid even if that one is damaged.
    const before = at === PARAMETERS_AT ? 0 : held[at - 2]! + held[at - 1]! * 256;
    const crc = crcOf(held, at === PARAMETERS_AT ? 0 : at - CRC_BYTES, crcAt, before);
    this.#partAt = partEnd;
    this.#parts++;
    if (crc === held[crcAt]! + held[crcAt + 1]! * 256) {
      this.#badParts = 0;
      this.#onStatus(held[at + 1]!, held[at]!, held, at + 2, count);
    } else {
      this.#badParts++;
      this.#checksumErrors++;
    }
  }

  /** Gives up the packet at the front; the search continues after its first byte. */
  #dropHeader(): void {
    this.#drop(Math.max(1, this.#headerFrom(1)));
  }

  /** Drops the first `count` bytes; they count as skipped, except parts already taken. */
  #drop(count: number): void {
    if (count === 0) return;
    this.#skippedBytes += Math.max(0, count - this.#partAt);
    this.#forget(count);
  }

  #forget(count: number): void {
    this.#held.copyWithin(0, count, this.#length);
    this.#length -= count;
    this.#partAt = 0;
    this.#parts = 0;
    this.#badParts = 0;
  }
}
