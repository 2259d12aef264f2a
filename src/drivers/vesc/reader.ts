/** Packets out of a stream of bytes, whatever else comes in it. */
import { crc16, OVERHEAD_BYTES, START_LONG, START_SHORT, STOP } from './protocol.ts';

/** The longest payload that the firmware makes (PACKET_MAX_PL_LEN). */
const MAX_PAYLOAD_BYTES = 512;
/** A packet with a length of two bytes has one more, and a payload from this length on. */
const LONG_FROM_BYTES = 255;

/** Called for each intact packet: `count` bytes from `at` on, behind the command, in a buffer that is used again. */
export type OnPacket = (command: number, bytes: Uint8Array, at: number, count: number) => void;

/**
 * Packets in a stream, byte by byte. After a wrong length, checksum or stop it goes on behind the start that was wrong, so that a packet which
 * stands inside is not lost. Bounded memory, no throw, whatever comes. Tick-safe.
 */
export class VescReader {
  readonly #onPacket: OnPacket;
  readonly #maxPayload: number;
  /** The packet so far; never more than one. */
  readonly #packet: Uint8Array;
  #length = 0;
  #skippedBytes = 0;
  #checksumErrors = 0;

  /** `maxPayload`: longer packets are none. Who knows what can come is not held up by a length that lies. */
  constructor(onPacket: OnPacket, maxPayload: number = MAX_PAYLOAD_BYTES) {
    this.#onPacket = onPacket;
    this.#maxPayload = maxPayload;
    this.#packet = new Uint8Array(maxPayload + OVERHEAD_BYTES + 1);
  }

  /** Bytes that were part of no intact packet, so far. */
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

  /** What is held is no packet that will end: whole ones inside it are handed out, and the rest is forgotten. */
  restart(): void {
    while (this.#length > 0) {
      this.#skipFirst();
      this.#handOut();
    }
  }

  /** Hands out whole packets, until what is left may be the beginning of one, or nothing. */
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

  /** How long the packet is that stands first; 0 where its end has not come, −1 where none does. */
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
