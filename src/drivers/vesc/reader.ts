/** Extracts packets from a byte stream with arbitrary other content. */
import { crc16, OVERHEAD_BYTES, START_LONG, START_SHORT, STOP } from './protocol.ts';

/** Longest payload that the firmware sends (PACKET_MAX_PL_LEN). */
const MAX_PAYLOAD_BYTES = 512;
/** A packet with a length of two bytes has one more byte, and at least this payload. */
const LONG_FROM_BYTES = 255;

/** Called for each intact packet: `count` bytes from `at` on, after the command; the buffer is reused. */
export type OnPacket = (command: number, bytes: Uint8Array, at: number, count: number) => void;

/**
 * Parser, byte by byte. After a wrong length, checksum or stop byte the search resumes behind the wrong start, so that
 * a packet inside is not lost. Bounded memory; never throws, whatever the input. Tick-safe.
 */
export class VescReader {
  readonly #onPacket: OnPacket;
  readonly #maxPayload: number;
  /** Packet received so far; at most one. */
  readonly #packet: Uint8Array;
  #length = 0;
  #skippedBytes = 0;
  #checksumErrors = 0;

  /** `maxPayload`: longer packets are invalid. A limit of the expected answers keeps a wrong length from holding them back. */
  constructor(onPacket: OnPacket, maxPayload: number = MAX_PAYLOAD_BYTES) {
    this.#onPacket = onPacket;
    this.#maxPayload = maxPayload;
    this.#packet = new Uint8Array(maxPayload + OVERHEAD_BYTES + 1);
  }

  /** Number of bytes outside intact packets so far. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  get checksumErrors(): number {
    return this.#checksumErrors;
  }

  /** Takes `bytes` from `from` to `to` (excluded). */
  push(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#packet[this.#length++] = bytes[i]!;
      this.#handOut();
    }
  }

  /** Ends the pending input: complete packets inside are delivered, and the rest is dropped. */
  restart(): void {
    while (this.#length > 0) {
      this.#skipFirst();
      this.#handOut();
    }
  }

  /** Delivers complete packets until the rest may begin one, or is empty. */
  #handOut(): void {
    while (this.#length > 0) {
      const bytes = this.#wholeBytes();
      if (bytes === 0) return;
      if (bytes < 0) {
        this.#skipFirst();
        continue;
      }
      const head = this.#packet[0]!;
      this.#onPacket(this.#packet[head]!, this.#packet, head + 1, bytes - head - 4);
      this.#drop(bytes);
    }
  }

  /** Returns the length of the packet at the front; 0 if it is incomplete, −1 if there is none. */
  #wholeBytes(): number {
    const packet = this.#packet;
    const length = this.#length;
    const head = packet[0]!;
    if (head !== START_SHORT && head !== START_LONG) return -1;
    if (length < head) return 0;
    const payload = head === START_SHORT ? packet[1]! : (packet[1]! << 8) | packet[2]!;
    if (payload < (head === START_SHORT ? 1 : LONG_FROM_BYTES) || payload > this.#maxPayload) return -1;
    const end = head + payload;
    if (length < end + 3) return 0;
    if (packet[end + 2] !== STOP) return -1;
    if (crc16(packet, head, end) === ((packet[end]! << 8) | packet[end + 1]!)) return end + 3;
    this.#checksumErrors++;
    return -1;
  }

  #skipFirst(): void {
    this.#skippedBytes++;
    this.#drop(1);
  }

  #drop(bytes: number): void {
    this.#packet.copyWithin(0, bytes, this.#length);
    this.#length -= bytes;
  }
}
