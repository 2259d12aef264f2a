/**
 * Messages between node and guard on a stream socket: a 16-byte little-endian header (magic u32,
 * version u8, kind u8, header check u16, payload length u32, payload CRC-32C u32) and the payload. The header check
 * lets a decoder skip garbage without waiting for the payload of a chance header.
 */
import { crc32c, Framing, LINK_VERSION } from '../../rows/index.ts';

const HEADER_BYTES = 16;
const CHECK_AT = 6;
/** Largest payload: the length is checked before anything is allocated. */
export const MAX_PAYLOAD_BYTES: number = 256 * 1024;

const FRAMING = new Framing({
  magic: 'RGLK',
  version: LINK_VERSION,
  headerBytes: HEADER_BYTES,
  maxPayloadBytes: MAX_PAYLOAD_BYTES,
  checksum: 'payload',
});

/** Message kinds. Frames, commands and advances are raw little-endian doubles, the rest is JSON. */
export const MESSAGE = { hello: 1, frame: 2, command: 3, request: 4, answer: 5, advance: 6, notice: 7 } as const;

/** Puts a header in front of `payload`. Allocates one buffer. */
export function encodeMessage(kind: number, payload: Uint8Array): Uint8Array {
  const message = FRAMING.frame(kind, payload);
  seal(message);
  return message;
}

/** Encodes a JSON message. */
export function encodeJson(kind: number, value: unknown): Uint8Array {
  return encodeMessage(kind, Buffer.from(JSON.stringify(value)));
}

/** Encodes doubles. */
export function encodeNumbers(kind: number, numbers: Float64Array): Uint8Array {
  return encodeMessage(kind, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** A reusable message of doubles: fill `numbers`, then `seal`. Allocates nothing after construction. */
export class NumbersMessage {
  readonly numbers: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(kind: number, count: number) {
    this.#bytes = encodeMessage(kind, new Uint8Array(8 * count));
    this.numbers = new Float64Array(this.#bytes.buffer, HEADER_BYTES, count);
  }

  /** Returns the message with the present `numbers`; overwritten by the next call. Tick-safe. */
  seal(): Uint8Array {
    seal(this.#bytes);
    return this.#bytes;
  }
}

/** Called for each intact message. `payload` is a view that is overwritten later: copy it to keep it. */
export type MessageHandler = (kind: number, payload: Uint8Array) => void;

/**
 * Splits a byte stream into messages, however it was fragmented. Bytes outside an intact message are skipped and counted; never
 * throws on any input and never holds more than one largest message.
 */
export class MessageDecoder {
  readonly #onMessage: MessageHandler;
  #buffer = new Uint8Array(4096);
  #start = 0;
  #end = 0;
  #skippedBytes = 0;

  constructor(onMessage: MessageHandler) {
    this.#onMessage = onMessage;
  }

  /** Number of bytes outside any intact message so far. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** Takes the next bytes and calls the handler for every message that they complete. */
  push(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length) {
      const piece = bytes.subarray(taken, taken + HEADER_BYTES + MAX_PAYLOAD_BYTES);
      taken += piece.length;
      this.#append(piece);
      this.#drain();
    }
  }

  #append(bytes: Uint8Array): void {
    const held = this.#end - this.#start;
    if (this.#end + bytes.length > this.#buffer.length) {
      const needed = held + bytes.length;
      const target = needed > this.#buffer.length ? new Uint8Array(2 * needed) : this.#buffer;
      target.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = target;
      this.#start = 0;
      this.#end = held;
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #drain(): void {
    while (this.#end - this.#start >= HEADER_BYTES) {
      const length = this.#payloadLength();
      if (length < 0) {
        this.#skip();
        continue;
      }
      if (this.#end - this.#start < HEADER_BYTES + length) return;
      if (!FRAMING.isIntact(this.#buffer, this.#start)) {
        this.#skip();
        continue;
      }
      const kind = FRAMING.kindOf(this.#buffer, this.#start);
      const payload = this.#buffer.subarray(this.#start + HEADER_BYTES, this.#start + HEADER_BYTES + length);
      this.#start += HEADER_BYTES + length;
      this.#onMessage(kind, payload);
    }
  }

  /** Payload length in a valid header at the start; −1 without a valid header. */
  #payloadLength(): number {
    const at = this.#start;
    if (!FRAMING.hasMagic(this.#buffer, at) || FRAMING.versionOf(this.#buffer, at) !== LINK_VERSION) return -1;
    const check = this.#buffer[at + CHECK_AT]! | (this.#buffer[at + CHECK_AT + 1]! << 8);
    if (check !== headerCheck(this.#buffer, at)) return -1;
    const length = FRAMING.lengthOf(this.#buffer, at);
    return length <= MAX_PAYLOAD_BYTES ? length : -1;
  }

  #skip(): void {
    this.#start++;
    this.#skippedBytes++;
  }
}

/** Writes both checks. Tick-safe. */
function seal(message: Uint8Array): void {
  FRAMING.seal(message);
  const check = headerCheck(message, 0);
  message[CHECK_AT] = check;
  message[CHECK_AT + 1] = check >>> 8;
}

/** Check over the header at `at` except the check itself. */
function headerCheck(bytes: Uint8Array, at: number): number {
  const before = crc32c(bytes, 0, at, at + CHECK_AT);
  return crc32c(bytes, before, at + CHECK_AT + 2, at + HEADER_BYTES) & 0xffff;
}
